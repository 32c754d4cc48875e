# SPDX-License-Identifier: Apache-2.0
"""`data.DataLoader`, `data.Datasets` and `data.TRANSFORMS`, as far as ONNX scripts use them."""
from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import UsageError, Unsupported
from .datasets.cifar import CIFAR10, CIFAR100
from .datasets.digits import MNIST, FashionMNIST
from .datasets.dummies import Dummy, DummyV2
from .datasets.images import ImageFolder, Imagenet, ImagenetRaw
from .frameworks import OTHERS, known
from .transforms import TRANSFORMS, BaseTransform, ComposeTransform, LabelShift, transform_registry

logger = logging.getLogger("neural_compressor")
KINDS: dict[str, Callable[..., Any]] = {
    "CIFAR10": CIFAR10, "CIFAR100": CIFAR100, "FashionMNIST": FashionMNIST, "ImageFolder": ImageFolder, "Imagenet": Imagenet,
    "ImagenetRaw": ImagenetRaw, "MNIST": MNIST, "dummy": Dummy, "dummy_v2": DummyV2,
}
NOT_HERE = ("COCONpy", "COCORaw", "GLUE", "sparse_dummy_v2")  # that the predecessor had for ONNX models


class DataLoader:
    """Batches of a dataset of (input, label), in its order and anew for each iteration. A dataset has `__getitem__` and
    `__len__`, or `__iter__`. Batches are the same for all frameworks. The last one may be smaller: "discard" leaves it out,
    "rollover" does not. num_workers and pin_memory have no effect, as in the predecessor.

    >>> samples = Datasets("onnxruntime")["dummy"](shape=(10, 3, 8, 8))
    >>> loader = DataLoader("onnxruntime", samples, batch_size=4, last_batch="discard")
    >>> len(loader), [inputs.shape for inputs, labels in loader]
    (2, [(4, 3, 8, 8), (4, 3, 8, 8)])
    """

    def __init__(
        self, framework: str = "onnxruntime", dataset: Any = None, batch_size: int = 1,
        collate_fn: Callable[[list[Any]], Any] | None = None, last_batch: str = "rollover", sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, pin_memory: bool = False, shuffle: bool = False,
        distributed: bool = False,
    ):
        known("DataLoader", framework)
        if not hasattr(dataset, "__getitem__") and not hasattr(dataset, "__iter__"):
            raise UsageError("DataLoader: give a dataset, with __getitem__ and __len__, or with __iter__")
        for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if given is not None:
                raise UsageError(f"DataLoader: {name} never had an effect on ONNX models and has none here; let the dataset "
                                 "give its samples in that order")
        if distributed:
            raise UsageError("DataLoader: distributed is not here; give each process its part of the data as a dataset")
        if shuffle:
            logger.warning("DataLoader: shuffle has no effect on ONNX models; samples come in the dataset's order")
        self.dataset, self.shuffle, self.distributed = dataset, shuffle, distributed
        self.collate_fn = collate_fn or _collate
        self.last_batch = last_batch
        self.batch(batch_size)

    def batch(self, batch_size: int, last_batch: str | None = None) -> None:
        """From now on, batches are so large."""
        if not isinstance(batch_size, (int, np.integer)) or batch_size < 1:
            raise UsageError(f"DataLoader: batch_size: {batch_size!r} is no number of samples; give one from 1")
        self.batch_size, self.last_batch = int(batch_size), last_batch or self.last_batch
        if self.last_batch not in ("rollover", "discard"):
            raise UsageError(f"DataLoader: last_batch: there is no {self.last_batch!r}; known: rollover, discard")

    @property
    def drop_last(self) -> bool:
        return self.last_batch == "discard"

    def __iter__(self) -> Iterator[Any]:
        items: list[Any] = []
        for item in self._items():
            items.append(item)
            if len(items) == self.batch_size:
                yield self.collate_fn(items)
                items = []
        if items and not self.drop_last:
            yield self.collate_fn(items)

    def _items(self) -> Iterator[Any]:
        if hasattr(self.dataset, "__getitem__") and hasattr(self.dataset, "__len__"):
            for index in range(len(self.dataset)):
                yield self.dataset[index]
        else:
            yield from self.dataset

    def __len__(self) -> int:
        size = len(self.dataset) if hasattr(self.dataset, "__len__") else sum(1 for _ in self.dataset)
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)


def _collate(items: list[Any]) -> Any:
    """Like nested values stacked along a new first axis; as a list where their shapes differ."""
    first = items[0]
    if isinstance(first, dict):
        return {name: _collate([item[name] for item in items]) for name in first}
    if isinstance(first, (tuple, list)):
        return tuple(_collate([item[at] for item in items]) for at in range(len(first)))
    if first is None:
        return None
    arrays = [np.asarray(item) for item in items]
    return np.stack(arrays) if len({one.shape for one in arrays}) == 1 else arrays


class Datasets:
    """The predecessor's datasets for ONNX models, by name: CIFAR10, CIFAR100, FashionMNIST, ImageFolder, Imagenet, ImagenetRaw,
    MNIST, dummy, dummy_v2.

    >>> images = Datasets("onnxrt_qlinearops")["ImageFolder"](root="pets", filter=lambda image, label: label == 0)
    >>> len(images)
    2
    """

    def __init__(self, framework: str = "onnxrt_qlinearops"):
        if known("Datasets", framework) in OTHERS:
            raise Unsupported(f"Datasets: those of {framework} are not here; name onnxruntime, or give a dataset of {framework} "
                              "itself as data")
        self.framework = framework

    def __getitem__(self, kind: str) -> Callable[..., Any]:
        if kind in NOT_HERE:
            raise Unsupported(f"Datasets: {kind} is not here; give a class of your own with __getitem__ and __len__")
        if kind not in KINDS:
            raise UsageError(f"Datasets: there is no {kind!r}; known: {', '.join(KINDS)}")
        return KINDS[kind]


__all__ = ["TRANSFORMS", "BaseTransform", "ComposeTransform", "DataLoader", "Datasets", "LabelShift", "transform_registry"]
