# SPDX-License-Identifier: Apache-2.0
"""What verbs take as a model: a path, the bytes of a file, an onnx.ModelProto, or a torch module."""
from __future__ import annotations

import atexit
import hashlib
import os
import pathlib
import shutil
import tempfile
from typing import Any

from .errors import UsageError

_folder: pathlib.Path | None = None


def kept_file(content: bytes, ending: str = ".onnx") -> str:
    """A file that lives as long as this process: runs name it."""
    global _folder
    if _folder is None:
        _folder = pathlib.Path(tempfile.mkdtemp(prefix="quantlens-files-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    path = _folder / f"{hashlib.sha256(content).hexdigest()[:16]}{ending}"
    if not path.exists():
        part = path.with_suffix(f".part{os.getpid()}")
        part.write_bytes(content)
        part.rename(path)
    return str(path)


def rooted(value: Any) -> Any:
    """A path that is there, as it is called from anywhere."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return os.path.abspath(value) if isinstance(value, str) and os.path.exists(value) else value


def _exported(module: Any, example: Any) -> str:
    import io

    import torch  # type: ignore[import-not-found,unused-ignore]

    if example is None:
        raise UsageError("a torch module is exported first: give example_inputs, as torch.onnx.export takes them")
    into = io.BytesIO()
    module.eval()
    with torch.no_grad():
        torch.onnx.export(module, example, into, dynamo=False)
    return kept_file(into.getvalue())


def path_of(model: Any, example_inputs: Any = None) -> str:
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return kept_file(bytes(model))
    if hasattr(model, "SerializeToString"):
        return kept_file(model.SerializeToString())
    if hasattr(model, "state_dict") and hasattr(model, "eval"):
        return _exported(model, example_inputs)
    raise UsageError(f"model: {type(model).__name__} is none; give a path, bytes, an onnx.ModelProto or a torch module")
