# SPDX-License-Identifier: Apache-2.0
"""What callers give, made what the module _core takes, by the annotations of each public function; and errors in Python's
words."""
from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .errors import Error, UsageError
from .words import in_python, known

# The kinds of options, by the names that annotations give them. Numbers may be texts, as the command line has them.
Whole = int | str
Number = float | str
Share = float | str  # "1%" is 0.01
Path = str | os.PathLike[str]
Part = tuple[int, int] | str  # "2/4" of shards, "0:50" of samples
Events = bool | str | os.PathLike[str]  # True: into the usual folder
Progress = Any  # True, False, or an object with `update(step, done, total)` and `note(sentence)`
Executor = Any  # of concurrent.futures, or like it
RunName = Any  # a Run, its id or the beginning of it, its name, its folder, or "last"
Data = Any  # a path, or what docs/python.md has as data
Metric = Any  # a name, a function of (outputs, labels), or an object that is updated
Model = Any  # a path, a folder, bytes, an onnx.ModelProto or a torch module
Recipe = Any  # a dict, a text in YAML or JSON, a path, a run, or a list of these, each laid over the one before
Callbacks = Sequence[Callable[..., Any]]  # each is called with the run when the verb has ended

F = TypeVar("F", bound=Callable[..., Any])
BYTES = (bytes, bytearray, memoryview)
MOST = 2**63 - 1
# Of whole numbers, as the command line has them: by option, or where a verb has its own, by both.
RANGES = {"limit": (1, MOST), "batch_size": (1, MOST), "seed": (0, MOST), "threads": (1, 1024), "verify": (1, 100),
          "profile.verify": (0, 100), "local": (0, MOST), "max_trials": (1, MOST), "warmup": (0, 10_000_000),
          "profile.warmup": (0, 1_000_000), "iterations": (1, 10_000_000), "rounds": (1, 10_000), "instances": (1, 4096),
          "cores_per_instance": (1, 4096), "benchmark.batch_size": (1, 2**20), "shards": (1, MOST), "port": (1, 65535)}


class Wrong(Exception):
    """What is wrong with a value: the end of a sentence that begins with it."""


def _shown(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001: somebody's class
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise Wrong("is no text")
    try:
        if "\0" in value or not value.encode():
            raise Wrong("holds a zero byte" if value else "is empty; give it a value or leave it out")
    except UnicodeEncodeError as problem:
        raise Wrong("is no text in Unicode") from problem
    return value


def _path(value: Any, where: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise Wrong("is no path")
    return _text(os.fspath(value), where)


def _data(value: Any, where: str) -> Any:
    if isinstance(value, (str, os.PathLike)):
        return _path(value, where)
    if value is None:
        raise Wrong("is no data; give a path, arrays, or what gives (input, label)")
    if any(hasattr(value, one) for one in ("__iter__", "__getitem__", "get_next")):
        return value
    raise Wrong("is no data; give a path, arrays, or what gives (input, label)")


def _metric(value: Any, where: str) -> Any:
    if isinstance(value, str):
        return _text(value, where)
    if callable(value) or any(hasattr(value, one) for one in ("update", "update_state", "begin")):  # begin: metrics.Own
        return value
    raise Wrong("is no metric; give a name such as 'top1', or a function of (outputs, labels)")


def _model(value: Any, where: str) -> Any:
    if isinstance(value, (str, os.PathLike)):
        _path(value, where)
    elif not isinstance(value, BYTES) and not hasattr(value, "SerializeToString") and not hasattr(value, "state_dict"):
        raise Wrong("is no model; give a path, a folder, bytes, an onnx.ModelProto or a torch module")
    return value


def _whole(value: Any, where: str) -> int:
    least, most = RANGES.get(where) or RANGES[where.partition(".")[2]]
    number = None
    if isinstance(value, str):
        number = int(value) if re.fullmatch(r"[0-9]{1,20}", value) else None
    elif not isinstance(value, bool) and hasattr(value, "__index__"):
        try:
            number = value.__index__()
        except Exception:  # noqa: BLE001: an array of several
            number = None
    if number is None or not least <= number <= most:
        raise Wrong(f"is no whole number from {least} to {most}")
    return number


def _number(value: Any, where: str) -> float:
    number = math.nan
    if not isinstance(value, (bool, bytes, bytearray)) and (not isinstance(value, str) or re.fullmatch(r"[-0-9.eE+]+", value)):
        try:
            number = float(value)
        except Exception:  # noqa: BLE001: an array of several, an integer that no float holds
            number = math.nan
    if not math.isfinite(number):
        raise Wrong("is no finite number")
    if where == "tune.timeout" and number < 0:
        raise Wrong("is no number of seconds")
    if where.endswith(".isolate_timeout") and number <= 0:
        raise Wrong("is no number above 0")
    return number


def _share(value: Any, where: str) -> float:
    if isinstance(value, str) and value.endswith("%"):
        return _number(value[:-1], where) / 100
    return _number(value, where)


def _flag(value: Any, where: str) -> bool:
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):  # NumPy has its own
        return bool(value)
    raise Wrong("is neither True nor False")


def _part(value: Any, where: str) -> tuple[int, int]:
    """Of a shard its number and how many there are; of samples the first, and the end."""
    is_shard = where.endswith(".shard")
    expected = "is no pair such as " + ("(2, 4), the second of four" if is_shard else "(0, 50), the first fifty")
    told = value
    if isinstance(value, str):
        told = value.split("/" if is_shard else ":")
    try:
        first, second = (int(one) if isinstance(one, str) else one.__index__() for one in told)
    except Exception as problem:  # noqa: BLE001: whatever it is
        raise Wrong(expected) from problem
    is_one = 1 <= first <= second if is_shard else 0 <= first < second
    if not is_one or second > MOST // 2:
        raise Wrong(expected)
    return first, second


def _events(value: Any, where: str) -> str | None:
    """The folder, "" the usual one."""
    if not isinstance(value, (str, os.PathLike)):
        return "" if _flag(value, where) else None
    folder = _path(value, where)
    if os.path.isfile(folder):
        raise Wrong("is a file; give a folder, or True for the usual one")
    return folder


def _progress(value: Any, where: str) -> Any:
    if isinstance(value, bool) or (hasattr(value, "update") and hasattr(value, "note")):
        return value
    raise Wrong("tells nobody; give True, False, or an object with update(step, done, total) and note(sentence)")


def _run(value: Any, where: str) -> Any:
    if isinstance(getattr(value, "id", None), str):
        return value
    try:
        return _path(value, where)
    except Wrong as problem:
        raise Wrong("is no run; give a Run, its id, its folder, or 'last'") from problem


def _runs(value: Any, where: str) -> Any:
    if not isinstance(value, (list, tuple)):
        return [_run(value, where)]
    if not 1 <= len(value) <= 2:
        raise Wrong("is not one run, nor two")
    return [_run(one, where) for one in value]


def _paths(value: Any, where: str) -> list[str]:
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Sequence):
        raise Wrong("is no list of paths")
    return [_path(one, where) for one in value]


