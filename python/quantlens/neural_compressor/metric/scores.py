# SPDX-License-Identifier: Apache-2.0
"""The metrics of ONNX models that METRICS names. Sums are kept, not samples; they are in double."""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import UsageError
from .base import Scored


class GeneralTopK(Scored):
    """The share of samples whose label is among the `k` greatest scores. Labels are numbers of classes, or one-hot rows. Of equal
    scores the higher class comes first; NaN among the scores makes the answer wrong.

    >>> topk = METRICS("onnxrt_qlinearops")["topk"](k=2)
    >>> topk.update(np.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]), np.array([1, 2]))
    >>> topk.result()
    0.5
    """

    name, higher_is_better = "topk", True

    def __init__(self, k: int = 1):
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
            raise UsageError(f"topk: k: {k!r} is no number of classes; give one from 1")
        self.k = int(k)
        super().__init__()

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        preds, labels = self._checked(preds, labels, sample_weight)
        scores = self._array("preds", preds)
        if scores.ndim < 2:
            scores = scores.reshape(1, -1)
        else:
            scores = scores.reshape(-1, scores.shape[-1]) if isinstance(preds, list) else scores.reshape(len(scores), -1)
        wanted = self._classes(self._array("labels", labels), *scores.shape)
        best = np.argsort(scores, axis=-1, kind="stable")[:, -self.k:]
        right = (best == wanted[:, np.newaxis]).any(axis=1)
        if scores.dtype.kind == "f":
            right &= ~np.isnan(scores).any(axis=1)
        self.num_correct += int(right.sum())
        self.num_sample += len(scores)

    def _classes(self, labels: np.ndarray, samples: int, classes: int) -> np.ndarray:
        if labels.ndim > 1 and labels.size == samples * classes and classes > 1:
            return labels.reshape(samples, classes).argmax(axis=1)
        if labels.size != samples:
            raise self._wrong(f"{labels.size} labels are given for scores of {samples} samples in {classes} classes; give a "
                              "number of a class for each, or take Accuracy where the model gives classes instead of scores")
        if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
            raise self._wrong("labels have fractions; give numbers of classes")
        return labels.reshape(samples)

    def reset(self) -> None:
        self.num_correct = self.num_sample = 0

    def result(self) -> float:
        return self._ratio(self.num_correct, self.num_sample)


class Accuracy(Scored):
    """The share of labels that are answered right. `preds` are of the labels' shape, or have scores of classes along a second
    axis: the greatest one answers, of equal ones the lowest class.

    >>> accuracy = METRICS("onnxrt_qlinearops")["Accuracy"]()
    >>> accuracy.update(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    >>> accuracy.update([1, 0], [1, 0])
    >>> accuracy.result()
    0.75
    """

    name, higher_is_better = "Accuracy", True

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        told, wanted = (np.atleast_1d(one) for one in self._unwrapped(*self._checked(preds, labels, sample_weight)))
        answers = told
        if told.ndim == wanted.ndim + 1:
            answers = told.argmax(axis=1) if told.shape[1] != 1 else told[:, 0]
        if answers.shape != wanted.shape:
            raise self._wrong(f"preds of shape {told.shape} are given for labels of {wanted.shape}; give answers of the labels' "
                              "shape, or with scores of the classes along a second axis")
        self.num_correct += int((answers == wanted).sum())
        self.sample += wanted.size

    def reset(self) -> None:
        self.num_correct = self.sample = 0

    def result(self) -> float:
        return self._ratio(self.num_correct, self.sample)


