# SPDX-License-Identifier: Apache-2.0
"""A stored run in one file, for a colleague or a pipeline."""
from __future__ import annotations

import os
from typing import Any, NamedTuple

from . import _core
from .progress import progress_of
from .runs import Run, _id, _workspace_of


class Report(NamedTuple):
    """The file, and a sentence for each gate that was missed."""

    path: str
    missed: list[str]


def report(
    run: Run | str = "last", beside: Run | str | None = None, *, output: Any = "report.html", fail_below: float | None = None,
    max_loss: float | None = None, absolute: bool = False, workspace: Any = None, progress: Any = True,
) -> Report:
    """Writes a stored run, in HTML also a second one beside it, into a file that ends in .html, .md, .xml (JUnit) or .sarif;
    nothing is run. A gate that is missed is no error: `missed` says so.

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", (images, labels), metric="top1")
    >>> quantlens.report(run, output="report.html").missed
    []
    >>> len(quantlens.report(run, output="report.md", fail_below=60).missed)
    1
    """
    runs = [run] if beside is None else [run, beside]
    path = os.fspath(output)
    asked = {"runs": [_id(one) for one in runs], "output": path, "fail_below": fail_below, "max_loss": max_loss, "absolute": absolute}
    missed = _core.report(asked, _workspace_of(run, workspace), progress_of(progress))
    return Report(path, [f"{which}: {because}" if len(runs) > 1 else because for which, because in missed])
