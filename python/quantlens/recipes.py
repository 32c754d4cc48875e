# SPDX-License-Identifier: Apache-2.0
"""What verbs take as a recipe: a dict, a text, a file, a run, or a model that quantlens made; or a list of these."""
from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import _core
from .errors import BadInput, NotFound, UsageError
from .runs import Run, open_run

IN_MEMORY = "recipe"  # what messages call one that is in no file
MODELS = (".onnx", ".pb")  # which hold the recipe that made them
ENDINGS = (".yaml", ".yml", ".json", *MODELS)


def _dumped(recipe: Mapping[str, Any]) -> str:
    try:
        return json.dumps(recipe, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise UsageError(f"recipe: {problem}; give what JSON has: texts, numbers, True, False, lists and dicts") from problem


def _kept_by(folder: str) -> str:
    """A run's own, once it has one."""
    file = os.path.join(folder, "recipe.json")
    if not os.path.exists(file):
        raise NotFound(f"recipe: {folder}: holds no recipe.json: only what quantize, calibrate and tune write does")
    return file


def _file_of(name: str, workspace: Any) -> str:
    """A file is itself, a run's folder or id its recipe."""
    if os.path.isdir(name):
        return _kept_by(name)
    if os.path.exists(name) or name.endswith(ENDINGS) or os.path.dirname(name):
        return name
    try:
        return _kept_by(open_run(name, workspace=workspace).folder)
    except NotFound as problem:
        raise NotFound(f"recipe: {name}: there is neither such a file nor such a run; check it, or see workloads()") from problem


def _text_in(file: str) -> str:
    if file.endswith(MODELS):
        told = cast("str | None", _core.recipe_in({"model": file}))
        if told is None:
            raise NotFound(f"recipe: {file}: the model holds none, since quantlens did not quantize it; give a file, or a run")
        return told
    try:
        return pathlib.Path(file).read_text(encoding="utf-8") or "{}"
    except OSError as problem:
        raise NotFound(f"recipe: {file}: {problem.strerror}; check the path") from problem
    except ValueError as problem:
        raise BadInput(f"recipe: {file}: is no text; give a file in YAML or JSON") from problem


def _document(text: str) -> bool:
    return "{" in text or "\n" in text or ": " in text


def _text_of(one: Any, workspace: Any) -> tuple[str, str]:
    """With what messages call it."""
    if isinstance(one, Mapping):
        return _dumped(one), IN_MEMORY
    if isinstance(one, Run):
        file = _kept_by(one.folder)
    elif isinstance(one, (str, os.PathLike)) and isinstance(os.fspath(one), str):
        if isinstance(one, str) and _document(one):
            return one, IN_MEMORY
        file = _file_of(os.fspath(one), workspace)
    else:
        raise UsageError(f"recipe: {type(one).__name__} is none; give a dict, a text, a path, a run, or a list of these")
    return _text_in(file), file


def texts_of(recipe: Any, workspace: Any) -> list[tuple[str, str]]:
    is_list = isinstance(recipe, Sequence) and not isinstance(recipe, (str, bytes, bytearray, memoryview))
    return [_text_of(one, workspace) for one in (recipe if is_list else [recipe])]
