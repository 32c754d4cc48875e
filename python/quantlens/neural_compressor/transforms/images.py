# SPDX-License-Identifier: Apache-2.0
"""What is done with images before a model takes them. An image is [height, width, channels] or [height, width]."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import UsageError, Unsupported
from .resize import resized

METHODS = ("nearest", "bilinear", "bicubic")
BY_NUMBER = ("nearest", "bilinear", "bicubic", "area")  # as OpenCV numbers them
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64")
SIDE = 1 << 15  # the longest that is made
GREY = np.array([9798, 19235, 3735])  # of 32,768: what OpenCV makes of red, green and blue


class BaseTransform:
    """Made as a base of transforms: `__call__` takes a sample (image, label) and gives one."""

    name = ""

    def __call__(self, sample: Any) -> Any:
        image, label = self._pair(sample)
        return self._of(self._image(image)), label

    def _of(self, image: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} has no __call__")

    def _wrong(self, told: str) -> UsageError:
        return UsageError(f"{self.name}: {told}")

    def _pair(self, sample: Any) -> tuple[Any, Any]:
        if not isinstance(sample, (tuple, list)) or len(sample) != 2:
            raise self._wrong(f"{type(sample).__name__} is no sample; give (image, label)")
        return sample[0], sample[1]

    def _image(self, given: Any) -> np.ndarray:
        try:
            image = np.asarray(given)
        except ValueError:
            image = np.zeros(0)
        if image.ndim not in (2, 3) or not image.size or image.dtype.kind not in "biuf":
            raise self._wrong(f"an array of shape {image.shape} and {image.dtype} is no image; give numbers [height, width, "
                              "channels]")
        return image

    def _side(self, word: str, given: Any, least: int = 1) -> int:
        if not isinstance(given, (int, np.integer)) or isinstance(given, bool) or not least <= given <= SIDE:
            raise self._wrong(f"{word}: {given!r} is no number of pixels; give one from {least} to {SIDE:,}")
        return int(given)

    def _sides(self, given: Any) -> tuple[int, int]:
        """Of one number, or of a list of one or two."""
        sides = list(given) if isinstance(given, (list, tuple)) and len(given) in (1, 2) else [given]
        return self._side("size", sides[0]), self._side("size", sides[-1])

    def _method(self, given: Any) -> str:
        if given not in METHODS:
            raise self._wrong(f"interpolation: there is no {given!r}; known: {', '.join(METHODS)}")
        return str(given)

    def _numbers(self, word: str, given: Any) -> np.ndarray:
        try:
            made = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            made = np.zeros(0)
        if made.ndim > 1 or not made.size or not np.isfinite(made).all():
            raise self._wrong(f"{word}: {given!r} are no numbers; give one for each channel")
        return made

    def _for_channels(self, word: str, numbers: np.ndarray, image: np.ndarray) -> np.ndarray:
        if numbers.size not in (1, image.shape[-1]):
            raise self._wrong(f"{word} has {numbers.size} numbers for {image.shape[-1]} channels; give one for each")
        return numbers

    def _cut(self, image: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
        if top + height > image.shape[0] or left + width > image.shape[1] or min(top, left) < 0:
            raise self._wrong(f"{height} x {width} pixels from row {top} and column {left} on are not inside an image of "
                              f"{image.shape[0]} x {image.shape[1]}; resize it first")
        return image[top:top + height, left:left + width]

    def _center(self, image: np.ndarray, height: int, width: int) -> np.ndarray:
        return self._cut(image, (image.shape[0] - height) // 2, (image.shape[1] - width) // 2, height, width)


class ComposeTransform(BaseTransform):
    """Several, one after the other.

    >>> to_model = TRANSFORMS("onnxrt_qlinearops", "general")["Compose"]([
    ...     TRANSFORMS("onnxrt_qlinearops", "preprocess")["Rescale"](),
    ...     TRANSFORMS("onnxrt_qlinearops", "preprocess")["Transpose"](perm=[2, 0, 1])])
    >>> image, label = to_model((np.full((4, 6, 3), 51, np.uint8), 7))
    >>> image.shape, round(float(image.max()), 3), label
    ((3, 4, 6), 0.2, 7)
    """

    name = "Compose"

    def __init__(self, transform_list: Sequence[Callable[[Any], Any]]):
        if not isinstance(transform_list, (list, tuple)) or not all(map(callable, transform_list)):
            raise self._wrong("takes a list of transforms; give objects, as TRANSFORMS(...)[NAME]() makes them")
        self.transform_list = list(transform_list)

    def __call__(self, sample: Any) -> Any:
        for transform in self.transform_list:
            sample = transform(sample)
        return sample


class Cast(BaseTransform):
    """The image in another dtype."""

    name = "Cast"

    def __init__(self, dtype: str = "float32"):
        if dtype not in DTYPES:
            raise self._wrong(f"dtype: there is no {dtype!r}; known: {', '.join(DTYPES)}")
        self.dtype = dtype

    def __call__(self, sample: Any) -> Any:
        image, label = self._pair(sample)
        return np.asarray(image).astype(self.dtype), label


class ToArray(BaseTransform):
    """An array of an image of Pillow; arrays pass."""

    name = "ToArray"

    def _of(self, image: np.ndarray) -> np.ndarray:
        return image


class Rescale(BaseTransform):
    """0 to 255 become 0 to 1, in float32."""

    name = "Rescale"

    def _of(self, image: np.ndarray) -> np.ndarray:
        return image.astype(np.float32) / np.float32(255)


class Normalize(BaseTransform):
    """Less `mean`, over `std`, which have a number for each channel. The result is in double, as the predecessor's.

    >>> normalize = TRANSFORMS("onnxrt_qlinearops", "preprocess")["Normalize"](mean=[0.5, 0.5, 0.5], std=[0.5, 0.5, 0.25])
    >>> normalize((np.ones((1, 1, 3), np.float32), 0))[0].tolist()
    [[[1.0, 1.0, 2.0]]]
    """

    name = "Normalize"

    def __init__(self, mean: Any = (0.0,), std: Any = (1.0,)):
        self.mean, self.std = self._numbers("mean", mean), self._numbers("std", std)
        if (self.std < 1e-6).any():
            raise self._wrong("std: has a number that is not above 0; give one for each channel")

    def _of(self, image: np.ndarray) -> np.ndarray:
        return (image - self._for_channels("mean", self.mean, image)) / self._for_channels("std", self.std, image)


class Transpose(BaseTransform):
    """The axes in another order: [2, 0, 1] has the channels first."""

    name = "Transpose"

    def __init__(self, perm: Any):
        if not isinstance(perm, (list, tuple)) or sorted(map(str, perm)) != [str(one) for one in range(len(perm))]:
            raise self._wrong(f"perm: {perm!r} is no order of axes; give one like [2, 0, 1]")
        self.perm = [int(one) for one in perm]

    def _of(self, image: np.ndarray) -> np.ndarray:
        if image.ndim != len(self.perm):
            raise self._wrong(f"perm: has {len(self.perm)} axes for an image of {image.ndim}; give one for each")
        return image.transpose(self.perm)


class AlignImageChannel(BaseTransform):
    """Grey to `dim` equal channels, or RGB of RGBA, or grey of RGB."""

    name = "AlignImageChannel"

    def __init__(self, dim: int = 3):
        if dim not in (1, 2, 3, 4):
            raise self._wrong(f"dim: {dim!r} is no number of channels; give one from 1 to 4")
        self.dim = int(dim)

    def _of(self, image: np.ndarray) -> np.ndarray:
        if image.ndim == 2:
            return np.stack([image] * self.dim, axis=-1)
        if image.shape[-1] == self.dim:
            return image
        if (image.shape[-1], self.dim) == (4, 3):
            return image[..., :3]
        if (image.shape[-1], self.dim) != (3, 1):
            raise self._wrong(f"makes no {self.dim} channels of {image.shape[-1]}; give a transform of your own")
        if image.dtype.kind in "iu":
            return (((image.astype(np.int64) @ GREY) + (1 << 14)) >> 15).astype(image.dtype)[..., np.newaxis]
        return (image @ np.array([0.299, 0.587, 0.114])).astype(image.dtype)[..., np.newaxis]


class CenterCrop(BaseTransform):
    """The middle: `size` is a number, or [height, width].

    >>> crop = TRANSFORMS("onnxrt_qlinearops", "preprocess")["CenterCrop"](size=[2, 4])
    >>> crop((np.zeros((6, 6, 3)), 1))[0].shape
    (2, 4, 3)
    """

    name = "CenterCrop"

    def __init__(self, size: Any):
        self.height, self.width = self._sides(size)

    def _of(self, image: np.ndarray) -> np.ndarray:
        return self._center(image, self.height, self.width)


class CropToBoundingBox(BaseTransform):
    """What is inside the box."""

    name = "CropToBoundingBox"

    def __init__(self, offset_height: int, offset_width: int, target_height: int, target_width: int):
        self.offset_height = self._side("offset_height", offset_height, 0)
        self.offset_width = self._side("offset_width", offset_width, 0)
        self.target_height = self._side("target_height", target_height)
        self.target_width = self._side("target_width", target_width)

    def _of(self, image: np.ndarray) -> np.ndarray:
        return self._cut(image, self.offset_height, self.offset_width, self.target_height, self.target_width)


class Resize(BaseTransform):
    """`size` is a number, or [width, height] as the predecessor had it.

    >>> resize = TRANSFORMS("onnxrt_qlinearops", "preprocess")["Resize"](size=[4, 2])
    >>> resize((np.zeros((6, 6, 3), np.uint8), 1))[0].shape
    (2, 4, 3)
    """

    name = "Resize"

    def __init__(self, size: Any, interpolation: str = "bilinear"):
        (self.width, self.height), self.interpolation = self._sides(size), self._method(interpolation)

    def _of(self, image: np.ndarray) -> np.ndarray:
        made = resized(image, self.height, self.width, self.interpolation)
        return made if made.ndim == 3 else made[..., np.newaxis]


class CropResize(Resize):
    """What is inside the box from column x and row y on, resized."""

    name = "CropResize"

    def __init__(self, x: int, y: int, width: int, height: int, size: Any, interpolation: str = "bilinear"):
        super().__init__(size, interpolation)
        self._box = (self._side("y", y, 0), self._side("x", x, 0), self._side("height", height), self._side("width", width))

    def _of(self, image: np.ndarray) -> np.ndarray:
        return super()._of(self._cut(image, *self._box))


class BilinearImagenet(BaseTransform):
    """The middle share `central_fraction` of each side, resized; 0 to 255 become -1 to 1, then less `mean_value`, times
    `scale`."""

    name = "BilinearImagenet"

    def __init__(self, height: int, width: int, central_fraction: float = 0.875, mean_value: Any = (0.0, 0.0, 0.0),
                 scale: float = 1.0):
        self.height, self.width = self._side("height", height), self._side("width", width)
        self.mean_value, self.scale = self._numbers("mean_value", mean_value), self._numbers("scale", scale)
        if not isinstance(central_fraction, (int, float)) or not 0 < central_fraction <= 1:
            raise self._wrong(f"central_fraction: {central_fraction!r} is no share; give one above 0, up to 1")
        self.central_fraction = central_fraction

    def _of(self, image: np.ndarray) -> np.ndarray:
        top, left = (int((side - side * self.central_fraction) / 2) for side in image.shape[:2])
        inside = image[top:image.shape[0] - top, left:image.shape[1] - left].astype(np.float32) / np.float32(255)
        made = (resized(inside, self.height, self.width, "bilinear") - np.float32(0.5)) * np.float32(2)
        return ((made - self._for_channels("mean_value", self.mean_value, made)) * self.scale).astype(np.float32)


class ResizeCropImagenet(BaseTransform):
    """The shorter side becomes `resize_side`, then the middle is cut out; 0 to 255 become 0 to 1, less `mean_value`, over
    `std_value`, with the channels first. As in the predecessor, an image that is no square is resized to the turned
    shape: a wide one becomes a high one.

    >>> prepare = TRANSFORMS("onnxrt_qlinearops", "preprocess")["ResizeCropImagenet"](height=8, width=8, resize_side=10)
    >>> image, label = prepare((np.zeros((20, 30, 3), np.uint8), 5))
    >>> image.shape, str(image.dtype), label
    ((3, 8, 8), 'float32', 5)
    """

    name = "ResizeCropImagenet"

    def __init__(
        self, height: int, width: int, random_crop: bool = False, resize_side: int = 256, mean_value: Any = (0.0, 0.0, 0.0),
        std_value: Any = (0.229, 0.224, 0.225), resize_method: str = "bilinear", data_format: str = "channels_last",
        subpixels: str = "RGB",
    ):
        if random_crop:
            raise Unsupported("ResizeCropImagenet: random_crop gives another image each time, so that two models would see "
                              "different ones; leave it out")
        for word, given, usual in (("resize_method", resize_method, "bilinear"), ("data_format", data_format, "channels_last"),
                                   ("subpixels", subpixels, "RGB")):
            if given != usual:
                raise self._wrong(f"{word} never had an effect on ONNX models and has none here; leave it out")
        self.height, self.width, self.resize_side = (self._side(word, given) for word, given in (
            ("height", height), ("width", width), ("resize_side", resize_side)))
        self.mean_value, self.std_value = self._numbers("mean_value", mean_value), self._numbers("std_value", std_value)
        if (self.std_value == 0).any():
            raise self._wrong("std_value: has a 0; give a number for each channel")

    def _of(self, image: np.ndarray) -> np.ndarray:
        scale = self.resize_side / min(image.shape[:2])
        height, width = (self._side("the resized side", int(side * scale)) for side in image.shape[:2])
        made = self._center(resized(image, width, height, "bilinear") / 255.0, self.height, self.width)
        if made.ndim == 2 or made.shape[-1] == 1:
            made = np.stack([made.reshape(made.shape[:2])] * 3, axis=-1)
        made = made - self._for_channels("mean_value", self.mean_value, made)
        made = made / self._for_channels("std_value", self.std_value, made)
        return made.astype(np.float32).transpose(2, 0, 1)


class ResizeWithAspectRatio(BaseTransform):
    """Resized so that a crop of `height` and `width` is `scale` percent of the shorter side. `inter_pol` is OpenCV's number: 0
    nearest, 1 bilinear, 2 bicubic, 3 area."""

    name = "ResizeWithAspectRatio"

    def __init__(self, height: int, width: int, scale: float = 87.5, inter_pol: int = 3):
        self.height, self.width = self._side("height", height), self._side("width", width)
        if not isinstance(scale, (int, float)) or not scale > 0:
            raise self._wrong(f"scale: {scale!r} is no percentage; give one above 0")
        if inter_pol not in range(len(BY_NUMBER)):
            raise self._wrong(f"inter_pol: there is no {inter_pol!r}; known: 0 nearest, 1 bilinear, 2 bicubic, 3 area")
        self.scale, self.inter_pol = scale, int(inter_pol)

    def _of(self, image: np.ndarray) -> np.ndarray:
        height, width = image.shape[:2]
        low, across = int(100.0 * self.height / self.scale), int(100.0 * self.width / self.scale)
        tall, wide = (int(low * height / width), across) if height > width else (low, int(across * width / height))
        return resized(image, self._side("the resized height", tall), self._side("the resized width", wide),
                       BY_NUMBER[self.inter_pol])


class LabelShift(BaseTransform):
    """The label less `label_shift`; of (outputs, labels), as it stands behind a model.

    >>> shift = TRANSFORMS("onnxrt_qlinearops", "postprocess")["LabelShift"](label_shift=1)
    >>> shift(("answers", [3, 4]))
    ('answers', [2, 3])
    """

    name = "LabelShift"

    def __init__(self, label_shift: int = 0):
        if not isinstance(label_shift, (int, float, np.number)):
            raise self._wrong(f"label_shift: {label_shift!r} is no number; give how much labels are above the classes")
        self.label_shift = label_shift

    def __call__(self, sample: Any) -> Any:
        images, labels = self._pair(sample)
        try:
            return images, self._shifted(labels)
        except (TypeError, ValueError) as problem:
            raise self._wrong(f"labels are no numbers ({problem}); give numbers of classes") from None

    def _shifted(self, labels: Any) -> Any:
        if not isinstance(labels, list):
            return np.asarray(labels) - self.label_shift
        return [tuple(one - self.label_shift for one in label) if isinstance(label, tuple) else label - self.label_shift
                for label in labels]