def _texts(value: Any, where: str) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise Wrong("is no list of texts")
    return [_text(one, where) for one in value]


def _wholes(value: Any, where: str) -> list[int]:
    """One, or each of a list such as "1,8,32"."""
    if isinstance(value, str):
        value = value.split(",")
    return [_whole(one, where) for one in (value if isinstance(value, Sequence) and not isinstance(value, bytes) else [value])]


def _callbacks(value: Any, where: str) -> Any:
    if isinstance(value, Sequence) and all(map(callable, value)):
        return value
    raise Wrong("is no list of functions, each of which takes the run")


def _executor(value: Any, where: str) -> Any:
    if hasattr(value, "submit"):
        return value
    raise Wrong("is no executor; give one of concurrent.futures, or what is like it")


CHECKS: Mapping[str, Callable[[Any, str], Any]] = {
    "str": _text, "Path": _path, "Data": _data, "Metric": _metric, "Model": _model, "Whole": _whole, "Number": _number,
    "Share": _share, "bool": _flag, "Part": _part, "Events": _events, "Progress": _progress, "RunName": _run,
    "Callbacks": _callbacks, "Executor": _executor,
    "RunName | Sequence[RunName]": _runs, "Sequence[Path]": _paths, "Sequence[str]": _texts, "Whole | Sequence[Whole]": _wholes,
}


def _checks_of(function: Any) -> dict[str, Callable[[Any, str], Any]]:
    kinds = {name: str(kind).removesuffix(" | None") for name, kind in function.__annotations__.items()}
    return {name: CHECKS[kind] for name, kind in kinds.items() if kind in CHECKS and name != "return"}


def public(function: F) -> F:
    """Checks what it is called with, where None keeps a default, and has errors say what to do in Python's words."""
    code, checks, verb = function.__code__, _checks_of(function), function.__name__
    positional = code.co_varnames[:code.co_argcount]
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & 4 else ""
    defaults = dict(zip(reversed(positional), reversed(function.__defaults__ or ())), **(function.__kwdefaults__ or {}))
    known(verb, {name: kind == "bool" for name, kind in function.__annotations__.items() if name not in ("return", rest)})

    def checked(name: str, value: Any) -> Any:
        if value is None and name in defaults:
            value = defaults[name]
        if name not in checks or value is None and name in defaults:
            return value
        try:
            return checks[name](value, f"{verb}.{name}")
        except Wrong as problem:
            raise UsageError(f"{verb}: {name}={_shown(value)} {problem}") from problem.__cause__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = [checked(positional[at] if at < len(positional) else rest, value) for at, value in enumerate(args)]
            return function(*given, **{name: checked(name, value) for name, value in kwargs.items()})
        except Error as error:
            error.args = ("\\n".join(in_python(str(error), {**dict(zip(positional, args)), **kwargs}).splitlines()),)
            raise

    return call  # type: ignore[return-value]
