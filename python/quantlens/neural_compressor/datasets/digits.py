# SPDX-License-Identifier: Apache-2.0
"""MNIST and FashionMNIST: small enough to be held in memory."""
from __future__ import annotations

import gzip
import math
import os
import struct
import zipfile
from typing import IO, Any, cast

import numpy as np

from ...errors import BadInput, UsageError
from .samples import Dataset, Filter, Transform, checked

MOST_BYTES = 1 << 28  # of a file's numbers; MNIST has 47 MB


class MNIST(Dataset):
    """Grey images, uint8 [28, 28, 1], and their labels: of mnist.npz in `root`, or of the idx files, plain or as .gz, that MNIST
    is published as; also in the folder MNIST of `root` and in MNIST/raw. Nothing is downloaded.

    >>> digits = Datasets("onnxrt_qlinearops")["MNIST"](root="digits")
    >>> image, label = digits[1]
    >>> image.shape, label, digits.classes[label]
    ((28, 28, 1), 7, '7 - seven')
    """

    classes = ["0 - zero", "1 - one", "2 - two", "3 - three", "4 - four", "5 - five", "6 - six", "7 - seven", "8 - eight",
               "9 - nine"]
    archive = "mnist.npz"

    def __init__(self, root: Any, train: bool = False, transform: Transform | None = None, filter: Filter | None = None,
                 download: bool = True):
        super().__init__(transform, filter)
        self.root, self.train = os.fsdecode(root), bool(train)
        self.data, self.targets = self._loaded()

    def _count(self) -> int:
        return len(self.data)

    def _read(self, index: int) -> tuple[np.ndarray, int]:
        return self.data[index][..., np.newaxis].copy(), int(self.targets[index])

    @property
    def class_to_idx(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.classes)}

    def _loaded(self) -> tuple[np.ndarray, np.ndarray]:
        part = "train" if self.train else "t10k"
        pair = (f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte")
        for below in (".", type(self).__name__, os.path.join(type(self).__name__, "raw")):
            folder = os.path.normpath(os.path.join(self.root, below))
            if self.archive and os.path.isfile(path := os.path.join(folder, self.archive)):
                return _of_archive(path, "train" if self.train else "test")
            images, labels = (_plain_or_packed(os.path.join(folder, name)) for name in pair)
            if images and labels:
                return checked(read_idx(images, axes=3), read_idx(labels, axes=1), images)
        archive = f"{self.archive}, or " if self.archive else ""
        raise UsageError(f"{self.root}: {type(self).__name__} is not there, and quantlens downloads nothing; put "
                         f"{archive}{pair[0]} and {pair[1]}, plain or as .gz, there")


class FashionMNIST(MNIST):
    """As `MNIST` is, of pieces of clothing; idx files, in `root` or its folder FashionMNIST.

    >>> Datasets("onnxrt_qlinearops")["FashionMNIST"](root="digits").classes[7]
    'Sneaker'
    """

    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]
    archive = ""


def _plain_or_packed(path: str) -> str:
    """The one that is there; else nothing."""
    return next((one for one in (path, f"{path}.gz") if os.path.isfile(one)), "")


def _damaged(where: str, problem: str) -> BadInput:
    return BadInput(f"{where}: {problem}; get the file again")


def read_idx(path: str, axes: int) -> np.ndarray:
    """The bytes of an idx file, gzipped or not. Raises BadInput where it is not what its head says."""
    try:
        with open(path, "rb") as file:
            is_packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            return _idx(gzip.open(file) if is_packed else file, axes, path)
    except BadInput:
        raise
    except Exception as problem:  # whatever unpacking foreign bytes raises
        raise _damaged(path, f"cannot be read ({problem})") from None


def _idx(file: Any, axes: int, where: str) -> np.ndarray:
    head = file.read(4 + 4 * axes)
    if len(head) < 4 + 4 * axes or head[:4] != bytes((0, 0, 8, axes)):
        raise _damaged(where, f"is no idx file of bytes with {axes} axes")
    shape = struct.unpack(f">{axes}I", head[4:])
    count = math.prod(shape)
    if not 0 < count <= MOST_BYTES:
        raise _damaged(where, f"says that it has {' x '.join(map(str, shape))} numbers")
    content = file.read(count)
    if len(content) < count:
        raise _damaged(where, f"ends before the {count} numbers that its head says")
    if file.read(1):
        raise _damaged(where, f"goes on after the {count} numbers that its head says")
    return np.frombuffer(content, np.uint8).reshape(shape)


def _of_archive(path: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            images, labels = (_member(archive, f"{axis}_{part}.npy", path) for axis in "xy")
    except BadInput:
        raise
    except Exception as problem:  # whatever unpacking foreign bytes raises
        raise _damaged(path, f"cannot be read ({problem})") from None
    if images.dtype != np.uint8 or images.ndim != 3 or labels.dtype.kind not in "iu" or labels.ndim != 1:
        raise _damaged(path, f"x_{part} and y_{part} are no uint8 images with labels")
    return checked(images, labels, path)


def _member(archive: zipfile.ZipFile, name: str, where: str) -> np.ndarray:
    if name not in archive.namelist() or archive.getinfo(name).file_size > MOST_BYTES:
        raise _damaged(where, f"has no {name} of a size that is read")
    with archive.open(name) as member:
        return cast(np.ndarray, np.lib.format.read_array(cast("IO[bytes]", member), allow_pickle=False))
