# SPDX-License-Identifier: Apache-2.0
"""Reads the pickles that CIFAR is published as, without pickle: texts, numbers, lists, dicts, and arrays of bytes. Nothing that
they name is ever called."""
from __future__ import annotations

import pickletools
from typing import Any

import numpy as np

from ...errors import BadInput

MOST_STEPS = 1_000_000  # a batch of CIFAR-100 takes some 300 000
ARRAY, TYPE, MAKE = "numpy ndarray", "numpy dtype", "numpy.core.multiarray _reconstruct"


class _Type:
    """What stands for a dtype."""

    def __init__(self, name: Any):
        self.name = name


class _Array:
    """What stands for an array until it is filled."""

    value: np.ndarray | None = None

    def fill(self, state: Any) -> None:
        _, shape, kind, is_by_columns, content = state
        if not isinstance(kind, _Type) or kind.name != "u1":
            raise ValueError("an array is not of bytes")
        numbers = np.frombuffer(content.encode("latin-1"), np.uint8)
        self.value = numbers.reshape(shape, order="F" if is_by_columns is True else "C")


class _Machine:
    """The stack of a pickle, with no more than those of CIFAR need."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}

    def step(self, name: str, given: Any) -> None:
        if name in ("BININT", "BININT1", "BININT2", "BINSTRING", "SHORT_BINSTRING", "BINUNICODE"):
            self.stack.append(given)
        elif name in ("BINPUT", "LONG_BINPUT"):
            self._memo[given] = self.stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            if given not in self._memo:
                raise ValueError("it takes what was not kept")
            self.stack.append(self._memo[given])
        elif name == "MARK":
            self._marks.append(len(self.stack))
        elif name in CONSTANTS:
            self.stack.append(CONSTANTS[name])
        elif name in ("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE"):
            self.stack.append({"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}[name]())
        elif name in ("APPEND", "APPENDS"):
            items = self._top(1 if name == "APPEND" else None)
            self._last(list).extend(items)
        elif name in ("SETITEM", "SETITEMS"):
            items = self._top(2 if name == "SETITEM" else None)
            if not all(isinstance(key, str) for key in items[::2]):  # to hash a deep tuple can overflow the stack
                raise ValueError("a dict has a key that is no text")
            self._last(dict).update(zip(items[::2], items[1::2], strict=True))
        elif name in TUPLES:
            items = self._top(TUPLES[name])
            self.stack.append(tuple(items))
        elif name in ("GLOBAL", "REDUCE", "BUILD"):
            getattr(self, f"_{name.lower()}")(given)
        elif name not in ("PROTO", "STOP"):
            raise ValueError(f"{name} has no place in one")

    def _top(self, count: int | None) -> list[Any]:
        """Takes so many from the stack, or those above the last mark."""
        at = self._marks.pop() if count is None else len(self.stack) - count
        if at < 0:
            raise ValueError("its stack is empty")
        items = self.stack[at:]
        del self.stack[at:]
        return items

    def _last(self, kind: type) -> Any:
        if not isinstance(self.stack[-1], kind):
            raise ValueError(f"no {kind.__name__} is there to be filled")
        return self.stack[-1]

    def _global(self, name: Any) -> None:
        if name not in (ARRAY, TYPE, MAKE):
            raise ValueError(f"it names {str(name)[:60]!r}, and no such thing has a place in one")
        self.stack.append(_Type(name))

    def _reduce(self, _: Any) -> None:
        named, arguments = self._top(2)
        self.stack.append(_Array() if named.name == MAKE else _Type(arguments[0]))

    def _build(self, _: Any) -> None:
        (state,) = self._top(1)
        if isinstance(self.stack[-1], _Array):
            self.stack[-1].fill(state)
        elif not isinstance(self.stack[-1], _Type):
            raise ValueError("what is to be filled is no array")


CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
TUPLES = {"TUPLE": None, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def read_pickle(content: bytes, where: str) -> dict[str, Any]:
    """By name; arrays of bytes are NumPy's. Raises BadInput for anything but what CIFAR's files are made of."""
    machine = _Machine()
    try:
        for steps, (code, given, _) in enumerate(pickletools.genops(content)):
            if steps == MOST_STEPS:
                raise ValueError(f"it takes more than {MOST_STEPS} steps")
            machine.step(code.name, given)
        told = machine.stack[-1]
        if not isinstance(told, dict):
            raise ValueError("it holds no dict")
    except Exception as problem:  # whatever foreign bytes lead to
        why = " ".join(str(problem).split())[:100]
        raise BadInput(f"{where}: is no batch of CIFAR as it is published ({why}); unpack the archive again") from None
    return {name: one.value if isinstance(one, _Array) else one for name, one in told.items()}
