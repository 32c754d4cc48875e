# SPDX-License-Identifier: Apache-2.0
"""Transforms by name, and those that scripts register."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...errors import UsageError, Unsupported
from ..frameworks import ONNX, OTHERS, known
from . import images
from .images import BaseTransform

Class = TypeVar("Class")
PROCESSES = ("preprocess", "postprocess", "general")
KINDS: dict[str, dict[str, Callable[..., Any]]] = {
    "preprocess": {one.name: one for one in (
        images.AlignImageChannel, images.BilinearImagenet, images.CenterCrop, images.CropResize, images.CropToBoundingBox,
        images.Normalize, images.Rescale, images.Resize, images.ResizeCropImagenet, images.ResizeWithAspectRatio, images.ToArray,
        images.Transpose)},
    "postprocess": {"LabelShift": images.LabelShift},
    "general": {"Cast": images.Cast, "Compose": images.ComposeTransform},
}
RANDOM = ("RandomCrop", "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip")
NOT_HERE = ("ResizeWithRatio",)


class TRANSFORMS:
    """The predecessor's transforms for ONNX models, by name: of "preprocess", "postprocess", or "general", which both others
    have, too.

    >>> center = TRANSFORMS("onnxrt_qlinearops", "preprocess")["CenterCrop"](size=4)
    >>> image, label = center((np.zeros((6, 8, 3), np.uint8), 7))
    >>> image.shape, label
    ((4, 4, 3), 7)
    """

    def __init__(self, framework: str, process: str):
        if known("TRANSFORMS", framework) in OTHERS:
            raise Unsupported(f"TRANSFORMS: those of {framework} are not here; name onnxruntime, or take a transform of "
                              f"{framework} itself")
        self.framework, self.process = framework, _process("TRANSFORMS", process)

    @property
    def transforms(self) -> dict[str, Callable[..., Any]]:
        return {**KINDS[self.process], **KINDS["general"]}

    def __getitem__(self, transform_type: str) -> Callable[..., Any]:
        found = self.transforms
        if transform_type in found:
            return found[transform_type]
        if transform_type in RANDOM:
            raise Unsupported(f"TRANSFORMS: {transform_type} gives another image each time, so that two models would see "
                              "different ones, and is not here; take CenterCrop, or leave it out")
        if transform_type in NOT_HERE:
            raise Unsupported(f"TRANSFORMS: {transform_type} is of COCO's labels and not here; give a transform of your own")
        raise UsageError(f"TRANSFORMS: there is no {transform_type!r} for {self.process}; known: {', '.join(found)}")

    def register(self, name: str, transform_cls: Any) -> None:
        """Of all frameworks of ONNX Runtime; its name must be new."""
        if name in self.transforms or name in RANDOM + NOT_HERE:
            raise UsageError(f"TRANSFORMS: {name!r} is there already; give another name")
        KINDS[self.process][name] = transform_cls


def _process(who: str, process: str) -> str:
    if process not in PROCESSES:
        raise UsageError(f"{who}: process: there is no {process!r}; known: {', '.join(PROCESSES)}")
    return process


def transform_registry(transform_type: str, process: str, framework: str) -> Callable[[Class], Class]:
    """Registers the class that it decorates, as a transform of the frameworks, with commas between.

    >>> @transform_registry("Negative", "preprocess", "onnxrt_qlinearops, onnxrt_integerops")
    ... class Negative(BaseTransform):
    ...     def __call__(self, sample): return 255 - sample[0], sample[1]
    >>> TRANSFORMS("onnxrt_integerops", "preprocess")["Negative"]()((np.array([[55]]), 0))
    (array([[200]]), 0)
    """
    asked = [known("transform_registry", one.strip()) for one in framework.split(",")]
    if not any(one in ONNX for one in asked):
        raise Unsupported(f"transform_registry: transforms of {framework} are not here; name onnxruntime beside it")
    _process("transform_registry", process)

    def registered(transform_cls: Class) -> Class:
        TRANSFORMS("onnxruntime", process).register(transform_type, transform_cls)
        return transform_cls

    return registered


__all__ = ["TRANSFORMS", "BaseTransform", "transform_registry"]
