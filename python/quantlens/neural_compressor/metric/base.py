# SPDX-License-Identifier: Apache-2.0
"""What metrics have in common, and how they read what they are given."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UsageError, Unsupported


class BaseMetric:
    """Made as a base of metrics: `update` takes what a batch answered and its labels, `reset` forgets all, `result` gives the
    figure. Around a class of another kind, `BaseMetric(cls)(...)` keeps an object of it as `metric`.

    >>> class Largest(BaseMetric):
    ...     def __init__(self): self.reset()
    ...     def reset(self): self.found = 0.0
    ...     def update(self, preds, labels=None, sample_weight=None): self.found = max(self.found, float(np.max(preds)))
    ...     def result(self): return self.found
    >>> largest = Largest()
    >>> largest.update(np.array([1.0, 3.0, 2.0]))
    >>> largest.result()
    3.0
    """

    def __init__(self, metric: Any = None, single_output: bool = False, hvd: Any = None):
        if hvd is not None:
            raise Unsupported("BaseMetric: hvd: Horovod is not here; let one process score all samples")
        self._metric_cls, self._single_output = metric, single_output
        self._metric: Any = None

    def __call__(self, *arguments: Any, **options: Any) -> BaseMetric:
        self._metric = self._metric_cls(*arguments, **options)
        return self

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def reset(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no reset")

    def result(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no result")

    @property
    def metric(self) -> Any:
        return self._metric


class Scored(BaseMetric):
    """One of ours: its name is that in METRICS."""

    name = ""

    def __init__(self) -> None:
        super().__init__()
        self.reset()

    def _wrong(self, told: str) -> UsageError:
        return UsageError(f"{self.name}: {told}")

    def _ratio(self, total: Any, count: int) -> float:
        if not count:
            raise self._wrong("no samples were given, of which there is no figure; call update first")
        return float(total / count)

    def _checked(self, preds: Any, labels: Any, sample_weight: Any) -> tuple[Any, Any]:
        """Raises for what no metric takes; one output of one name is that output."""
        if sample_weight is not None:
            raise self._wrong("sample_weight never had an effect and has none here; leave it out")
        if isinstance(preds, dict):
            if len(preds) != 1:
                raise self._wrong(f"takes one output, and the model has {', '.join(map(str, preds))}; give a function of "
                                  "(outputs, labels) that takes its own, or name one of quantlens's metrics with output=")
            preds = next(iter(preds.values()))
        if preds is None or labels is None:
            raise self._wrong(f"there are no {'labels' if preds is not None else 'preds'}; give both")
        return preds, labels

    def _array(self, word: str, given: Any) -> np.ndarray:
        try:
            made = np.asarray(given)
        except ValueError:
            raise self._wrong(f"{word} have parts of unequal shapes; give an array") from None
        if made.dtype.kind not in "biuf" or not made.size:
            what = f"are of {made.dtype}" if made.size else "are empty"
            raise self._wrong(f"{word} {what}; give an array of numbers")
        return made

    def _unwrapped(self, preds: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
        """Arrays: also of lists of the only output and of its labels, as the predecessor's evaluation gave them."""
        told, wanted = self._array("preds", preds), self._array("labels", labels)
        if isinstance(preds, (list, tuple)) and len(preds) == 1 and told.ndim > 1 and told.shape[0] == 1:
            inside = wanted[0] if isinstance(labels, (list, tuple)) and len(labels) == 1 and wanted.ndim > 1 else wanted
            if inside.ndim and inside.shape[0] == told.shape[1]:
                return told[0], inside
        return told, wanted
