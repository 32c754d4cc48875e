# SPDX-License-Identifier: Apache-2.0
"""What all datasets of images have in common: filter, then transform."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import BadInput, UsageError

Transform = Callable[[Any], Any]  # of the pair (image, label), and gives one
Filter = Callable[[Any, Any], Any]  # of image and label: whether the sample stays


class Dataset:
    """Samples (image, label) by number: uint8 [height, width, channels] and an int, or what `transform` makes of both."""

    def __init__(self, transform: Transform | None = None, filter: Filter | None = None):
        self.transform, self.filter = transform, filter

    def _count(self) -> int:
        raise NotImplementedError

    def _read(self, index: int) -> tuple[np.ndarray, int]:
        raise NotImplementedError

    @cached_property
    def _kept(self) -> Sequence[int]:
        """A filter sees every image once, when the first sample is asked for."""
        every = range(self._count())
        if self.filter is None:
            return every
        kept = [index for index in every if self.filter(*self._read(index))]
        if not kept:
            raise UsageError(f"{type(self).__name__}: filter keeps none of the {len(every)} samples; let it give True for some")
        return kept

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image, label = self._read(self._kept[index])
        if self.transform is None:
            return image, label
        made = self.transform((image, label))
        if not isinstance(made, (tuple, list)) or len(made) != 2:
            raise UsageError(f"{type(self).__name__}: transform gave {type(made).__name__}; it takes (image, label) and gives "
                             "both back")
        return made[0], made[1]


def checked(images: np.ndarray, labels: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Raises where they are not as many, or none."""
    if len(images) != len(labels) or not len(images):
        raise BadInput(f"{where}: has {len(images)} images and {len(labels)} labels; get the files again")
    return images, labels
