# SPDX-License-Identifier: Apache-2.0
"""What a script asks for, in the predecessor's words; and what that is in a recipe."""
from __future__ import annotations

import datetime
import json
import math
import os
import pathlib
import warnings
from collections.abc import Mapping
from typing import Any, TypedDict

from ..errors import BadInput, IoError, UsageError
from ..models import ending_of

FORMATS = {"default": "qoperator", "QOperator": "qoperator", "QDQ": "qdq"}
STRATEGIES = ("auto", "basic", "conservative", "mse", "mse_v2", "random", "exhaustive", "bayesian")
OBJECTIVES = {"performance": "speed", "accuracy": "accuracy", "modelsize": "size"}


HISTORY = "history.snapshot"  # as the predecessor calls what a search can be resumed from


def _refuse(name: str, value: Any, wanted: str) -> UsageError:
    return UsageError(f"{name}: {' '.join(repr(value).split())[:60]} is no {wanted}")


def _number(name: str, value: Any, least: float = -math.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number) or number < least:
        raise _refuse(name, value, "finite number" if least < 0 else f"number from {least:g}")
    return number


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise _refuse(name, value, f"whole number from {least}")
    return int(value)


def _names(name: str, value: Any) -> list[str]:
    if value is None or isinstance(value, str):
        return [value] if value else []
    if not isinstance(value, (list, tuple, set)) or not all(isinstance(one, str) for one in value):
        raise _refuse(name, value, "list of names")
    return list(value)


def _a(kind: type, name: str, value: Any) -> Any:
    """One each where none is given: a config that is changed changes no other one."""
    if value is not None and not isinstance(value, kind):
        raise _refuse(name, value, f"{kind.__name__}; make one, as {kind.__name__}()")
    return kind() if value is None else value


def _one_of(name: str, value: Any, known: Any) -> Any:
    if not isinstance(value, (str, int)) or value not in known:
        raise UsageError(f"{name}: there is no {value!r}; known: {', '.join(map(repr, known))}")
    return value


class Options:
    """Of all that follows in this process."""

    def __init__(self) -> None:
        self.workspace = f"./nc_workspace/{datetime.datetime.now():%Y-%m-%d_%H-%M-%S}/"
        self.resume_from: str | None = None
        self.random_seed = 1978
        self.tensorboard = False

    def folder(self) -> pathlib.Path:
        """The workspace, which is made where it is not there."""
        folder = pathlib.Path(self.workspace)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise IoError(f"{folder}: cannot be made ({problem.strerror}); name a folder that can be, by set_workspace"
                          ) from problem
        if not os.access(folder, os.W_OK):
            raise IoError(f"{folder}: cannot be written to; name a folder that can be, by set_workspace")
        return folder

    def resumed(self) -> str | None:
        """The run that a search goes on with."""
        if self.resume_from is None:
            return None
        given = pathlib.Path(self.resume_from)
        snapshot = given / HISTORY if (given / HISTORY).is_file() else given
        if not snapshot.is_file():
            return self.resume_from  # a run's id, its folder or "last"
        try:
            return str(json.loads(snapshot.read_text(encoding="utf-8"))["run"])
        except (OSError, ValueError, LookupError, TypeError) as problem:
            raise BadInput(f"{snapshot}: names no run; give the {HISTORY} that quantization.fit wrote") from problem


options = Options()


def set_workspace(workspace: str) -> None:
    options.workspace = str(workspace)


def set_resume_from(resume_from: str) -> None:
    options.resume_from = str(resume_from)


def set_random_seed(random_seed: int) -> None:
    options.random_seed = _whole("random_seed", random_seed, 0)


def set_tensorboard(tensorboard: bool) -> None:
    options.tensorboard = bool(tensorboard)


class Ends(TypedDict, total=False):
    inputs: list[str] | None
    outputs: list[str] | None


def ends_of(conf: Any, path: str) -> Ends:
    """Where the network begins and ends, as a config names it. ONNX models name that themselves; there it has no effect, as in the
    predecessor."""
    if ending_of(path) == ".onnx":
        return {}
    return {"inputs": conf.inputs or None, "outputs": conf.outputs or None}


class AccuracyCriterion:
    def __init__(self, higher_is_better: bool = True, criterion: str = "relative", tolerable_loss: float = 0.01):
        self.higher_is_better = bool(higher_is_better)
        self.criterion = _one_of("criterion", criterion, ("relative", "absolute"))
        self.tolerable_loss = _number("tolerable_loss", tolerable_loss)


