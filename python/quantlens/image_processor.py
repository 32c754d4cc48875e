# SPDX-License-Identifier: Apache-2.0
"""An image as a model takes it, by the preprocessor_config.json that was exported with the model: the image processors of
Hugging Face whose steps are resize, center crop, rescale, normalize."""
from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np

from .errors import BadInput, NotFound, Unsupported
from .models import read_json

BILINEAR, BICUBIC = 2, 3  # as Pillow numbers them
HALF = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711],
        "do_convert_rgb": True}
ALL = {"do_resize": True, "do_center_crop": False, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True,
       "do_convert_rgb": False, "default_to_square": True, "crop_size": None}
SQUARE = {"height": 224, "width": 224}
CROPPED = {"do_center_crop": True, "crop_size": SQUARE, "default_to_square": False}

# What an absent key means: each kind of processor has defaults of its own.
DEFAULTS: dict[str, dict[str, Any]] = {
    "Bit": {**ALL, **CLIP, **CROPPED, "size": {"shortest_edge": 224}, "resample": BICUBIC},
    "CLIP": {**ALL, **CLIP, **CROPPED, "size": {"shortest_edge": 224}, "resample": BICUBIC},
    "ConvNext": {**ALL, **HALF, "default_to_square": False, "size": {"shortest_edge": 384}, "resample": None,
                 "crop_pct": 224 / 256},
    "DeiT": {**ALL, **HALF, "do_center_crop": True, "crop_size": SQUARE, "size": {"height": 256, "width": 256},
             "resample": BICUBIC},
    "MobileNetV1": {**ALL, **HALF, **CROPPED, "size": {"shortest_edge": 256}, "resample": BILINEAR},
    "MobileNetV2": {**ALL, **HALF, **CROPPED, "size": {"shortest_edge": 256}, "resample": BILINEAR},
    "Siglip": {**ALL, **HALF, "size": SQUARE, "resample": BICUBIC, "do_convert_rgb": True},
    "ViT": {**ALL, **HALF, "size": SQUARE, "resample": BILINEAR},
}
# Old files do not name the processor; then the model in config.json tells it.
BY_MODEL = {"bit": "Bit", "clip": "CLIP", "convnext": "ConvNext", "convnextv2": "ConvNext", "deit": "DeiT", "dinov2": "Bit",
            "mobilenet_v1": "MobileNetV1", "mobilenet_v2": "MobileNetV2", "resnet": "ConvNext", "siglip": "Siglip", "swin": "ViT",
            "swinv2": "ViT", "vit": "ViT"}
SAYS_NOTHING = {"image_processor_type", "feature_extractor_type", "processor_class", "_valid_processor_keys", "return_tensors",
                "device", "disable_grouping", "input_data_format", "do_reduce_labels", "reduce_labels"}


def is_image(value: Any) -> bool:
    return hasattr(value, "getbands") and hasattr(value, "resize")


def _unsupported(where: pathlib.Path, key: str, value: Any) -> Unsupported:
    return Unsupported(f"{where}: {key}: {json.dumps(value)} is not supported; give arrays")


def _kind_of(told: dict[str, Any], folder: pathlib.Path, where: pathlib.Path) -> str:
    name = told.get("image_processor_type") or told.get("feature_extractor_type")
    if name is None and (folder / "config.json").exists():
        model = read_json(folder / "config.json").get("model_type")
        if model in BY_MODEL:
            return BY_MODEL[model]
        raise Unsupported(f"{where}: names no image_processor_type, and that of the model '{model}' is not known; give arrays")
    kind = str(name)
    for ending in ("Fast", "Pil", "ImageProcessor", "FeatureExtractor"):
        kind = kind.removesuffix(ending)
    if kind not in DEFAULTS:
        raise Unsupported(f"{where}: {name} is none of the image processors that are known ({', '.join(DEFAULTS)}); give arrays")
    return kind


