# SPDX-License-Identifier: Apache-2.0
"""Text as a model takes it, by the tokenizer.json that was exported with the model."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from .errors import BadInput, NotFound
from .models import read_json

# By the names that the package tokenizers has for them.
GIVES = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
NO_LIMIT = 10**9  # above it model_max_length means that there is none


def _text_of(token: Any) -> str | None:
    return token.get("content") if isinstance(token, dict) else token


class Tokenizer:
    """Of a folder. `length`: of a model that takes sequences of one length; texts are padded and cut to it."""

    def __init__(self, folder: pathlib.Path, length: int | None, dtypes: dict[str, str]):
        where = folder / "tokenizer.json"
        if not where.exists():
            raise NotFound(f"{where}: no such file, which says how to make tokens; export it with the model, or give arrays")
        try:
            import tokenizers  # type: ignore[import-not-found,unused-ignore]
        except ImportError as problem:
            raise NotFound(f"{where}: the package that reads it is not here; pip install tokenizers") from problem
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(where))
        except Exception as problem:  # the package has no class of its own for it
            raise BadInput(f"{where}: is no tokenizer ({problem}); export it again") from problem
        self._dtypes = dtypes
        beside = folder / "tokenizer_config.json"
        told = read_json(beside) if beside.exists() else {}
        self._cut(told, length)
        if length is not None:
            self._pad(told, length, where)

    def _cut(self, told: dict[str, Any], length: int | None) -> None:
        own = self._tokenizer.truncation or {"max_length": told.get("model_max_length") or NO_LIMIT,
                                             "direction": told.get("truncation_side", "right")}
        most = min(own["max_length"], length or NO_LIMIT)
        if most < NO_LIMIT:
            self._tokenizer.enable_truncation(**{**own, "max_length": int(most)})

    def _pad(self, told: dict[str, Any], length: int, where: pathlib.Path) -> None:
        own = self._tokenizer.padding
        if own is None:
            token = _text_of(told.get("pad_token"))
            number = None if token is None else self._tokenizer.token_to_id(token)
            if number is None:
                raise NotFound(f"{where}: names no token for padding, and the model takes {length} tokens; add pad_token to "
                               "tokenizer_config.json")
            own = {"pad_id": number, "pad_token": token, "direction": told.get("padding_side", "right")}
        self._tokenizer.enable_padding(**{**own, "length": length, "pad_to_multiple_of": None})

    def __call__(self, text: str, second: str | None = None) -> dict[str, np.ndarray]:
        encoded = self._tokenizer.encode(text, second)
        return {name: np.array(getattr(encoded, GIVES[name]), dtype) for name, dtype in self._dtypes.items()}
