# SPDX-License-Identifier: Apache-2.0
"""An eval function as a metric: the program that quantlens asks for a figure asks this process, where the function runs on
the thread that called `fit`."""
from __future__ import annotations

import contextlib
import os
import queue
import shlex
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ..progress import progress_of
from .model import Model

CLIENT = """import socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect(sys.argv[1])
asked.sendall(sys.argv[2].encode() + b"\\n")
told = asked.makefile().readline().strip()
sys.exit(1) if not told else print(told)
"""


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
    while isinstance(told, (list, tuple)):
        told = told[0]
    return float(told)


def _serve(listening: socket.socket, told: Told) -> None:
    with contextlib.suppress(OSError):  # it is closed at the end
        while True:
            asking, _ = listening.accept()
            with asking, asking.makefile("rw") as lines:
                answer: queue.Queue[float | None] = queue.Queue()
                told.asked.put((lines.readline().strip(), answer))
                figure = answer.get()
                lines.write("" if figure is None else f"{figure!r}\n")


@contextlib.contextmanager
def served(evaluate: Callable[[Any], Any], higher_is_better: bool) -> Iterator[tuple[str, Told]]:
    """The metric as a text, and the progress that the verb must be given."""
    told = Told(evaluate)
    with tempfile.TemporaryDirectory(prefix="quantlens-eval-") as folder, socket.socket(socket.AF_UNIX) as listening:
        client, address = os.path.join(folder, "ask.py"), os.path.join(folder, "ask")
        with open(client, "w", encoding="utf-8") as file:
            file.write(CLIENT)
        listening.bind(address)
        listening.listen()
        thread = threading.Thread(target=_serve, args=(listening, told), daemon=True)
        thread.start()
        program = " ".join(map(shlex.quote, (sys.executable, "-I", "-S", client, address)))
        try:
            yield ("command" if higher_is_better else "command:higher_is_better=false") + f":{program}", told
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=5)
