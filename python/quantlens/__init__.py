# SPDX-License-Identifier: Apache-2.0
"""Quantizes neural networks to int8 and shows why accuracy was lost, where the time goes and what to change.

>>> import quantlens
>>> run = quantlens.quantize("float.onnx", (images, labels), output="int8.onnx", diagnose=True, metric="top1")
>>> round(run.accuracy.reference.value, 2), run.accuracy.quantized.value > 0.97
(0.99, True)

The examples of all functions are run by a test, in a folder with the digit classifier of examples/demo: as `float.onnx`, and
quantized with one scale for each weight as `per_tensor.onnx`.
"""
from typing import TYPE_CHECKING, Any

from . import _runtime as _runtime  # chooses the library before anything may load it
from ._core import version as __version__
from .errors import BadInput, Error, Failed, Interrupted, IoError, NotFound, Unsupported, UsageError
from .program import Server, demo, serve
from .reports import Report, report
from .runs import Compared, Run, compare, delete_run, export, open_run, tensorboard, workloads
from .verbs import benchmark, calibrate, diagnose, doctor, evaluate, inspect, judge, merge, profile, quantize, tune


if TYPE_CHECKING:  # who knows all names finds the wrong ones
    from . import errors, mlflow, records
else:

    def __getattr__(name: str) -> Any:  # the classes of records take longer to make than all else, and MLflow need not be there
        if name in ("records", "errors", "mlflow"):
            import importlib

            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "BadInput", "Compared", "Error", "Failed", "Interrupted", "IoError", "NotFound", "Report", "Run", "Server",
    "Unsupported", "UsageError", "__version__", "benchmark", "calibrate", "compare", "delete_run", "demo", "diagnose",
    "doctor", "evaluate", "export", "inspect", "judge", "merge", "open_run", "profile", "quantize", "report", "serve",
    "tensorboard", "tune", "workloads",
]
