# SPDX-License-Identifier: Apache-2.0
"""A metric of your own."""
from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import UsageError

BLOCKS = 32  # of samples, by their number: what intervals leave out


@dataclass
class Figure:
    value: float
    samples: int
    low: float = -math.inf
    high: float = math.inf
    without: list[float] = field(default_factory=list)


class _Scoring:
    """Of one model."""

    own: Own

    def figure(self) -> Figure:
        told = self._figure()
        self.own.gave_nan |= math.isnan(told.value)
        return told

    def _figure(self) -> Figure:
        raise NotImplementedError


class _Mean(_Scoring):
    """Of what a function says of each sample, or of each batch."""

    def __init__(self, score: Callable[[Any, Any], Any]):
        self._score = score
        self._sums, self._counts = np.zeros(BLOCKS), np.zeros(BLOCKS, dtype=np.int64)

    def add(self, outputs: dict[str, np.ndarray], labels: list[Any], samples: list[int]) -> None:
        told = np.asarray(self._score(*_given(outputs, labels)), dtype=float)
        if told.ndim and told.shape != (len(samples),):
            raise UsageError(f"it gave {told.shape} figures for {len(samples)} samples; give one for each, or one for all")
        blocks = np.asarray(samples) % BLOCKS
        np.add.at(self._sums, blocks, np.broadcast_to(told, len(samples)))
        np.add.at(self._counts, blocks, 1)

    def _figure(self) -> Figure:
        total, count = float(self._sums.sum()), int(self._counts.sum())
        held = [at for at in range(BLOCKS) if self._counts[at]]
        without = [(total - self._sums[at]) / (count - self._counts[at]) for at in held if count > self._counts[at]]
        return Figure(total / count if count else math.nan, count, without=[float(one) for one in without])


class _Kept(_Scoring):
    """Of an object that keeps what it is given: `update(outputs, labels)`, or as Keras has it `update_state(labels, outputs)`,
    then `result()` or `compute()`."""

    def __init__(self, metric: Any):
        try:
            self._metric = copy.deepcopy(metric)  # several models are scored at the same time
        except Exception as problem:
            raise UsageError(f"it cannot be copied ({problem}), and each model needs its own; give a function") from problem
        self._samples = 0
        for reset in ("reset", "reset_state"):
            if hasattr(metric, reset):
                getattr(self._metric, reset)()

    def add(self, outputs: dict[str, np.ndarray], labels: list[Any], samples: list[int]) -> None:
        told, wanted = _given(outputs, labels)
        if hasattr(self._metric, "update_state"):
            self._metric.update_state(wanted, told)
        elif hasattr(self._metric, "state_dict"):
            self._metric.update(_tensors(told), _tensors(wanted))
        else:
            self._metric.update(told, wanted)
        self._samples += len(samples)

    def _figure(self) -> Figure:
        told = self._metric.result() if hasattr(self._metric, "result") else self._metric.compute()
        try:
            return Figure(float(told), self._samples)
        except (TypeError, ValueError, RuntimeError) as problem:
            raise UsageError(f"it gives no single figure ({problem}); give a metric that does") from problem


def _tensors(value: Any) -> Any:
    """As torchmetrics take them."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    if isinstance(value, dict):
        return {name: torch.from_numpy(one) for name, one in value.items()}
    return None if value is None else torch.from_numpy(value)


def _given(outputs: dict[str, np.ndarray], labels: list[Any]) -> tuple[Any, Any]:
    only = next(iter(outputs.values())) if len(outputs) == 1 else outputs
    return only, None if any(label is None for label in labels) else np.stack([np.asarray(label) for label in labels])


class Own:
    """What the module _core takes: `begin` makes an object for each model that is scored."""

    def __init__(self, metric: Any):
        self._metric = metric
        self.gave_nan = False
        self.name = getattr(metric, "name", None) or getattr(metric, "__name__", None) or type(metric).__name__
        self.name = str(self.name)
        self.higher_is_better = getattr(metric, "higher_is_better", True) is not False

    def begin(self) -> _Mean | _Kept:
        is_kept = hasattr(self._metric, "update") or hasattr(self._metric, "update_state")
        made = _Kept(self._metric) if is_kept else _Mean(self._metric)
        made.own = self
        return made

    def notes(self) -> list[str]:
        """What is to be known of a run that it scored."""
        if not self.gave_nan:
            return []
        return [f"the metric {self.name} gave NaN for a model, so that its accuracy tells nothing; see what it gives for a batch"]


def metric_of(metric: Any) -> str | Own | None:
    """A text as `--metric` takes it; a function of (outputs, labels) that gives a figure for each sample or one for the
    batch, of which the mean is told; or an object of torchmetrics, Keras or the like, as `_Kept` has it."""
    if metric is None or isinstance(metric, (str, Own)):
        return metric
    if callable(metric) or hasattr(metric, "update"):
        return Own(metric)
    raise UsageError(f"metric: {type(metric).__name__} is none; give a name such as 'top1', or a function of (outputs, labels)")
