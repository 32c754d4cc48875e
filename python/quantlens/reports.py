# SPDX-License-Identifier: Apache-2.0
"""A stored run in one file, for a colleague or a pipeline."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import _core
from ._arguments import Number, Path, Progress, RunName, Share, public
from .errors import UsageError
from .progress import told
from .runs import stored_together
from .words import in_python


class Report(NamedTuple):
    """The file, and a sentence for each gate that was missed."""

    path: str
    missed: list[str]


@public
def report(
    run: RunName | Sequence[RunName] = "last", beside: RunName | None = None, *, output: Path = "report.html",
    fail_below: Number | None = None, max_loss: Share | None = None, absolute: bool = False, workspace: Path | None = None,
    progress: Progress = True,
) -> Report:
    """Writes a stored run, in HTML also a second one beside it (`[run, other]` are both), into a file that ends in .html, .md,
    .xml (JUnit) or .sarif; nothing is run. A gate that is missed is no error: `missed` says so.

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", (images, labels), metric="top1")
    >>> quantlens.report(run, output="report.html").missed
    []
    >>> len(quantlens.report(run, output="report.md", fail_below=60, max_loss="1%").missed)
    2
    """
    runs = list(run) if isinstance(run, list) else [run]  # as `public` has them
    runs += [] if beside is None else [beside]
    if len(runs) > 2:
        raise UsageError(f"report: {len(runs)} runs are given; a report holds one, in HTML two")
    ids, root = stored_together(runs, workspace)
    gates = {"fail_below": fail_below, "max_loss": max_loss, "absolute": absolute}
    with told(progress) as telling:
        missed = _core.report({"runs": ids, "output": output, **gates, "workspace": root, "progress": telling})
    return Report(str(output), [in_python(f"{which}: {because}" if len(runs) > 1 else because) for which, because in missed])
