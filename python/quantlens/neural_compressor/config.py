# SPDX-License-Identifier: Apache-2.0
"""What a script asks for, in the predecessor's words; and what that is in a recipe."""
from __future__ import annotations

import datetime
import warnings
from collections.abc import Mapping
from typing import Any

from ..errors import UsageError

FORMATS = {"default": "qoperator", "QOperator": "qoperator", "QDQ": "qdq"}
OBJECTIVES = {"performance": "speed", "accuracy": "accuracy", "modelsize": "size"}


def _one_of(name: str, value: Any, known: Any) -> Any:
    if value not in known:
        raise UsageError(f"{name}: there is no {value!r}; known: {', '.join(map(repr, known))}")
    return value


class Options:
    """Of all that follows in this process."""

    def __init__(self) -> None:
        self.workspace = f"./nc_workspace/{datetime.datetime.now():%Y-%m-%d_%H-%M-%S}/"
        self.resume_from: str | None = None
        self.random_seed = 1978
        self.tensorboard = False


options = Options()


def set_workspace(workspace: str) -> None:
    options.workspace = str(workspace)


def set_resume_from(resume_from: str) -> None:
    options.resume_from = str(resume_from)


def set_random_seed(random_seed: int) -> None:
    options.random_seed = int(random_seed)


def set_tensorboard(tensorboard: bool) -> None:
    options.tensorboard = bool(tensorboard)


class AccuracyCriterion:
    def __init__(self, higher_is_better: bool = True, criterion: str = "relative", tolerable_loss: float = 0.01):
        self.higher_is_better = bool(higher_is_better)
        self.criterion = _one_of("criterion", criterion, ("relative", "absolute"))
        self.tolerable_loss = float(tolerable_loss)


class TuningCriterion:
    def __init__(self, strategy: str = "basic", strategy_kwargs: Any = None, timeout: float = 0, max_trials: int = 100,
                 objective: Any = "performance"):
        self.strategy, self.strategy_kwargs = strategy, strategy_kwargs
        self.timeout, self.max_trials = timeout, max_trials
        self.objective = objective

    def word_of_objective(self) -> str:
        first = self.objective[0] if isinstance(self.objective, (list, tuple)) else self.objective
        if isinstance(first, Mapping):
            first = first.get("objective", "performance")
            first = first[0] if isinstance(first, (list, tuple)) else first
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
        self.domain, self.inputs, self.outputs = domain, list(inputs), list(outputs)
        self.quant_format = _one_of("quant_format", quant_format, FORMATS)
        self.approach = approach
        self.calibration_sampling_size = calibration_sampling_size
        self.recipes, self.op_type_dict, self.op_name_dict = recipes or {}, op_type_dict, op_name_dict
        self.reduce_range, self.example_inputs = reduce_range, example_inputs
        self.excluded_precisions = list(excluded_precisions)
        self.quant_level = _one_of("quant_level", quant_level, ("auto", 0, 1))
        # One each: a config that is changed changes no other one.
        self.accuracy_criterion = accuracy_criterion or AccuracyCriterion()
        self.tuning_criterion = tuning_criterion or TuningCriterion()
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
            if word in self.approach:
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
        self.inputs, self.outputs, self.model_name = list(inputs), list(outputs), model_name
        self.warmup, self.iteration = warmup, iteration
        self.cores_per_instance, self.num_of_instance = cores_per_instance, num_of_instance
        self.inter_num_of_threads, self.intra_num_of_threads = inter_num_of_threads, intra_num_of_threads
        self.diagnosis, self.ni_workload_name = bool(diagnosis), ni_workload_name

    def threads(self) -> int | None:
        return self.intra_num_of_threads or self.cores_per_instance

    def iterations(self) -> int | None:
        return self.iteration if self.iteration > 0 else None
