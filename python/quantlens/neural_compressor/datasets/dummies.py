# SPDX-License-Identifier: Apache-2.0
"""Datasets of random numbers: the same ones as the predecessor's, each time."""
from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...errors import UsageError

logger = logging.getLogger("neural_compressor")
SEED = 9527  # of the predecessor
DTYPES = ("float32", "float16", "uint8", "int8", "int32", "int64", "bool")


def _ignore(name: str, transform: Any, filter: Any) -> None:
    if transform is not None or filter is not None:
        logger.warning("%s: random samples are neither transformed nor filtered; transform and filter have no effect", name)


def _shapes(name: str, given: Any) -> list[tuple[int, ...]]:
    """One shape is a tuple (or a list of numbers); of several tensors it is a list of tuples."""
    several = list(given) if isinstance(given, list) and given and isinstance(given[0], (tuple, list)) else [given]
    try:
        shapes = [tuple(int(side) for side in one) for one in several]
    except (TypeError, ValueError):
        shapes = []
    if not shapes or any(side < 0 for one in shapes for side in one):
        raise UsageError(f"{name}: {given!r} is no shape; give a tuple of sizes, or a list of tuples for several tensors")
    return shapes


def _each(name: str, given: Any, count: int) -> list[Any]:
    """One of each tensor."""
    made = list(given) if isinstance(given, (list, tuple)) else [given] * count
    if len(made) != count:
        raise UsageError(f"{name}: {len(made)} are given for {count} tensors; give one, or one for each")
    return made


class _Drawn:
    """Tensors as they are drawn one after the other: numbers from `low` to `high`."""

    def __init__(self, name: str, shapes: list[tuple[int, ...]], low: Any, high: Any, dtype: Any):
        count = len(shapes)
        dtypes = _each(f"{name}: dtype", dtype, count)
        for one in dtypes:
            if one not in DTYPES:
                raise UsageError(f"{name}: dtype: there is no {one!r}; known: {', '.join(DTYPES)}")
        try:
            lows, highs = ([float(one) for one in _each(f"{name}: {word}", given, count)]
                           for word, given in (("low", low), ("high", high)))
        except UsageError:
            raise
        except (TypeError, ValueError) as problem:
            raise UsageError(f"{name}: low and high are numbers, or a list with one for each tensor ({problem})") from None
        self._told = list(zip(lows, highs, shapes, dtypes))

    def draw(self, random: np.random.RandomState) -> list[np.ndarray]:
        return [np.asarray(random.uniform(low, high, shape)).astype(dtype) for low, high, shape, dtype in self._told]


class Dummy:
    """Random samples; the first size of `shape` is their number. With `label` each is a pair, whose label is 0.

    >>> image, label = Datasets("onnxrt_qlinearops")["dummy"](shape=(100, 3, 8, 8))[0]
    >>> image.shape, label
    ((3, 8, 8), 0)
    """

    def __init__(self, shape: Any, low: Any = -128.0, high: Any = 127.0, dtype: Any = "float32", label: bool = True,
                 transform: Any = None, filter: Any = None):
        _ignore("dummy", transform, filter)
        shapes = _shapes("dummy: shape", shape)
        if any(not one for one in shapes) or len({one[0] for one in shapes}) != 1:
            raise UsageError(f"dummy: shape: {shape!r} has no one number of samples; let the first size of each tensor be it")
        tensors = _Drawn("dummy", shapes, low, high, dtype).draw(np.random.RandomState(SEED))
        self.dataset: Any = tensors[0] if len(tensors) == 1 else list(zip(*tensors))
        self.label = label

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        return (self.dataset[index], 0) if self.label else self.dataset[index]


class DummyV2:
    """Random samples of `input_shape`, with labels of `label_shape` where it is given. The predecessor's has no end; of this one
    the first 100 are drawn, as many as calibrate by default.

    >>> samples = Datasets("onnxruntime")["dummy_v2"](input_shape=(3, 8, 8), label_shape=(1,), low=[0.0, 0.0], high=[1.0, 10.0])
    >>> image, label = next(iter(samples))
    >>> image.shape, label.shape, len(samples)
    ((3, 8, 8), (1,), 100)
    """

    SIZE = 100

    def __init__(self, input_shape: Any, label_shape: Any = None, low: Any = -128.0, high: Any = 127.0, dtype: Any = "float32",
                 transform: Any = None, filter: Any = None):
        _ignore("dummy_v2", transform, filter)
        inputs = _shapes("dummy_v2: input_shape", input_shape)
        labels = [] if label_shape is None else _shapes("dummy_v2: label_shape", label_shape)
        self._inputs = len(inputs)
        self._drawn = _Drawn("dummy_v2", inputs + labels, low, high, dtype)

    def __len__(self) -> int:
        return self.SIZE

    def __iter__(self) -> Iterator[Any]:
        random = np.random.RandomState(SEED)
        for _ in range(self.SIZE):
            tensors = self._drawn.draw(random)
            inputs, labels = (one[0] if len(one) == 1 else one for one in (tensors[:self._inputs], tensors[self._inputs:]))
            yield (inputs, labels) if len(tensors) > self._inputs else inputs
