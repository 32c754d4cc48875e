# SPDX-License-Identifier: Apache-2.0
"""CIFAR-10 and CIFAR-100: small enough to be held in memory."""
from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import BadInput, IoError, NotFound, UsageError
from .pickled import read_pickle
from .samples import Dataset, Filter, Transform, checked

MOST_BYTES = 1 << 28  # of a file; the largest one has 155 MB
SIDE = 32


class CIFAR10(Dataset):
    """Images, uint8 [32, 32, 3], and their labels: of the files of the archive for Python, in `root` or its folder
    cifar-10-batches-py. They are pickles, but nothing that they name is called. Nothing is downloaded.

    >>> images = Datasets("onnxrt_qlinearops")["CIFAR10"](root="cifar")
    >>> image, label = images[0]
    >>> image.shape, images.classes[label]
    ((32, 32, 3), 'cat')
    """

    folder, meta = "cifar-10-batches-py", "batches.meta"
    batches = {True: [f"data_batch_{number}" for number in range(1, 6)], False: ["test_batch"]}
    label_key, names_key, most_labels = "labels", "label_names", 10

    def __init__(self, root: Any, train: bool = False, transform: Transform | None = None, filter: Filter | None = None,
                 download: bool = True):
        super().__init__(transform, filter)
        self.root, self.train = os.fsdecode(root), bool(train)
        read = [self._batch(path) for path in self._paths()]
        self.data = np.concatenate([images for images, _ in read])
        self.targets = [int(label) for _, labels in read for label in labels]

    def _count(self) -> int:
        return len(self.data)

    def _read(self, index: int) -> tuple[np.ndarray, int]:
        return np.ascontiguousarray(self.data[index].reshape(3, SIDE, SIDE).transpose(1, 2, 0)), self.targets[index]

    @cached_property
    def classes(self) -> list[str]:
        """Read when it is asked for."""
        path = os.path.join(self._within, self.meta)
        names = read_pickle(_content(path), path).get(self.names_key)
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BadInput(f"{path}: has no {self.names_key}; unpack the archive again")
        return names

    @property
    def class_to_idx(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.classes)}

    def _paths(self) -> list[str]:
        names = self.batches[self.train]
        for self._within in (self.root, os.path.join(self.root, self.folder)):
            paths = [os.path.join(self._within, name) for name in names]
            if all(map(os.path.isfile, paths)):
                return paths
        raise UsageError(f"{self.root}: {type(self).__name__} is not there, and quantlens downloads nothing; put "
                         f"{', '.join(names)} and {self.meta} there, or their folder {self.folder}")

    def _batch(self, path: str) -> tuple[np.ndarray, np.ndarray]:
        told = read_pickle(_content(path), path)
        images, labels = told.get("data"), told.get(self.label_key)
        if not isinstance(images, np.ndarray) or images.ndim != 2 or images.shape[1] != 3 * SIDE * SIDE:
            raise BadInput(f"{path}: has no images of {SIDE} x {SIDE} pixels; unpack the archive again")
        if not isinstance(labels, list) or not all(type(label) is int and 0 <= label < self.most_labels for label in labels):
            raise BadInput(f"{path}: has no {self.label_key} from 0 to {self.most_labels - 1}; unpack the archive again")
        return checked(images, np.array(labels, np.int64), path)


class CIFAR100(CIFAR10):
    """As `CIFAR10` is, with the 100 fine labels; in `root` or its folder cifar-100-python.

    >>> len(Datasets("onnxrt_qlinearops")["CIFAR100"](root="cifar", train=True))
    2
    """

    folder, meta = "cifar-100-python", "meta"
    batches = {True: ["train"], False: ["test"]}
    label_key, names_key, most_labels = "fine_labels", "fine_label_names", 100


def _content(path: str) -> bytes:
    if not os.path.isfile(path):
        raise NotFound(f"{path}: no such file; unpack the archive again")
    try:
        if os.path.getsize(path) > MOST_BYTES:
            raise BadInput(f"{path}: is larger than any file of CIFAR; unpack the archive again")
        with open(path, "rb") as file:
            return file.read()
    except OSError as problem:
        raise IoError(f"{path}: cannot be read: {problem.strerror}; unpack the archive again") from None
