# SPDX-License-Identifier: Apache-2.0
"""`benchmark.fit`: latency and throughput, and with `diagnosis` the time of each node first."""
from __future__ import annotations

import csv
import pathlib
from collections.abc import Callable
from typing import Any

from .. import verbs
from ..errors import UsageError
from ..models import path_of
from ..runs import Run
from .config import BenchmarkConfig, options
from .model import Model


def fit(model: Any, conf: BenchmarkConfig, b_dataloader: Any = None, b_func: Callable[[Any], Any] | None = None) -> Any:
    path = path_of(model.model_path if isinstance(model, Model) else model)
    if b_func is not None:
        return b_func(Model(path))
    if b_dataloader is None:
        raise UsageError("benchmark.fit: give b_dataloader or b_func")
    if conf.num_of_instance > 1:
        raise UsageError("benchmark.fit: instances are processes, which read files; use 'quantlens benchmark --instances' for several")
    if conf.diagnosis:
        _profiled(path, conf, b_dataloader)
    run = verbs.benchmark(path, data=b_dataloader, warmup=conf.warmup, iterations=conf.iteration if conf.iteration > 0 else None,
                          batch_sizes=[size] if (size := getattr(b_dataloader, "batch_size", None)) else None, threads=conf.threads(),
                          name=conf.ni_workload_name)
    told = run.benchmark.results[0]  # type: ignore[union-attr]
    print(f"Batch size = {told.batch_size}")
    print(f"Latency: {told.latency_ms:.3f} ms")
    print(f"Throughput: {told.samples_per_second:.3f} images/sec")
    return run


def _profiled(path: str, conf: BenchmarkConfig, data: Any) -> Run:
    run = verbs.profile(path, data=data, iterations=None, verify=0, threads=conf.threads(), name=conf.ni_workload_name)
    print(run)
    folder = pathlib.Path(options.workspace)
    folder.mkdir(parents=True, exist_ok=True)
    columns = run.tables()["profile_nodes"]
    with open(folder / "profiling_table.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*columns.values()))
    return run
