# SPDX-License-Identifier: Apache-2.0
"""Datasets of image files. A file is read when its sample is asked for."""
from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import _core
from ...errors import BadInput, IoError, NotFound
from .samples import Dataset, Filter, Transform

logger = logging.getLogger("neural_compressor")
LABELS = ("val.txt", "val_map.txt")  # that are looked for beside the images


class _Files(Dataset):
    """Of files with labels, `image_list`: RGB, whatever the file has."""

    def __init__(self, image_list: list[tuple[str, int]], transform: Transform | None, filter: Filter | None):
        super().__init__(transform, filter)
        self.image_list = image_list

    def _count(self) -> int:
        return len(self.image_list)

    def _read(self, index: int) -> tuple[np.ndarray, int]:
        path, label = self.image_list[index]
        return _core.read_image(os.fsencode(path)), label


def _visible(folder: str) -> list[os.DirEntry[str]]:
    """Sorted by name."""
    try:
        with os.scandir(folder) as entries:
            return sorted((one for one in entries if not one.name.startswith(".")), key=lambda one: one.name)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{folder}: no such folder; check the path") from None
    except OSError as problem:
        raise IoError(f"{folder}: cannot list the folder: {problem.strerror}; check its permissions") from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


class ImageFolder(_Files):
    """Images in a folder for each class. The label is the number of the class's folder among those of `root`, sorted by name.
    What begins with a dot is left out; so are files beside the folders, which the predecessor counted as classes.

    >>> images = Datasets("onnxrt_qlinearops")["ImageFolder"](root="pets")
    >>> images.classes, len(images)
    (['cat', 'dog'], 3)
    >>> image, label = images[2]
    >>> image.shape, str(image.dtype), label
    ((6, 8, 3), 'uint8', 1)
    """

    def __init__(self, root: Any, transform: Transform | None = None, filter: Filter | None = None):
        self.root = os.fsdecode(root)
        folders = [one for one in _visible(self.root) if _is_folder(one)]
        self.classes = [one.name for one in folders]
        found = [(image.path, label) for label, folder in enumerate(folders) for image in _visible(folder.path)]
        if not found:
            raise BadInput(f"{self.root}: has no folders with images; put those of a class into a folder of its name")
        super().__init__(found, transform, filter)


class Imagenet(ImageFolder):
    """An `ImageFolder` in the folder `subset` of `root`; `num_cores` has no effect, as in the predecessor.

    >>> len(Datasets("onnxrt_qlinearops")["Imagenet"](root=".", subset="pets"))
    3
    """

    def __init__(self, root: Any, subset: str = "val", num_cores: int = 28, transform: Transform | None = None,
                 filter: Filter | None = None):
        super().__init__(os.path.join(os.fsdecode(root), subset), transform, filter)


class ImagenetRaw(_Files):
    """Images that a file lists: lines of a name, relative to `data_path`, and the label. Without `image_list` it is val.txt in
    `data_path`, or val_map.txt. Images that are not there are left out, and counted in a warning.

    >>> images = Datasets("onnxrt_qlinearops")["ImagenetRaw"](data_path="pets", image_list="pets.txt")
    >>> [label for image, label in images]
    [281, 281, 207]
    """

    def __init__(self, data_path: Any, image_list: Any = None, transform: Transform | None = None, filter: Filter | None = None):
        self.data_path = os.fsdecode(data_path)
        listed = os.fsdecode(image_list) if image_list is not None else _beside(self.data_path)
        every = list(_lines(listed, self.data_path))
        found = [one for one in every if os.path.exists(one[0])]
        if not found:
            raise NotFound(f"{listed}: none of its {len(every)} images is in {self.data_path}; check both paths")
        if len(found) < len(every):
            logger.warning("%s: %d of its %d images are not in %s and left out", listed, len(every) - len(found), len(every),
                           self.data_path)
        super().__init__(found, transform, filter)


def _beside(folder: str) -> str:
    for name in LABELS:
        if os.path.isfile(path := os.path.join(folder, name)):
            return path
    raise NotFound(f"{folder}: has neither {' nor '.join(LABELS)}; give image_list, a file with lines like 'cat.jpg 281'")


def _lines(path: str, folder: str) -> Iterator[tuple[str, int]]:
    """The images below the folder, and their labels."""
    if not os.path.isfile(path):
        raise NotFound(f"{path}: no such file; give image_list, a file with lines like 'cat.jpg 281'")
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    name, label = _parsed(line, f"{path}:{number}")
                    yield os.path.join(folder, name), label
    except OSError as problem:
        raise IoError(f"{path}: cannot be read: {problem.strerror}; check its permissions") from None


def _parsed(line: str, where: str) -> tuple[str, int]:
    parts = line.strip().rsplit(None, 1)
    if len(parts) != 2 or not re.fullmatch("[+-]?[0-9]{1,18}", parts[1]):
        raise BadInput(f"{where}: {line.strip()[:60]!r} is no name and label; a line is like 'cat.jpg 281'")
    name, label = parts
    if os.path.isabs(name) or ".." in name.split("/") or "\0" in name:  # the list may be somebody else's
        raise BadInput(f"{where}: {name[:60]!r} is not inside the images' folder; name files below it")
    return name, int(label)
