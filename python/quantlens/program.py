# SPDX-License-Identifier: Apache-2.0
"""What the program does for Python: the server, whose jobs are the program's verbs, and the demo's files."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from . import _core
from ._arguments import Path, Progress, Whole, public
from .errors import Failed, NotFound
from .progress import told
from .runs import Run

if TYPE_CHECKING:
    import subprocess

HERE = pathlib.Path(__file__).parent


def found_program() -> str | None:
    """The program: that of the wheel, else that of the variable QUANTLENS_PROGRAM or of the path; None where there is none."""
    inside = HERE / "bin" / "quantlens"
    return str(inside) if inside.exists() else os.environ.get("QUANTLENS_PROGRAM") or shutil.which("quantlens")


def program() -> str:
    """The same; raises NotFound where there is none."""
    found = found_program()
    if not found:
        raise NotFound("the program quantlens is neither in the package nor on the path; install the wheel, or put the folder of the "
                       "program into PATH")
    return found


class Server:
    """A server that runs until `stop()`, the end of its `with`, or of this process."""

    def __init__(self, process: subprocess.Popen[str], url: str):
        self._process, self.url = process, url

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __del__(self) -> None:
        if self._process.poll() is None:
            self.stop()

    def __repr__(self) -> str:
        return f"<quantlens server at {self.url}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank" rel="noopener">{self.url}</a>'


@public
def serve(
    *, port: Whole | None = None, workspace: Path | None = None, open: bool = False, roots: Sequence[Path] = (),
    options: Sequence[str] = (),
) -> Server:
    """Starts the server over the stored runs, on this machine alone, and returns once it answers. `url` has its token.
    `options`: what else `quantlens serve --help` names.

    >>> with quantlens.serve() as server:
    ...     print(server.url.split("?")[0].startswith("https://127.0.0.1:"))
    True
    """
    import subprocess  # both take longer to load than most calls of this package
    import threading

    words = [program(), "serve", *options]
    if port is not None:
        words += ["--port", str(port)]
    if workspace is not None:
        words += ["--workspace", str(workspace)]
    for root in roots:
        words += ["--root", str(root)]
    if open:
        words.append("--open")
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said: IO[str] = process.stdout  # type: ignore[assignment]
    lines = []
    for line in said:
        if found := re.search(r"https?://\S+", line):
            threading.Thread(target=said.read, daemon=True).start()  # what it says later must not fill the pipe
            return Server(process, found.group(0))
        lines.append(line)
    process.wait()
    raise Failed("".join(lines).strip().removeprefix("quantlens: ") or "the server ended before it answered")


@public
def demo(
    *, folder: Path | None = None, workspace: Path | None = None, threads: Whole | None = None, progress: Progress = True,
) -> tuple[Run, Run]:
    """Quantizes the network that comes with quantlens in two ways, one of which breaks it: the broken run, and the mended one.

    >>> broken, mended = quantlens.demo()
    >>> broken.accuracy.quantized.value < 0.9 < mended.accuracy.quantized.value
    True
    """
    inside = HERE / "share" / "quantlens" / "demo"
    below = pathlib.Path(folder or (inside if inside.exists() else _core.demo_folder))
    if not (below / "digits.onnx").exists():
        raise NotFound(f"{below}: the demo's model and data are not there; they are in the wheel and in examples/demo of the sources")
    with told(progress) as telling:
        asked = {"folder": str(below), "workspace": workspace, "threads": threads, "progress": telling}
        broken, mended = cast(Any, _core.demo(asked))
    return Run(broken), Run(mended)
