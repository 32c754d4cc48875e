# SPDX-License-Identifier: Apache-2.0
"""A run: what a verb returns, and what the workspace keeps of it."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from . import _core
from ._arguments import Number, Path, Progress, RunName, public
from .errors import NotFound, UsageError
from .progress import told
from .words import in_python

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

    from . import records
    from .histograms import TensorHistograms


def _frame(tables: dict[str, dict[str, list[Any]]], name: str) -> pandas.DataFrame:
    import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

    if name not in tables:
        raise NotFound(f"{name!r}: there is no such table; there are {', '.join(tables)}")
    return pandas.DataFrame(tables[name])


class Run:
    """The records of a run. Those that it did not make are None. `print(run)` shows it as the command line does."""

    def __init__(self, core: Any):
        self._core = core
        self._missed: list[str] = []

    def held_against(self, fail_below: Number | None) -> Run:
        """The same, with what `missed` has of this gate."""
        because = "" if fail_below is None else in_python(self._core.missed(fail_below))
        self._missed = [because] if because else []
        return self

    @property
    def missed(self) -> list[str]:
        """A sentence for each goal that was missed, where the command line ends with 3: what `fail_below` asked for, and what
        a search was to keep."""
        return self._missed + ([self.verdict] if self.study and not self.study.reached else [])

    @property
    def id(self) -> str:
        return self._core.id

    @property
    def folder(self) -> str:
        """Where the workspace keeps it."""
        return self._core.folder

    @property
    def output(self) -> str | None:
        """The file that it wrote: a model, or statistics."""
        return self._core.output or None

    @property
    def verdict(self) -> str:
        """What is to be known first, in a sentence or several."""
        return self._core.verdict

    @cached_property
    def run(self) -> records.Workload:
        return self._core.record("run")

    @cached_property
    def plan(self) -> records.Plan | None:
        return self._core.record("plan")

    @cached_property
    def float_edit(self) -> records.FloatEdit | None:
        return self._core.record("float_edit")

    @cached_property
    def diagnosis(self) -> records.Diagnosis | None:
        return self._core.record("diagnosis")

    @cached_property
    def accuracy(self) -> records.AccuracyRecord | None:
        return self._core.record("accuracy")

    @cached_property
    def study(self) -> records.Study | None:
        return self._core.record("study")

    @cached_property
    def profile(self) -> records.ProfileRecord | None:
        return self._core.record("profile")

    @cached_property
    def benchmark(self) -> records.Benchmark | None:
        return self._core.record("benchmark")

    @cached_property
    def statistics(self) -> records.StatisticsSummary | None:
        return self._core.record("statistics")

    @property
    def findings(self) -> list[records.Finding]:
        """Of its diagnosis, the gravest first."""
        return self.diagnosis.findings if self.diagnosis else []

    def to_dict(self) -> dict[str, Any]:
        """As `--output json` has it."""
        return self._core.to_dict()

    def tables(self) -> dict[str, dict[str, list[Any]]]:
        """All its tables, as `quantlens export --as csv` names them: columns by their titles."""
        return self._core.tables()

    @public
    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """One of `tables()`; without a name the one that the run is about."""
        from .notebook import main_table

        tables = self.tables()
        return _frame(tables, main_table(tables) if table is None else table)

    @public
    def histograms(self, values: Sequence[str] = ()) -> list[TensorHistograms]:
        """Of the tensors that a diagnosis compared, in the order of the network, weights behind them. `values`: only these, by
        their names in the float model."""
        from .histograms import Buckets, TensorHistograms

        return [TensorHistograms(tag, reference, quantized, Buckets(*counted), Buckets(*codes) if codes else None)
                for tag, reference, quantized, counted, codes in cast("list[Any]", self._core.histograms(list(values)))]

    def to_markdown(self) -> str:
        """As `--output markdown` has it."""
        return self._core.text(True, False)

    def __str__(self) -> str:
        return self._core.text(False, False)

    def __repr__(self) -> str:
        return f"<quantlens run {self.id}: {self.verdict}>"

    def _repr_html_(self) -> str:
        from .notebook import page_of

        return page_of(self)


class Compared:
    """What is different in the second of two runs. `output`: the file that was written, if one was; `missed`: a sentence where
    `fail_on` was asked for and the second run is worse."""

    def __init__(self, core: Any, output: str | None = None, missed: Sequence[str] = ()):
        self._core, self.output, self.missed = core, output, list(missed)

    @cached_property
    def record(self) -> records.Comparison:
        return self._core.record()

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return self._core.to_dict()

    @property
    def verdict(self) -> str:
        return self._dict["verdict"]

    @property
    def ops(self) -> list[records.ComparedOp]:
        return self.record.ops

    def to_dict(self) -> dict[str, Any]:
        """As `--output json` has it."""
        return self._dict

    def tables(self) -> dict[str, dict[str, list[Any]]]:
        """Those of the command line that have rows (recipe, findings, worse, better, lone, plan, times), and all `ops`: columns
        by their titles."""
        return self._core.tables()

    @public
    def to_pandas(self, table: str = "ops") -> pandas.DataFrame:
        """One of `tables()`."""
        return _frame(self.tables(), table)

    def to_markdown(self) -> str:
        """A comment for a pull request."""
        return self._core.text(True)

    def __str__(self) -> str:
        return self._core.text(False)

    def __repr__(self) -> str:
        return f"<quantlens comparison: {self.verdict}>"

    def _repr_html_(self) -> str:
        from .notebook import page_of_comparison

        return page_of_comparison(self)


def stored(run: Any, workspace: Path | None) -> tuple[str, str | None]:
    """Its id, and where it is kept: a run and a folder know that, unless another workspace is named."""
    workspace = None if workspace is None else os.fspath(workspace)
    if isinstance(run, Run) or (isinstance(run, str) and os.path.exists(os.path.join(run, "workload.json"))):
        folder = pathlib.Path(run.folder if isinstance(run, Run) else run).resolve()
        return folder.name, workspace or str(folder.parent.parent)
    return run if isinstance(run, str) else run.id, workspace


def stored_together(runs: Sequence[Any], workspace: Path | None) -> tuple[list[str], str | None]:
    """Of runs that one workspace must keep."""
    found = [stored(one, workspace) for one in runs]
    roots = sorted({root for _, root in found if root is not None})
    if len(roots) > 1:
        raise UsageError(f"the runs are in two workspaces, {' and '.join(roots)}; copy a run's folder to the other one")
    return [name for name, _ in found], roots[0] if roots else None


@public
def open_run(run: RunName = "last", *, workspace: Path | None = None) -> Run:
    """A stored run: its id, the beginning of it, its name, its folder, or "last".

    >>> run = quantlens.evaluate("float.onnx", (images, labels), "top1")
    >>> quantlens.open_run("last").id == run.id
    True
    """
    name, root = stored(run, workspace)
    return Run(_core.open_run({"run": name, "workspace": root}))


@public
def workloads(*, workspace: Path | None = None) -> list[records.ListedRun]:
    """All runs of the workspace, the newest first, each with its model's file name and its accuracy.

    >>> run = quantlens.evaluate("float.onnx", (images, labels), "top1", name="mine")
    >>> quantlens.workloads()[0].name
    'mine'
    """
    return cast("list[records.ListedRun]", _core.list_runs({"workspace": workspace}))


@public
def delete_run(run: RunName, *, workspace: Path | None = None) -> None:
    """Removes what the workspace keeps of it, and no model.

    >>> run = quantlens.evaluate("float.onnx", (images, labels), "top1")
    >>> quantlens.delete_run(run.id)
    >>> run.id in [one.id for one in quantlens.workloads()]
    False
    """
    name, root = stored(run, workspace)
    _core.delete_run({"run": name, "workspace": root})


@public
def compare(
    a: RunName, b: RunName, *, output: Path | None = None, fail_on: str | None = None, workspace: Path | None = None,
    progress: Progress = True,
) -> Compared:
    """Says what is different in the second of two stored runs; nothing is run. `output`: also writes a file that ends in .html,
    .md, .json or .csv. `fail_on="worse"`: `missed` says whether B is worse.

    >>> a = quantlens.diagnose("float.onnx", "per_tensor.onnx", (images, labels), metric="top1")
    >>> b = quantlens.quantize("float.onnx", (images, labels), output="int8.onnx", diagnose=True, metric="top1")
    >>> len(quantlens.compare(b, a, fail_on="worse").missed)
    1
    >>> quantlens.compare(a, b, output="comparison.html").record.accuracy.verdict
    'better'
    """
    if fail_on not in (None, "worse"):
        raise UsageError(f"compare: fail_on={fail_on!r} is not known; give 'worse' or leave it out")
    (first, second), root = stored_together([a, b], workspace)
    with told(progress) as telling:
        core = _core.compare({"a": first, "b": second, "output": output, "workspace": root, "progress": telling})
    because = in_python(core.worse()) if fail_on else ""
    return Compared(core, None if output is None else os.fspath(output), [because] if because else [])


@public
def tensorboard(
    run: RunName, *, logdir: Path = "runs", tensorboard_tags: str | None = None, workspace: Path | None = None,
    progress: Progress = True,
) -> list[str]:
    """Writes a stored run as event files that TensorBoard shows; the folders of its runs.

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", images, callbacks=[quantlens.tensorboard])
    >>> len(quantlens.tensorboard(run, logdir="logs"))
    2
    """
    name, root = stored(run, workspace)
    asked = {"run": name, "logdir": logdir, "tensorboard_tags": tensorboard_tags, "workspace": root}
    with told(progress) as telling:
        return _core.tensorboard({**asked, "progress": telling})


@public
def export(
    run: RunName, as_: str, output: Path | None = None, *, model: str | None = None, no_histograms: bool = False,
    workspace: Path | None = None, progress: Progress = True,
) -> str:
    """Writes a stored run for other programs: "csv" (`no_histograms`: without the largest file), "model-explorer", "netron" or
    "perfetto".

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", images)
    >>> quantlens.export(run, "csv", "tables")
    'tables'
    """
    if model not in (None, "reference", "quantized"):
        raise UsageError(f"export: model={model!r} is not known; give 'reference' or 'quantized'")
    name, root = stored(run, workspace)
    with told(progress) as telling:
        return _core.export({"run": name, "as_": as_, "output": output, "model": model, "no_histograms": no_histograms,
                             "workspace": root, "progress": telling})
