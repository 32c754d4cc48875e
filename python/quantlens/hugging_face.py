# SPDX-License-Identifier: Apache-2.0
"""What the preprocessors that lie beside an exported model make of images and texts."""
from __future__ import annotations

import pathlib
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .errors import BadInput, Unsupported, UsageError
from .image_processor import ImageProcessor, is_image
from .tokenizer import GIVES, Tokenizer

# Of two texts: what the model reads first and second, by the columns of GLUE.
PAIRS = (("sentence1", "sentence2"), ("premise", "hypothesis"), ("question1", "question2"), ("question", "sentence"),
         ("text", "text_pair"))


def _is_raw(value: Any) -> bool:
    return isinstance(value, str) or is_image(value)


class Preprocessor:
    """Makes inputs of a model of images and texts, by the files beside it. What is prepared already passes."""

    def __init__(self, model: str):
        self._model = model
        folder = pathlib.Path(model).absolute().parent
        known = ("preprocessor_config.json", "tokenizer.json", "config.json")
        self._folder = folder.parent if folder.name == "onnx" and not any((folder / name).exists() for name in known) else folder

    @cached_property
    def _inputs(self) -> dict[str, Any]:
        """The model's, as `inspect` tells them."""
        from . import verbs

        return {one.name: one for one in verbs.inspect(self._model).inputs}

    @cached_property
    def _image_processor(self) -> ImageProcessor:
        return ImageProcessor(self._folder)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        read = {name: self._inputs[name] for name in GIVES if name in self._inputs}
        if not read:
            raise Unsupported(f"the data: texts are given, but {self._model} reads none of {', '.join(GIVES)}; give arrays")
        sides = re.findall(r"[^\[\],\s]+", next(iter(read.values())).shape)
        length = int(sides[1]) if len(sides) == 2 and sides[1].isdigit() else None
        return Tokenizer(self._folder, length, {name: one.dtype for name, one in read.items()})

    def _of_image(self, image: Any, names: list[str]) -> dict[str, Any]:
        name = "pixel_values" if "pixel_values" in names else names[0] if len(names) == 1 else None
        if name is None:
            raise Unsupported(f"the data: which of the inputs {', '.join(names)} takes the image is not known; give a dict "
                              "of arrays by the names of inputs")
        return {name: self._image_processor(image)}

    def _made(self, given: Mapping[str, Any]) -> dict[str, Any]:
        images = {name: value for name, value in given.items() if is_image(value)}
        texts = {name: value for name, value in given.items() if isinstance(value, str)}
        made = {name: value for name, value in given.items() if name in self._inputs and not _is_raw(value)}
        wanted = [name for name in self._inputs if name not in GIVES and name not in made]
        if images and wanted:
            made.update(self._of_image(_chosen(images, "image"), wanted))
        if texts and not set(self._inputs) <= set(made):
            made.update(self._tokenizer(*_texts(texts)))
        missing = [name for name in self._inputs if name not in made]
        if missing:
            raise BadInput(f"the data: nothing in an item ({', '.join(given)}) gives the model's {', '.join(missing)}; add "
                           "arrays of these names")
        return made

    def __call__(self, given: Any) -> Any:
        """An item, with inputs that the model takes."""
        if isinstance(given, Mapping):
            if not any(map(_is_raw, given.values())):
                return given
            label = next((name for name in ("label", "labels") if name in given and name not in self._inputs), None)
            made = self._made({name: value for name, value in given.items() if name != label})
            return made if label is None else (made, given[label])
        if isinstance(given, (tuple, list)) and len(given) == 2 and _is_raw(given[0]) and not _is_raw(given[1]):
            return self._made({"": given[0]}), given[1]
        return self._made({"": given}) if _is_raw(given) else given


def _chosen(values: Mapping[str, Any], usual: str) -> Any:
    """The only one, or the one of the usual name."""
    if len(values) == 1:
        return next(iter(values.values()))
    if usual not in values:
        raise UsageError(f"the data: an item has several {usual}s ({', '.join(values)}); keep what the model reads, as by "
                         "dataset.select_columns")
    return values[usual]


def _texts(texts: Mapping[str, str]) -> tuple[str, ...]:
    for first, second in PAIRS:
        if first in texts and second in texts:
            return texts[first], texts[second]
    return (_chosen(texts, "text"),)
