# SPDX-License-Identifier: Apache-2.0
"""A run: what a verb returns, and what the workspace keeps of it."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from . import _core

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

    from . import records
    from .histograms import TensorHistograms


class Run:
    """The records of a run. Those that it did not make are None. `print(run)` shows it as the command line does."""

    def __init__(self, core: Any):
        self._core = core

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

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """One of `tables()`; without a name the one that the run is about."""
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]

        tables = self.tables()
        if table is None:
            from .notebook import main_table

            table = main_table(tables)
        if table not in tables:
            raise KeyError(f"{table!r}: the run has no such table; it has {', '.join(tables)}")
        return pandas.DataFrame(tables[table])

    def histograms(self, values: Sequence[str] = ()) -> list[TensorHistograms]:
        """Of the tensors that a diagnosis compared, in the order of the network, weights behind them. `values`: only these, by
        their names in the float model."""
        from .histograms import Buckets, TensorHistograms

        return [TensorHistograms(tag, reference, quantized, Buckets(*counted), Buckets(*codes) if codes else None)
                for tag, reference, quantized, counted, codes in cast("list[Any]", self._core.histograms(list(values)))]

    def to_markdown(self) -> str:
        return self._core.text(True, False)

    def __str__(self) -> str:
        return self._core.text(False, False)

    def __repr__(self) -> str:
        return f"<quantlens run {self.id}: {self.verdict}>"

    def _repr_html_(self) -> str:
        from .notebook import page_of

        return page_of(self)


class Compared:
    """What is different in the second of two runs."""

    def __init__(self, record: records.Comparison, text: str, as_dict: dict[str, Any]):
        self.record, self._text, self._dict = record, text, as_dict

    @property
    def verdict(self) -> str:
        return self._dict["verdict"]

    @property
    def ops(self) -> list[records.ComparedOp]:
        return self.record.ops

    def to_dict(self) -> dict[str, Any]:
        return self._dict

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<quantlens comparison: {self.verdict}>"


def _root(workspace: Any) -> str:
    return "" if workspace is None else os.fspath(workspace)


def open_run(run: str = "last", *, workspace: Any = None) -> Run:
    """A stored run: its id, the beginning of it, or "last".

    >>> run = quantlens.evaluate("float.onnx", (images, labels), "top1")
    >>> quantlens.open_run("last").id == run.id
    True
    """
    return Run(_core.open_run(run, _root(workspace)))


def workloads(*, workspace: Any = None) -> list[records.Workload]:
    """All runs of the workspace, the newest first.

    >>> run = quantlens.evaluate("float.onnx", (images, labels), "top1", name="mine")
    >>> quantlens.workloads()[0].name
    'mine'
    """
    return cast("list[records.Workload]", _core.list_runs(_root(workspace)))


def delete_run(run: str, *, workspace: Any = None) -> None:
    """Removes what the workspace keeps of it, and no model.

    >>> run = quantlens.evaluate("float.onnx", (images, labels), "top1")
    >>> quantlens.delete_run(run.id)
    >>> run.id in [one.id for one in quantlens.workloads()]
    False
    """
    _core.delete_run(run, _root(workspace))


def _id(run: Run | str) -> str:
    return run.id if isinstance(run, Run) else run


def compare(a: Run | str, b: Run | str, *, workspace: Any = None) -> Compared:
    """Says what is different in the second of two stored runs; nothing is run.

    >>> a = quantlens.diagnose("float.onnx", "per_tensor.onnx", (images, labels), metric="top1")
    >>> b = quantlens.quantize("float.onnx", (images, labels), output="int8.onnx", diagnose=True, metric="top1")
    >>> quantlens.compare(a, b).record.accuracy.verdict
    'better'
    """
    told = cast(Any, _core.compare(_id(a), _id(b), _workspace_of(a, workspace), None))
    return Compared(*told)


def tensorboard(run: Run | str, *, logdir: str = "runs", workspace: Any = None) -> list[str]:
    """Writes a stored run as event files that TensorBoard shows; the folders of its runs.

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", images, callbacks=[quantlens.tensorboard])
    >>> len(quantlens.tensorboard(run, logdir="logs"))
    2
    """
    return _core.tensorboard(_id(run), os.fspath(logdir), _workspace_of(run, workspace), None)


def export(run: Run | str, form: str, output: str = "", *, workspace: Any = None) -> str:
    """Writes a stored run for other programs: "csv", "model-explorer", "netron" or "perfetto".

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", images)
    >>> quantlens.export(run, "csv", "tables")
    'tables'
    """
    return _core.export(_id(run), form, os.fspath(output), _workspace_of(run, workspace), None)


def _workspace_of(run: Run | str, workspace: Any) -> str:
    """A run knows where it is kept."""
    if workspace is None and isinstance(run, Run):
        return str(pathlib.Path(run.folder).parent.parent)
    return _root(workspace)