class TuningCriterion:
    def __init__(self, strategy: str = "basic", strategy_kwargs: Any = None, timeout: float = 0, max_trials: int = 100,
                 objective: Any = "performance"):
        self.strategy, self.strategy_kwargs = _one_of("strategy", strategy, STRATEGIES), strategy_kwargs
        self.timeout, self.max_trials = _number("timeout", timeout, 0), _whole("max_trials", max_trials, 1)
        self.objective = objective
        self.word_of_objective()

    def word_of_objective(self) -> str:
        first = self.objective[0] if isinstance(self.objective, (list, tuple)) and self.objective else self.objective
        if isinstance(first, Mapping):
            first = first.get("objective", "performance")
            first = first[0] if isinstance(first, (list, tuple)) and first else first
        return OBJECTIVES[_one_of("objective", first, OBJECTIVES)]


class PostTrainingQuantConfig:
    """Of options that have no meaning for ONNX models on the CPU, the usual value alone is taken."""

    def __init__(
        self, device: str = "cpu", backend: str = "default", domain: str = "auto", recipes: Any = None, quant_format: str = "default",
        inputs: Any = (), outputs: Any = (), approach: str = "static", calibration_sampling_size: Any = (100,),
        op_type_dict: Any = None, op_name_dict: Any = None, reduce_range: bool | None = None, example_inputs: Any = None,
        excluded_precisions: Any = (), quant_level: Any = "auto", accuracy_criterion: AccuracyCriterion | None = None,
        tuning_criterion: TuningCriterion | None = None, diagnosis: bool = False, ni_workload_name: str = "quantization",
    ):
        _one_of("device", device, ("cpu",))
        _one_of("backend", backend, ("default",))
        self.domain, self.inputs, self.outputs = domain, _names("inputs", inputs), _names("outputs", outputs)
        self.quant_format = _one_of("quant_format", quant_format, FORMATS)
        self.approach = approach
        self._approach()
        self.calibration_sampling_size = calibration_sampling_size
        self.recipes, self.op_type_dict, self.op_name_dict = recipes or {}, op_type_dict, op_name_dict
        self.reduce_range, self.example_inputs = reduce_range, example_inputs
        self.excluded_precisions = _names("excluded_precisions", excluded_precisions)
        self.quant_level = _one_of("quant_level", quant_level, ("auto", 0, 1))
        self.accuracy_criterion = _a(AccuracyCriterion, "accuracy_criterion", accuracy_criterion)
        self.tuning_criterion = _a(TuningCriterion, "tuning_criterion", tuning_criterion)
        self.diagnosis, self.ni_workload_name = bool(diagnosis), ni_workload_name

    def recipe(self) -> dict[str, Any]:
        """As quantlens reads it; what it does not do is told there."""
        sizes = self.calibration_sampling_size
        made: dict[str, Any] = {"approach": self._approach(), "calibration_sampling_size": sizes if isinstance(sizes, int) else list(sizes)}
        if made["approach"] == "static":
            made["quant_format"] = FORMATS[self.quant_format]
        elif self.quant_format == "QOperator":
            warnings.warn(f"quant_format QOperator has no effect with approach {self.approach}", stacklevel=3)
        for name in ("recipes", "op_type_dict", "op_name_dict"):
            if getattr(self, name):
                made[name] = getattr(self, name)
        if self.reduce_range is not None:
            made["reduce_range"] = self.reduce_range
        return made

    def _approach(self) -> str:
        for word in ("static", "dynamic", "weight_only", "auto"):
            if isinstance(self.approach, str) and word in self.approach:
                return word
        raise UsageError(f"approach: there is no {self.approach!r}; known: static, dynamic, weight_only, auto")

    def strategy(self) -> str:
        by_level = {0: "conservative", "auto": "auto"}
        return by_level.get(self.quant_level) or self.tuning_criterion.strategy


class BenchmarkConfig:
    def __init__(
        self, inputs: Any = (), outputs: Any = (), backend: str = "default", device: str = "cpu", warmup: int = 5, iteration: int = -1,
        model_name: str = "", cores_per_instance: int | None = None, num_of_instance: int = 1, inter_num_of_threads: int | None = None,
        intra_num_of_threads: int | None = None, diagnosis: bool = False, ni_workload_name: str = "profiling",
    ):
        _one_of("device", device, ("cpu",))
        _one_of("backend", backend, ("default",))
        self.inputs, self.outputs, self.model_name = _names("inputs", inputs), _names("outputs", outputs), model_name
        self.warmup, self.iteration = warmup, iteration
        self.cores_per_instance, self.num_of_instance = cores_per_instance, num_of_instance
        self.inter_num_of_threads, self.intra_num_of_threads = inter_num_of_threads, intra_num_of_threads
        self.diagnosis, self.ni_workload_name = bool(diagnosis), ni_workload_name

    def threads(self) -> int | None:
        return self.intra_num_of_threads or self.cores_per_instance

    def iterations(self) -> int | None:
        return self.iteration if self.iteration > 0 else None
