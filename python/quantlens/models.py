# SPDX-License-Identifier: Apache-2.0
"""What verbs take as a model: a path, a folder that one was exported into, the bytes of a file, an onnx.ModelProto, or a torch
module."""
from __future__ import annotations

import atexit
import hashlib
import os
import pathlib
import shutil
import tempfile
from typing import Any

from .errors import NotFound, UsageError

QUANTIZED = "_quantized"  # what Hugging Face Optimum adds to the name

_folder: pathlib.Path | None = None


def kept_file(content: bytes, ending: str = ".onnx") -> str:
    """A file that lives as long as this process: runs name it."""
    global _folder
    if _folder is None:
        _folder = pathlib.Path(tempfile.mkdtemp(prefix="quantlens-files-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    path = _folder / f"{hashlib.sha256(content).hexdigest()[:16]}{ending}"
    if not path.exists():
        part = path.with_suffix(f".part{os.getpid()}")
        part.write_bytes(content)
        part.rename(path)
    return str(path)


def rooted(value: Any) -> Any:
    """A path that is there, as it is called from anywhere."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return os.path.abspath(value) if isinstance(value, str) and os.path.exists(value) else value


def _exported(module: Any, example: Any) -> str:
    import io

    import torch  # type: ignore[import-not-found,unused-ignore]

    if example is None:
        raise UsageError("a torch module is exported first: give example_inputs, as torch.onnx.export takes them")
    into = io.BytesIO()
    module.eval()
    with torch.no_grad():
        torch.onnx.export(module, example, into, dynamo=False)
    return kept_file(into.getvalue())


def is_folder(model: Any) -> bool:
    return isinstance(model, (str, os.PathLike)) and os.path.isdir(model)


def _exported_in(folder: str) -> str:
    """Its one model: model.onnx, onnx/model.onnx, or the only .onnx file."""
    for name in ("model.onnx", "onnx/model.onnx"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    found = sorted(one.name for one in pathlib.Path(folder).glob("*.onnx") if not one.stem.endswith(QUANTIZED))
    if len(found) > 1:
        raise UsageError(f"{folder}: holds several models ({', '.join(found)}); name the one that is meant")
    if not found:
        raise NotFound(f"{folder}: holds neither model.onnx nor onnx/model.onnx nor another .onnx file; export a model into it")
    return os.path.join(folder, found[0])


def quantized_in(folder: str, model: str) -> str:
    return os.path.join(folder, pathlib.Path(model).stem + QUANTIZED + ".onnx")


def path_of(model: Any, example_inputs: Any = None) -> str:
    if is_folder(model):
        return _exported_in(os.fspath(model))
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return kept_file(bytes(model))
    if hasattr(model, "SerializeToString"):
        return kept_file(model.SerializeToString())
    if hasattr(model, "state_dict") and hasattr(model, "eval"):
        return _exported(model, example_inputs)
    raise UsageError(f"model: {type(model).__name__} is none; give a path, a folder, bytes, an onnx.ModelProto or a torch module")
