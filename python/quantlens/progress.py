# SPDX-License-Identifier: Apache-2.0
"""How long work tells about itself: a line on standard error where that is a terminal, and one below the cell of a notebook."""
from __future__ import annotations

import contextlib
import html
import sys
import time
from collections.abc import Iterator
from typing import Any

from .words import in_python


class Bar:
    """One line that is written anew, with rate and remaining time."""

    TELL_AFTER = 2.0  # seconds of a step; what is over sooner needs no bar

    def __init__(self, out: Any = None):
        self._out = out or sys.stderr
        self._step, self._begun, self._done, self._width = "", 0.0, 0, 0

    def update(self, step: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if step != self._step or done < self._done:
            self._clear()
            self._step, self._begun = step, now
        self._done = done
        if not step or now - self._begun < self.TELL_AFTER:
            return
        rate = done / (now - self._begun)
        text = f"{step}: {done}" + (f" of {total}" if total else "")
        if rate > 0:
            text += f", {rate:.3g}/s" + (f", {max(0, total - done) / rate:.0f} s left" if total else "")
        self._show(text, done, total)

    def note(self, sentence: str) -> None:
        self._clear()
        self._out.write(f"note: {sentence}\n")

    def _show(self, text: str, done: int, total: int | None) -> None:
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)

    def _clear(self) -> None:
        if self._width:
            self._out.write("\r" + " " * self._width + "\r")
            self._out.flush()
            self._width = 0


class NotebookBar(Bar):
    """The same line as an output of the cell, which changes in place and is empty at the end."""

    EVERY = 0.2  # seconds between changes: each is a message to the page

    def __init__(self, display: Any = None):
        super().__init__()
        if display is None:
            import IPython.display  # type: ignore[import-not-found,unused-ignore]

            display = IPython.display.display
        self._display, self._shown = display, 0.0
        self._handle: Any = None

    def _show(self, text: str, done: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self._shown >= self.EVERY:
            self._shown = now
            span = f' value="{done}" max="{total}"' if total else ""
            self._put(text, f"<progress{span}></progress> {html.escape(text)}")

    def _clear(self) -> None:
        if self._shown:
            self._shown = 0.0
            self._put("", "")

    def _put(self, text: str, page: str) -> None:
        shown = {"text/plain": text, "text/html": page}
        if self._handle is None:
            self._handle = self._display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


class _Notes(Bar):
    """Where nobody watches."""

    def update(self, step: str, done: int, total: int | None) -> None:
        pass


def _is_notebook() -> bool:
    """Whether this code runs in a kernel: of Jupyter, VS Code, Colab."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


def progress_of(progress: Any) -> Any:
    """True: a bar where somebody watches, and notes; False: nothing; else an object with `update(step, done, total)` and
    `note(sentence)`."""
    if progress is True:
        return NotebookBar() if _is_notebook() else Bar() if sys.stderr.isatty() else _Notes()
    return None if progress is False else progress


class _InPython:
    """Notes in Python's words."""

    def __init__(self, telling: Any):
        self._telling = telling

    def update(self, step: str, done: int, total: int | None) -> None:
        self._telling.update(step, done, total)

    def note(self, sentence: str) -> None:
        self._telling.note(in_python(sentence))


@contextlib.contextmanager
def told(progress: Any) -> Iterator[Any]:
    """What is told while a verb runs; a bar is gone afterwards, also when it failed."""
    telling = progress_of(progress)
    try:
        yield None if telling is None else _InPython(telling)
    finally:
        if isinstance(telling, Bar):
            telling.update("", 0, None)
