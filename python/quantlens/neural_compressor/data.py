# SPDX-License-Identifier: Apache-2.0
"""`data.DataLoader` and `data.Datasets`, as far as ONNX scripts use them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import UsageError


class DataLoader:
    """Batches of a dataset of (input, label), anew for each iteration."""

    def __init__(self, framework: str = "onnxruntime", dataset: Any = None, batch_size: int = 1, collate_fn: Any = None,
                 last_batch: str = "rollover", shuffle: bool = False, **rest: Any):
        if dataset is None:
            raise UsageError("DataLoader: give a dataset")
        self.dataset, self.batch_size, self._collate = dataset, batch_size, collate_fn or _collate
        self._drops_last = last_batch == "discard"

    def __iter__(self) -> Iterator[Any]:
        items: list[Any] = []
        for item in self._items():
            items.append(item)
            if len(items) == self.batch_size:
                yield self._collate(items)
                items = []
        if items and not self._drops_last:
            yield self._collate(items)

    def _items(self) -> Iterator[Any]:
        if hasattr(self.dataset, "__len__"):
            for index in range(len(self.dataset)):
                yield self.dataset[index]
        else:
            yield from self.dataset

    def __len__(self) -> int:
        return -(-len(self.dataset) // self.batch_size)


def _collate(items: list[Any]) -> Any:
    """Like nested values stacked along a new first axis."""
    first = items[0]
    if isinstance(first, dict):
        return {name: _collate([item[name] for item in items]) for name in first}
    if isinstance(first, (tuple, list)):
        return tuple(_collate([item[at] for item in items]) for at in range(len(first)))
    return None if first is None else np.stack([np.asarray(item) for item in items])


class _Dummy:
    """Random samples of these shapes, without the batch's axis."""

    def __init__(self, shape: Any, low: float = 0.0, high: float = 1.0, dtype: str = "float32", label: bool = True, **rest: Any):
        random = np.random.default_rng(1978)
        self._data = random.uniform(low, high, tuple(shape)).astype(dtype)
        self._has_label = label

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, index: int) -> Any:
        return (self._data[index], 0) if self._has_label else self._data[index]


class Datasets:
    """`Datasets("onnxrt_qlinearops")["dummy"](shape=(100, 3, 224, 224))`."""

    def __init__(self, framework: str = "onnxrt_qlinearops"):
        self.framework = framework

    def __getitem__(self, kind: str) -> Any:
        if kind not in ("dummy", "dummy_v2"):
            raise UsageError(f"Datasets: there is no {kind!r} here; use a folder of images by quantlens (docs/data.md)")
        return _Dummy
