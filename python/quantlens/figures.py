# SPDX-License-Identifier: Apache-2.0
"""What sets runs apart in one number or word each: for programs that list runs side by side."""
from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .models import read_json

if TYPE_CHECKING:
    from .runs import Run


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and not name.endswith("_dict"):  # their keys are regular expressions
        for key, one in value.items():
            yield from _leaves(one, f"{name}.{key}")
    elif value not in (None, [], {}):
        yield name, json.dumps(value) if isinstance(value, Mapping) else value


def params_of(run: Run) -> dict[str, Any]:
    """What was asked: models, data, metric, and each word of the recipe."""
    found: dict[str, Any] = {f"{one.role}_model": one.path for one in run.run.models}
    for used in run.run.data:
        found[used.role if used.role == "calibration" else "data"] = used.path or used.data
    found["metric"] = run.run.metric or None
    recipe = pathlib.Path(run.folder, "recipe.json")
    if recipe.exists():
        found.update(_leaves(read_json(recipe), "recipe"))
    if run.study:
        found.update(objective=run.study.goal.objective, max_loss=run.study.goal.max_loss, strategy=run.study.strategy)
    return {name: value for name, value in found.items() if value is not None}


def _of_accuracy(run: Run) -> dict[str, Any]:
    told = run.accuracy
    if not told:
        return {}
    low, high = told.quantized.interval or (None, None)
    found: dict[str, Any] = {"accuracy": told.quantized.value, "accuracy_low": low, "accuracy_high": high}
    if told.reference and told.difference is not None:
        low, high = told.difference_interval or (None, None)
        found.update(reference_accuracy=told.reference.value, accuracy_difference=told.difference, accuracy_difference_low=low,
                     accuracy_difference_high=high, answers_lost=told.lost, answers_gained=told.gained)
    return found


def _of_study(run: Run) -> dict[str, Any]:
    if not run.study:
        return {}
    found: dict[str, Any] = {"reference_accuracy": run.study.reference.value, "trials": len(run.study.trials),
                             "goal_reached": run.study.reached}
    best = next((one for one in run.study.trials if one.number == run.study.best), None)
    if best:
        found.update(accuracy=best.accuracy.value if best.accuracy else None, loss=best.loss, ops_quantized=best.ops_quantized,
                     ops_float=best.ops_float)
    return found


def _of_times(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if run.profile:
        found["reference_median_us"] = run.profile.reference.wall.median_us
        if run.profile.quantized:
            found.update(quantized_median_us=run.profile.quantized.wall.median_us, time_ratio=run.profile.ratio)
    if run.benchmark:
        for one in run.benchmark.results:
            of = "" if one.model == run.benchmark.results[0].model else "other_"
            told = {"latency_ms": one.latency_ms, "p99_ms": one.wall.p99_us / 1000, "samples_per_second": one.samples_per_second}
            found.update({f"{of}{name}_batch_{one.batch_size}": value for name, value in told.items()})
        found.update({f"time_ratio_batch_{one.batch_size}": one.ratio for one in run.benchmark.ratios})
    return found


def metrics_of(run: Run) -> dict[str, float]:
    """What came out, finite numbers only."""
    found: dict[str, Any] = {f"{one.role}_bytes": one.bytes for one in run.run.models}
    if run.plan:
        ops = [one for one in run.plan.ops if one.kind != "constant"]
        count = sum(one.quantized for one in ops)
        found.update(ops_quantized=count, ops_float=len(ops) - count)
    found.update(_of_accuracy(run))
    found.update(_of_study(run))
    found.update(_of_times(run))
    if run.diagnosis:
        found["findings"] = len(run.findings)
        found["worst_sqnr_db"] = min((one.sqnr_db for one in run.diagnosis.activations), default=None)
    if found.get("ops_quantized") is not None:
        found["quantized_share"] = found["ops_quantized"] / max(1, found["ops_quantized"] + found["ops_float"])
    return {name: float(value) for name, value in found.items() if value is not None and math.isfinite(value)}