class _Elements(Scored):
    """Of arrays of one shape: also of lists of them, one for each output. A list of numbers is one array."""

    def _tensors(self, word: str, given: Any) -> list[np.ndarray]:
        is_several = isinstance(given, (list, tuple)) and len(given) > 0 and not np.isscalar(given[0])
        made = [np.atleast_1d(self._array(word, one)) for one in (given if is_several else [given])]
        return [one.astype(np.float64) for one in made]

    def _pairs(self, preds: Any, labels: Any, sample_weight: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        preds, labels = self._checked(preds, labels, sample_weight)
        told, wanted = self._tensors("preds", preds), self._tensors("labels", labels)
        if [one.shape for one in told] != [one.shape for one in wanted]:
            shapes = (" and ".join(str(one.shape) for one in several[:4]) for several in (told, wanted))
            raise self._wrong("preds of {} are given for labels of {}; give both in one shape".format(*shapes))
        return list(zip(told, wanted))


class Loss(_Elements):
    """The sum of what the model gives over the number of samples, for models that compute their own loss. Labels say how many
    samples there are.

    >>> loss = METRICS("onnxrt_qlinearops")["Loss"]()
    >>> loss.update(np.array([0.5, 1.5]), np.array([0, 1]))
    >>> loss.result()
    1.0
    """

    name = "Loss"

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        pairs = self._pairs(preds, labels, sample_weight)
        self.sample += len(pairs[0][1])
        self.sum += sum(float(told.sum()) for told, _ in pairs)

    def reset(self) -> None:
        self.sample, self.sum = 0, 0.0

    def result(self) -> float:
        return self._ratio(self.sum, self.sample)


class _Distance(_Elements):
    higher_is_better = False

    def __init__(self, compare_label: bool = True):
        self.compare_label = bool(compare_label)
        super().__init__()

    def _of(self, differences: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        for told, wanted in self._pairs(preds, labels, sample_weight):
            self._sum += float(self._of(told - wanted).sum())
            self._count += wanted.size

    def reset(self) -> None:
        self._sum, self._count = 0.0, 0

    def result(self) -> float:
        return self._ratio(self._sum, self._count)


class MAE(_Distance):
    """The mean of the differences' absolute values, over all elements.

    >>> mae = METRICS("onnxrt_qlinearops")["MAE"]()
    >>> mae.update(np.array([[1.0, 2.0], [3.0, 8.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> mae.result()
    1.0
    """

    name = "MAE"

    def _of(self, differences: np.ndarray) -> np.ndarray:
        return np.abs(differences)


class MSE(_Distance):
    """The mean of the differences' squares, over all elements.

    >>> mse = METRICS("onnxrt_qlinearops")["MSE"]()
    >>> mse.update(np.array([[1.0, 2.0], [3.0, 8.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> mse.result()
    4.0
    """

    name = "MSE"

    def _of(self, differences: np.ndarray) -> np.ndarray:
        return np.square(differences)


class RMSE(MSE):
    """The square root of MSE.

    >>> rmse = METRICS("onnxrt_qlinearops")["RMSE"]()
    >>> rmse.update(np.array([[1.0, 2.0], [3.0, 8.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> rmse.result()
    2.0
    """

    name = "RMSE"

    def result(self) -> float:
        return math.sqrt(super().result())


class F1(Scored):
    """How much of two answers is the same, as SQuAD has it: each `update` takes the words of one answer and of the right one, in
    any order; the figure is the mean. The F1 of classes is quantlens's metric 'f1'.

    >>> f1 = METRICS("onnxrt_qlinearops")["F1"]()
    >>> f1.update("in the denver stadium".split(), "denver".split())
    >>> f1.result()
    0.4
    """

    name, higher_is_better = "F1", True

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        told, wanted = self._checked(preds, labels, sample_weight)
        if not all(isinstance(one, Sequence) and not isinstance(one, (str, bytes)) for one in (told, wanted)):
            raise self._wrong("takes a list of words of one answer and one of the right answer; for the F1 of classes name "
                              "quantlens's metric 'f1'")
        try:
            same = (Counter(told) & Counter(wanted)).total()
        except TypeError:
            raise self._wrong("takes lists of words, and these hold something else; give lists of texts or numbers") from None
        self._sum += 2 * same / (len(told) + len(wanted)) if same else 0.0
        self._count += 1

    def reset(self) -> None:
        self._sum, self._count = 0.0, 0

    def result(self) -> float:
        return self._ratio(self._sum, self._count)


class GLUE(Scored):
    """The score of a task of GLUE: the correlation of Matthews (cola), the mean of Pearson's and Spearman's (sts-b), the share of
    right answers of all others. Scores of classes are rows; of sts-b they are numbers.

    >>> glue = METRICS("onnxrt_qlinearops")["GLUE"](task="mrpc")
    >>> glue.update(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1]))
    >>> glue.result()
    0.5
    """

    name, higher_is_better = "GLUE", True
    TASKS = ("mrpc", "qqp", "qnli", "rte", "sts-b", "cola", "mnli", "wnli", "sst-2")

    def __init__(self, task: str = "mrpc"):
        if task not in self.TASKS:
            raise UsageError(f"GLUE: there is no task {task!r}; known: {', '.join(self.TASKS)}")
        self.task = task
        super().__init__()

    def update(self, preds: Any, labels: Any = None, sample_weight: Any = None) -> None:
        told, wanted = self._unwrapped(*self._checked(preds, labels, sample_weight))
        told, wanted = np.atleast_1d(told), wanted.reshape(-1)
        if self.task != "sts-b":
            if told.ndim != 2:
                raise self._wrong(f"preds are of shape {told.shape}; give a row of scores for each sample")
            told = told.argmax(axis=1)
        told = told.reshape(-1)
        if len(told) != len(wanted):
            raise self._wrong(f"preds are of {len(told)} samples and labels of {len(wanted)}; give as many")
        self._told.append(told)
        self._wanted.append(wanted)

    def reset(self) -> None:
        self._told: list[np.ndarray] = []
        self._wanted: list[np.ndarray] = []

    def result(self) -> float:
        self._ratio(0, len(self._told))
        told, wanted = np.concatenate(self._told), np.concatenate(self._wanted)
        if self.task == "sts-b":
            return (_correlation(told, wanted) + _correlation(_ranks(told), _ranks(wanted))) / 2
        return _matthews(told, wanted) if self.task == "cola" else float((told == wanted).mean())


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's, of columns together; 0 where one side does not vary."""
    one, other = (given - given.mean(axis=0, dtype=np.float64) for given in (one, other))
    spread = math.sqrt(float((one * one).sum()) * float((other * other).sum()))
    return float((one * other).sum()) / spread if spread else 0.0


def _ranks(values: np.ndarray) -> np.ndarray:
    """Equal numbers share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse.reshape(-1)]


def _matthews(told: np.ndarray, wanted: np.ndarray) -> float:
    """The correlation of the classes' indicators."""
    classes = np.union1d(told, wanted)
    return _correlation(*((given[:, np.newaxis] == classes).astype(np.float64) for given in (told, wanted)))
