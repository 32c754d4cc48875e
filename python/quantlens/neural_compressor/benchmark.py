# SPDX-License-Identifier: Apache-2.0
"""`benchmark.fit`: latency and throughput, and with `diagnosis` the time of each node first."""
from __future__ import annotations

import csv
import json
import os
import subprocess
from collections.abc import Callable
from typing import Any, cast

from .. import verbs
from ..errors import Failed, UsageError
from ..models import kept_meanwhile, path_of
from ..program import program
from ..runs import Run, open_run
from .config import BenchmarkConfig, ends_of, options
from .model import Model


SAMPLES = 64  # of the data, that instances run


def fit(model: Any, conf: BenchmarkConfig, b_dataloader: Any = None, b_func: Callable[[Any], Any] | None = None) -> Any:
    path = path_of(model.model_path if isinstance(model, Model) else model)
    if b_func is not None:
        return b_func(Model(path))
    if b_dataloader is None:
        raise UsageError("benchmark.fit: give b_dataloader or b_func")
    if conf.diagnosis:
        _profiled(path, conf, b_dataloader)
    size = getattr(b_dataloader, "batch_size", None)
    if conf.num_of_instance > 1:
        run = _in_instances(path, conf, b_dataloader, size)
    else:
        run = verbs.benchmark(path, data=b_dataloader, warmup=conf.warmup, iterations=conf.iterations(),
                              batch_size=size or None, threads=conf.threads(), name=conf.ni_workload_name, **ends_of(conf, path))
    told = run.benchmark.results[0]  # type: ignore[union-attr]
    print(f"Batch size = {told.batch_size}")
    print(f"Latency: {told.latency_ms:.3f} ms")
    print(f"Throughput: {told.samples_per_second:.3f} images/sec")
    return run


def _in_instances(path: str, conf: BenchmarkConfig, data: Any, batch_size: int | None) -> Run:
    """Instances are processes of the program, which read files: they get the first samples."""
    import numpy as np

    from .. import _core
    from ..data import samples_of

    ranks = cast("dict[str, int | None]", _core.input_ranks({"model": path, "program": program(), **ends_of(conf, path)}))
    samples = samples_of(data, lambda: ranks, lambda given: given, SAMPLES)
    if samples is None or isinstance(samples, str):
        raise UsageError("benchmark.fit: b_dataloader gives no samples; give an iterable of (input, label)")
    read = [samples.read(index)[0] for index in range(min(samples.size, max(SAMPLES, batch_size or 1)))]
    columns = {name or next(iter(ranks)): np.stack([one[name] for one in read]) for name in read[0]}
    words = [program(), "benchmark", path, "--instances", conf.num_of_instance, "--warmup", conf.warmup, "--name", conf.ni_workload_name,
             "--output", "json", "--quiet"]
    for option, value in (("--cores-per-instance", conf.cores_per_instance), ("--batch-size", batch_size),
                          ("--iterations", conf.iterations())):
        words += [option, value] if value else []
    ends = ends_of(conf, path)
    for option, names in (("--inputs", ends.get("inputs")), ("--outputs", ends.get("outputs"))):
        words += [option, ",".join(names)] if names else []
    with kept_meanwhile("quantlens-benchmark-") as folder:
        np.savez(os.path.join(folder, "samples.npz"), **cast("Any", columns))
        words += ["--data", os.path.join(folder, "samples.npz")]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.strip().rpartition("quantlens: ")[2] or f"quantlens benchmark ended with {done.returncode}")
    return open_run(json.loads(done.stdout)["workload"])


def _profiled(path: str, conf: BenchmarkConfig, data: Any) -> Run:
    run = verbs.profile(path, data=data, warmup=conf.warmup, iterations=conf.iterations(), verify=0, threads=conf.threads(),
                        name=conf.ni_workload_name, **ends_of(conf, path))
    print(run)
    folder = options.folder()
    columns = run.tables()["profile_nodes"]
    with open(folder / "profiling_table.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*columns.values()))
    return run
