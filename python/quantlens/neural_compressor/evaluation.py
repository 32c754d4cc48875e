# SPDX-License-Identifier: Apache-2.0
"""An eval function as a metric: the program that quantlens asks for a figure asks this process, where the function runs on
the thread that called `fit`."""
from __future__ import annotations

import contextlib
import math
import os
import pathlib
import queue
import re
import secrets
import shlex
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import UsageError
from ..progress import progress_of
from .model import Model

CLIENT = pathlib.Path(__file__).with_name("ask.py")


class Told:
    """Progress that also runs what is asked for."""

    def __init__(self, evaluate: Callable[[Any], Any]):
        self._evaluate = evaluate
        self.asked: queue.Queue[tuple[str, queue.Queue[float | None]]] = queue.Queue()
        self._shown = progress_of(True)

    def update(self, step: str, done: int, total: int | None) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                path, answer = self.asked.get_nowait()
                figure = None
                try:
                    figure = _figure_of(self._evaluate(Model(path)))
                finally:
                    answer.put(figure)
        self._shown.update(step, done, total)

    def note(self, sentence: str) -> None:
        self._shown.note(sentence)


def _figure_of(told: Any) -> float:
    """Of several figures the first one counts, as the predecessor has it."""
    given = told
    while isinstance(told, (list, tuple)) and told:
        told = told[0]
    figure = math.nan
    if not isinstance(told, (str, bytes)):
        with contextlib.suppress(Exception):  # whatever it is
            figure = float(told)
    if not math.isfinite(figure):
        raise UsageError(f"eval_func: returned {' '.join(repr(given).split())[:60]}; return one finite number, or a list that "
                         "begins with one")
    return figure


def _is_own(asking: socket.socket) -> bool:
    """Abstract names have no permissions: only this user's processes may ask."""
    _, user, _ = struct.unpack("3i", asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return user == os.getuid()


def _serve(listening: socket.socket, told: Told) -> None:
    with contextlib.suppress(OSError):  # it is closed at the end
        while True:
            asking, _ = listening.accept()
            with asking, contextlib.suppress(OSError), asking.makefile("rw") as lines:
                if not _is_own(asking):
                    continue
                answer: queue.Queue[float | None] = queue.Queue()
                told.asked.put((lines.readline().strip(), answer))
                figure = answer.get()
                lines.write("" if figure is None else f"{figure!r}\n")


def _variable(evaluate: Callable[[Any], Any]) -> str:
    """Under which the program finds this process. It is a part of the metric's text, by which a search knows whether an earlier
    one was scored by the same function: so it is made of the function's name."""
    known = f"{getattr(evaluate, '__module__', '')}.{getattr(evaluate, '__qualname__', type(evaluate).__qualname__)}"
    name = "QUANTLENS_EVAL_" + re.sub(r"[^A-Za-z0-9]+", "_", known).strip("_")
    count = 1
    while name in os.environ:  # another thread searches by it
        count += 1
        name = f"{name.rstrip('0123456789')}{count}"
    return name


@contextlib.contextmanager
def served(evaluate: Callable[[Any], Any], higher_is_better: bool) -> Iterator[tuple[str, Told]]:
    """The metric as a text, and the progress that the verb must be given."""
    told = Told(evaluate)
    address, variable = f"quantlens-eval-{os.getpid()}-{secrets.token_hex(8)}", _variable(evaluate)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0" + address)
        listening.listen()
        thread = threading.Thread(target=_serve, args=(listening, told), daemon=True)
        thread.start()
        program = " ".join(map(shlex.quote, (sys.executable, "-I", "-S", "-B", str(CLIENT), variable)))
        os.environ[variable] = address
        try:
            yield ("command" if higher_is_better else "command:higher_is_better=false") + f":{program}", told
        finally:
            del os.environ[variable]
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=5)
