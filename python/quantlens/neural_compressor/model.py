# SPDX-License-Identifier: Apache-2.0
"""The models that scripts are handed: what the predecessor's own eval functions do with them works."""
from __future__ import annotations

import os
import pathlib
import shutil
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..runs import Run


class Model:
    """A model's file that also acts as the onnx.ModelProto in it."""

    def __init__(self, path: str, run: Run | None = None):
        self.model_path, self.run = path, run

    @cached_property
    def model(self) -> Any:
        """The onnx.ModelProto."""
        import onnx  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return onnx.load(self.model_path)

    @property
    def q_config(self) -> dict[str, Any]:
        """The recipe that made it."""
        import json

        recipe = pathlib.Path(self.run.folder, "recipe.json") if self.run else None
        return json.loads(recipe.read_text(encoding="utf-8")) if recipe and recipe.exists() else {}

    def SerializeToString(self) -> bytes:  # noqa: N802: as protobuf calls it
        return pathlib.Path(self.model_path).read_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """As a file, or as `best_model.onnx` (of TensorFlow `best_model.pb`) in a folder that is there."""
        to = pathlib.Path(path)
        if to.is_dir():
            to = to / f"best_model{pathlib.Path(self.model_path).suffix}"
        to.parent.mkdir(parents=True, exist_ok=True)
        part = to.with_name(f"{to.name}.part{os.getpid()}")
        shutil.copyfile(self.model_path, part)
        part.rename(to)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.model, name)