class ImageProcessor:
    """Of a folder. Raises for what its preprocessor asks beyond the known steps, by name."""

    def __init__(self, folder: pathlib.Path):
        where = folder / "preprocessor_config.json"
        if not where.exists():
            raise NotFound(f"{where}: no such file, which says how to prepare images; export it with the model, or give arrays")
        told = {key: value for key, value in read_json(where).items() if value is not None}
        known = DEFAULTS[_kind_of(told, folder, where)]
        self._told = {**known, **{key: value for key, value in told.items() if key in known}}
        unknown = {key: value for key, value in told.items() if key not in {*known, *SAYS_NOTHING} and value is not False}
        if unknown.get("data_format") == "channels_first":
            del unknown["data_format"]
        for key, value in unknown.items():
            raise _unsupported(where, key, value)
        if self._told["resample"] is None:
            raise Unsupported(f"{where}: does not say resample, whose default is not the same in all versions; add it")
        self._size = self._sides("size", self._told["default_to_square"], where)
        if "crop_pct" in known and "shortest_edge" not in self._size:
            raise _unsupported(where, "size", self._size)
        self._crop = self._sides("crop_size", True, where) if self._told["do_center_crop"] else {}

    def _sides(self, key: str, is_square: bool, where: pathlib.Path) -> dict[str, int]:
        given = self._told[key]
        if isinstance(given, int):
            given = {"height": given, "width": given} if is_square else {"shortest_edge": given}
        if isinstance(given, list) and len(given) == 2:
            given = dict(zip(("height", "width"), given))
        forms = ({"height", "width"}, {"shortest_edge"}) if key == "size" else ({"height", "width"},)
        if not isinstance(given, dict) or set(given) not in forms:
            raise _unsupported(where, key, given)
        return {side: int(value) for side, value in given.items()}

    def _resized(self, image: Any) -> Any:
        if "crop_pct" in self._told:
            edge = self._size["shortest_edge"]
            if edge >= 384:
                return image.resize((edge, edge), self._told["resample"])
            return _centered(_to_shortest(image, int(edge / self._told["crop_pct"]), self._told["resample"]), edge, edge)
        if "shortest_edge" in self._size:
            return _to_shortest(image, self._size["shortest_edge"], self._told["resample"])
        return image.resize((self._size["width"], self._size["height"]), self._told["resample"])

    def __call__(self, image: Any) -> np.ndarray:
        """[channels, height, width]; float32 where it is rescaled or normalized."""
        is_transparent = "A" in image.getbands() or "transparency" in image.info  # versions of transformers differ there
        if self._told["do_convert_rgb"] and not is_transparent:
            image = image.convert("RGB")
        if image.mode not in ("L", "RGB") or is_transparent:
            raise BadInput(f"the data: an image of mode {image.mode} is given; convert it, as by image.convert('RGB')")
        if self._told["do_resize"]:
            image = self._resized(image)
        if self._told["do_center_crop"]:
            image = _centered(image, self._crop["height"], self._crop["width"])
        pixels = np.asarray(image)
        pixels = pixels[np.newaxis] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
        if self._told["do_rescale"]:
            pixels = (pixels * float(self._told["rescale_factor"])).astype(np.float32)
        if self._told["do_normalize"]:
            mean, std = (np.array(self._told[key], np.float32).reshape(-1, 1, 1) for key in ("image_mean", "image_std"))
            if len(mean) not in (1, len(pixels)):
                raise BadInput(f"the data: an image of mode {image.mode} is given, but image_mean has {len(mean)} channels; "
                               "convert it, as by image.convert('RGB')")
            pixels = (pixels.astype(np.float32) - mean) / std
        return np.ascontiguousarray(pixels)


def _to_shortest(image: Any, edge: int, resample: int) -> Any:
    """Its shorter side becomes `edge`; their ratio stays."""
    longer = int(edge * max(image.size) / min(image.size))
    return image.resize((edge, longer) if image.width <= image.height else (longer, edge), resample)


def _centered(image: Any, height: int, width: int) -> Any:
    """The middle; where the image is smaller, zeros are around it."""
    top, left = (image.height - height) // 2, (image.width - width) // 2
    return image.crop((left, top, left + width, top + height))
