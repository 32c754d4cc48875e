# SPDX-License-Identifier: Apache-2.0
"""What verbs take as a model: a path, a folder that one was exported into, the bytes of a file, an onnx.ModelProto, or a torch
module."""
from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import BadInput, IoError, NotFound, UsageError

QUANTIZED = "_quantized"  # what Hugging Face Optimum adds to the name

_folder: pathlib.Path | None = None
_process = 0  # that made it


def _kept_folder() -> pathlib.Path:
    """One of this process, not of the one that it was forked from; anew where somebody removed it."""
    global _folder, _process
    if _folder is None or _process != os.getpid() or not _folder.is_dir():
        _folder, _process = pathlib.Path(temporary_folder("quantlens-files-")), os.getpid()
        atexit.register(_remove, _folder, _process)
    return _folder


def _remove(folder: pathlib.Path, process: int) -> None:
    """A child that was forked has the functions of its parent's end, too."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def temporary_folder(prefix: str) -> str:
    try:
        return tempfile.mkdtemp(prefix=prefix)
    except OSError as problem:
        raise no_temporary(problem) from problem


def no_temporary(problem: OSError) -> IoError:
    return IoError(f"no file can be made for what is kept meanwhile ({problem.strerror or problem}); let TMPDIR name a folder "
                   "that can be written, with space in it")


@contextlib.contextmanager
def kept_meanwhile(prefix: str) -> Iterator[str]:
    """A folder that goes at the end of the block."""
    folder = temporary_folder(prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kept_file(content: bytes, ending: str = ".onnx") -> str:
    """A file that lives as long as this process: runs name it."""
    folder = _kept_folder()
    path = folder / f"{hashlib.sha256(content).hexdigest()[:16]}{ending}"
    if not path.exists():
        part = path.with_suffix(f".part{os.getpid()}")
        try:
            part.write_bytes(content)
            part.rename(path)
        except OSError as problem:
            raise no_temporary(problem) from problem
    return str(path)


def read_json(path: pathlib.Path) -> dict[str, Any]:
    """Of a file that lies beside a model."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise BadInput(f"{path}: is no JSON ({problem}); export it again") from problem
    if not isinstance(told, dict):
        raise BadInput(f"{path}: holds no object; export it again")
    return told


def rooted(value: Any) -> Any:
    """A path that is there, as it is called from anywhere."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return os.path.abspath(value) if isinstance(value, str) and os.path.exists(value) else value


def _arguments(module: Any, example: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Of `forward`: those to call it with, and all by name."""
    import inspect

    if isinstance(example, Mapping):
        bound = inspect.signature(module.forward).bind(**example)
    else:
        bound = inspect.signature(module.forward).bind(*(example if isinstance(example, (tuple, list)) else (example,)))
    return (*bound.args, bound.kwargs) if bound.kwargs else bound.args, dict(bound.arguments)


def _exported(module: Any, example: Any) -> str:
    """With the names of `forward`, and a batch of any size where all inputs agree on their first axis."""
    import inspect
    import io

    import torch  # type: ignore[import-not-found,unused-ignore]

    if example is None:
        raise UsageError("a torch module must be exported: give example_inputs to quantize, other verbs what torch.onnx wrote")
    arguments, named = _arguments(module, example)
    options: dict[str, Any] = {}
    if all(isinstance(one, torch.Tensor) for one in named.values()):
        options["input_names"] = list(named)
        if len({one.shape[:1] for one in named.values()}) == 1 and all(one.ndim for one in named.values()):
            options["dynamic_axes"] = {name: {0: "N"} for name in named}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    into = io.BytesIO()
    in_training = [(one, one.training) for one in module.modules()]
    with torch.no_grad():
        torch.onnx.export(module, arguments, into, **options)
    for one, was in in_training:  # the export puts all parts into the mode of the whole
        one.training = was
    return kept_file(into.getvalue())


def is_folder(model: Any) -> bool:
    return isinstance(model, (str, os.PathLike)) and os.path.isdir(model)


def is_saved_model(model: Any) -> bool:
    return is_folder(model) and os.path.exists(os.path.join(model, "saved_model.pb"))


def _exported_in(folder: str) -> str:
    """Its one model: model.onnx, onnx/model.onnx, or the only .onnx file; itself where it is a SavedModel."""
    if is_saved_model(folder):
        return folder
    for name in ("model.onnx", "onnx/model.onnx"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    found = sorted(one.name for one in pathlib.Path(folder).glob("*.onnx") if not one.stem.endswith(QUANTIZED))
    if len(found) > 1:
        raise UsageError(f"{folder}: holds several models ({', '.join(found)}); name the one that is meant")
    if not found:
        raise NotFound(f"{folder}: holds neither model.onnx nor onnx/model.onnx nor another .onnx file; export a model into it")
    return os.path.join(folder, found[0])


def ending_of(path: str) -> str:
    """Of the file that is made of a model: TensorFlow's are written as frozen graphs."""
    return ".pb" if os.path.isdir(path) or pathlib.Path(path).suffix in (".pb", ".keras", ".h5") else ".onnx"


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
