# SPDX-License-Identifier: Apache-2.0
"""How long work tells about itself: a line on standard error where that is a terminal or a notebook."""
from __future__ import annotations

import sys
import time
from typing import Any


class Bar:
    """One line that is written anew, with rate and remaining time, for steps of over two seconds."""

    def __init__(self, out: Any = None):
        self._out = out or sys.stderr
        self._step, self._begun, self._width = "", 0.0, 0

    def update(self, step: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if step != self._step:
            self._clear()
            self._step, self._begun = step, now
        if not step or now - self._begun < 2:
            return
        rate = done / (now - self._begun)
        text = f"{step}: {done}" + (f" of {total}" if total else "")
        if rate > 0:
            text += f", {rate:.3g}/s" + (f", {max(0, total - done) / rate:.0f} s left" if total else "")
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)

    def note(self, sentence: str) -> None:
        self._clear()
        self._out.write(f"note: {sentence}\n")

    def _clear(self) -> None:
        if self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._out.flush()
            self._width = 0


class _Notes(Bar):
    """Where nobody watches."""

    def update(self, step: str, done: int, total: int | None) -> None:
        pass


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def progress_of(progress: Any) -> Any:
    """True: a bar where somebody watches, and notes; False: nothing; else an object with `update(step, done, total)` and
    `note(sentence)`."""
    if progress is True:
        return Bar() if _is_watched() else _Notes()
    return None if progress is False else progress
