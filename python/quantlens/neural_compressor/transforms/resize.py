# SPDX-License-Identifier: Apache-2.0
"""Resizing as OpenCV defines it: pixels are squares whose centers are halfway, and what is beyond the edge is the edge. Nothing
is smoothed before but by "area". Sums are in double; integers are rounded, so bytes may be 1 away from OpenCV's, which sums them
in fixed point."""
from __future__ import annotations

import numpy as np

CUBIC = -0.75  # the slope that OpenCV takes


def resized(image: np.ndarray, height: int, width: int, method: str) -> np.ndarray:
    """[height, width] or [height, width, channels], of the image's dtype."""
    is_smaller = image.shape[0] >= height and image.shape[1] >= width
    if method == "area" and not is_smaller:
        method = "enlarged area"
    made: np.ndarray = image
    for axis, size in ((0, height), (1, width)):
        made = _along(made, axis, *_taps(image.shape[axis], size, method))
    if image.dtype.kind in "ui":
        limits = np.iinfo(image.dtype)
        made = np.clip(np.rint(made), limits.min, limits.max)
    return made.astype(image.dtype)


def _along(image: np.ndarray, axis: int, at: np.ndarray, weights: np.ndarray) -> np.ndarray:
    shape = tuple(-1 if one == axis else 1 for one in range(image.ndim))
    if weights.shape[1] == 1:
        return image.take(at[:, 0], axis)
    made = np.zeros((*image.shape[:axis], len(at), *image.shape[axis + 1:]))
    for tap in range(at.shape[1]):
        made += image.take(at[:, tap], axis) * weights[:, tap].reshape(shape)
    return made


def _taps(length: int, size: int, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Of each pixel of the result: which pixels it is made of, and how much of each."""
    scale, to = length / size, np.arange(size)[:, np.newaxis]
    if method == "nearest":
        at, weights = np.floor(to * scale), np.ones((size, 1))
    elif method == "area":
        at = np.floor(to * scale + 1e-9) + np.arange(int(np.ceil(scale)) + 1)
        shared = np.minimum(at + 1, (to + 1) * scale) - np.maximum(at, to * scale)
        weights = np.maximum(shared, 0) / scale
    else:
        center = (to + 0.5) * scale - 0.5
        low = np.floor(center)
        part = center - low
        if method == "enlarged area":
            low = np.floor(to * scale)
            part = np.maximum(to + 1 - (low + 1) / scale, 0) % 1
        if method == "bicubic":
            at = low + np.arange(-1, 3)
            weights = _cubic(np.abs(center - at))
        else:
            at, weights = low + np.arange(2), np.concatenate([1 - part, part], axis=1)
    return np.clip(at, 0, length - 1).astype(np.intp), weights


def _cubic(away: np.ndarray) -> np.ndarray:
    near = ((CUBIC + 2) * away - (CUBIC + 3)) * away * away + 1
    far = ((CUBIC * away - 5 * CUBIC) * away + 8 * CUBIC) * away - 4 * CUBIC
    return np.where(away <= 1, near, np.where(away < 2, far, 0.0))
