# SPDX-License-Identifier: Apache-2.0
"""The verbs, as the command line has them. What is None keeps the default that `quantlens <verb> --help` names."""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _core
from .errors import NotFound, UsageError
from .models import is_folder, path_of, quantized_in, rooted
from .progress import told
from .runs import Run

if TYPE_CHECKING:
    from . import records

Callbacks = Sequence[Callable[[Run], Any]]  # each is called with the run when the verb has ended
Recipe = Any  # a dict, a text in YAML or JSON, a path, or a sequence of these, each laid over the one before


def _recipe_texts(recipe: Recipe) -> list[str] | None:
    if recipe is None:
        return None
    if isinstance(recipe, (Mapping, str, os.PathLike)):
        recipe = [recipe]
    if not isinstance(recipe, Sequence):
        raise UsageError(f"recipe: {type(recipe).__name__} is none; give a dict, a text in YAML or JSON, a path, or several of these")
    texts = []
    for one in recipe:
        if isinstance(one, Mapping):
            one = json.dumps(one)
        elif isinstance(one, os.PathLike) or (isinstance(one, str) and "{" not in one and "\n" not in one and ": " not in one):
            try:
                one = pathlib.Path(one).read_text(encoding="utf-8")
            except OSError as problem:
                raise NotFound(f"recipe: {one}: {problem.strerror}; check the path") from problem
        texts.append(one)
    return texts


def _data(data: Any, model: str, limit: int | None) -> Any:
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    from .data import samples_of  # NumPy takes longer to load than all of this package
    from .hugging_face import Preprocessor

    def ranks() -> dict[str, int | None]:
        return cast("dict[str, int | None]", _core.input_ranks({"model": model}))

    return samples_of(data, ranks, Preprocessor(model), limit)


def _check(callbacks: Any) -> None:
    """Before hours of work."""
    if not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
        raise UsageError("callbacks: give a list of functions, each of which takes the run")


def _handed(run: Run, callbacks: Callbacks) -> Run:
    for callback in callbacks:
        callback(run)
    return run


def _in_shards(verb: str, asked: dict[str, Any], executor: Any, shards: int | None) -> Any:
    """Computed by the executor's workers, and put together here: byte for byte what one process gathers."""
    from . import shards as parts

    if asked.get("metric") is not None and not isinstance(asked["metric"], str):
        raise UsageError("executor: a metric of your own keeps nothing that could be merged; name one that quantlens has")
    callbacks = asked["callbacks"]
    _check(callbacks)
    if callbacks and verb == "calibrate":
        raise UsageError("callbacks: with an executor calibrate makes no run to call them with; leave one of the two away")
    kept = ("progress", "callbacks", "workspace", "name", "output", "shard")
    given = {name: rooted(value) for name, value in asked.items() if value is not None and name not in kept}
    given.setdefault("threads", 1)
    with tempfile.TemporaryDirectory(prefix="quantlens-shards-") as below:
        made = parts.folders(executor, verb, given, shards, below)
        if verb == "calibrate":
            return merge(asked["output"], [folder / "statistics.bin" for folder in made])
        return judge(*map(parts.run_in, made), workspace=asked["workspace"], name=asked["name"], progress=asked["progress"],
                     callbacks=callbacks)


def _call(verb: str, asked: dict[str, Any], model: str) -> Run:
    """`asked`: what goes to C++ as it is, but for data, metric, progress and callbacks."""
    callbacks = asked.pop("callbacks")
    _check(callbacks)
    for name in ("data", "calibration_data"):
        if asked.get(name) is not None:
            asked[name] = _data(asked[name], model, asked.get("limit"))
    if not isinstance(asked.get("metric"), str | None):
        from .metrics import metric_of

        asked["metric"] = metric_of(asked["metric"])
    if "recipe" in asked:
        asked["recipe"] = _recipe_texts(asked["recipe"])
    for name in ("output", "workspace", "ranges", "emit_recipe", "trace"):
        if asked.get(name) is not None:
            asked[name] = os.fspath(asked[name])
    if asked.get("shard") is not None:
        asked["shard"] = list(asked["shard"])
    with told(asked["progress"]) as telling:
        run = Run(getattr(_core, verb)({**asked, "progress": telling}))
    return _handed(run, callbacks)


def quantize(
    model: Any, data: Any = None, *, output: Any = None, calibration_data: Any = None, ranges: Any = None, recipe: Recipe = None,
    diagnose: bool = False, verify: int | None = None, metric: Any = None, limit: int | None = None, batch_size: int | None = None,
    seed: int | None = None, threads: int | None = None, strict: bool = False, workspace: Any = None, name: str | None = None,
    progress: Any = True, callbacks: Callbacks = (), example_inputs: Any = None,
) -> Run:
    """Calibrates a float model, writes its int8 form, and, if asked, diagnoses and scores it.

    >>> run = quantlens.quantize("float.onnx", images, output="int8.onnx", recipe={"weight": {"granularity": "per_channel"}})
    >>> [(one.op.name, one.reason) for one in run.plan.ops if not one.quantized]
    [('/head/softmax/Softmax', 'Softmax has no integer form here')]
    """
    asked = locals()
    example = asked.pop("example_inputs")
    path = asked["model"] = path_of(model, example)
    if output is None and is_folder(model):
        asked["output"] = quantized_in(os.fspath(model), path)
    elif output is None and path != model and not isinstance(model, os.PathLike):
        asked["output"] = "quantized.onnx"
    return _call("quantize", asked, path)


def diagnose(
    reference: Any, quantized: Any, data: Any, *, metric: Any = None, local_samples: int | None = None, limit: int | None = None,
    batch_size: int | None = None, seed: int | None = None, threads: int | None = None, strict: bool = False,
    workspace: Any = None, name: str | None = None, progress: Any = True, callbacks: Callbacks = (),
    shard: tuple[int, int] | None = None, executor: Any = None, shards: int | None = None,
) -> Run:
    """Pairs two models, runs them in lockstep over the data and says where they differ. The quantized one may be of any
    tool. `executor`: any concurrent.futures.Executor, which computes the shards.

    >>> run = quantlens.diagnose("float.onnx", "per_tensor.onnx", images)
    >>> run.findings[0].op.name, run.findings[0].remedy
    ('/block3/conv/Conv', {'op_name_dict': {'/block3/conv/Conv': {'weight': {'granularity': 'per_channel'}}}})
    """
    asked = locals()
    executor, shards = asked.pop("executor"), asked.pop("shards")
    asked["reference"], asked["quantized"] = path_of(reference), path_of(quantized)
    if executor is not None:
        return _in_shards("diagnose", asked, executor, shards)
    return _call("diagnose", asked, asked["reference"])


def evaluate(
    model: Any, data: Any, metric: Any, *, against: Any = None, limit: int | None = None, batch_size: int | None = None,
    seed: int | None = None, threads: int | None = None, strict: bool = False, workspace: Any = None, name: str | None = None,
    progress: Any = True, callbacks: Callbacks = (), shard: tuple[int, int] | None = None, executor: Any = None,
    shards: int | None = None,
) -> Run:
    """A model's accuracy with its interval, alone or paired with another's.

    >>> def right(outputs, labels):
    ...     return outputs.argmax(1) == labels
    >>> told = quantlens.evaluate("per_tensor.onnx", (images, labels), right, against="float.onnx").accuracy
    >>> told.difference_interval[1] < 0
    True
    """
    asked = locals()
    executor, shards = asked.pop("executor"), asked.pop("shards")
    asked["model"] = path_of(model)
    asked["against"] = None if against is None else path_of(against)
    if executor is not None:
        return _in_shards("evaluate", asked, executor, shards)
    return _call("evaluate", asked, asked["model"])


def tune(
    model: Any, data: Any, metric: Any, *, output: Any = None, calibration_data: Any = None, recipe: Recipe = None,
    max_loss: float | None = None, absolute: bool = False, objective: str | None = None, strategy: str | None = None,
    seed: int | None = None, max_trials: int | None = None, timeout: float | None = None, resume: str | None = None,
    prices: str | None = None, diagnose_best: bool = False, emit_recipe: Any = None, limit: int | None = None,
    batch_size: int | None = None, threads: int | None = None, strict: bool = False, workspace: Any = None,
    name: str | None = None, progress: Any = True, callbacks: Callbacks = (),
) -> Run:
    """Searches for the recipe that serves the objective best and loses no more than it may. `run.study.reached` says whether
    the goal was met; the best model is at `run.output` in either case.

    >>> run = quantlens.tune("float.onnx", (images, labels), "top1", output="tuned.onnx", max_loss=0.02)
    >>> run.study.reached, run.output
    (True, 'tuned.onnx')
    """
    asked = locals()
    asked["model"] = path_of(model)
    return _call("tune", asked, asked["model"])


def calibrate(
    model: Any, data: Any, *, output: Any, recipe: Recipe = None, limit: int | None = None, batch_size: int | None = None,
    seed: int | None = None, threads: int | None = None, strict: bool = False, workspace: Any = None, name: str | None = None,
    progress: Any = True, callbacks: Callbacks = (), shard: tuple[int, int] | None = None, executor: Any = None,
    shards: int | None = None,
) -> Run | records.MergeResult:
    """Gathers statistics that `quantize(ranges=...)` takes instead of data. With an executor it returns what `merge` does.

    >>> run = quantlens.calibrate("float.onnx", images[:100], output="statistics.bin")
    >>> quantlens.quantize("float.onnx", ranges="statistics.bin", output="int8.onnx").output
    'int8.onnx'
    """
    asked = locals()
    executor, shards = asked.pop("executor"), asked.pop("shards")
    asked["model"] = path_of(model)
    if executor is not None:
        return _in_shards("calibrate", asked, executor, shards)
    return _call("calibrate", asked, asked["model"])


def merge(output: Any, inputs: Sequence[Any]) -> records.MergeResult:
    """Puts statistics of parts of the samples together: byte for byte those of one run over all of them.

    >>> for part in (1, 2):
    ...     run = quantlens.calibrate("float.onnx", images[:100], output=f"part{part}.bin", shard=(part, 2))
    >>> quantlens.merge("whole.bin", ["part1.bin", "part2.bin"]).samples
    100
    """
    given = {"output": os.fspath(output), "inputs": [os.fspath(one) for one in inputs]}
    return cast("records.MergeResult", _core.merge(given))


def profile(
    model: Any, other: Any = None, data: Any = None, *, warm_up: int | None = None, iterations: int | None = None,
    machine: bool = True, scaling: bool = True, verify: int | None = None, trace: Any = None, limit: int | None = None,
    batch_size: int | None = None, seed: int | None = None, threads: int | None = None, workspace: Any = None,
    name: str | None = None, progress: Any = True, callbacks: Callbacks = (),
) -> Run:
    """Where the time of a model goes, or of two, joined op by op.

    >>> run = quantlens.profile("float.onnx", "per_tensor.onnx", images, iterations=20, machine=False, scaling=False)
    >>> run.profile.reference.wall.median_us > 0, len(run.profile.ops) > 5
    (True, True)
    """
    asked = locals()
    asked["model"] = path_of(model)
    asked["other"] = None if other is None else path_of(other)
    return _call("profile", asked, asked["model"])


def benchmark(
    model: Any, other: Any = None, data: Any = None, *, batch_sizes: Sequence[int] | None = None, rounds: int | None = None,
    warmup: int | None = None, iterations: int | None = None, limit: int | None = None, seed: int | None = None,
    threads: int | None = None, workspace: Any = None, name: str | None = None, progress: Any = True, callbacks: Callbacks = (),
) -> Run:
    """Latency percentiles and throughput of one model, or of two whose runs alternate, in this process.

    >>> run = quantlens.benchmark("float.onnx", "per_tensor.onnx", rounds=1, iterations=20, batch_sizes=[1, 8])
    >>> [(one.model, one.batch_size) for one in run.benchmark.results]
    [('float.onnx', 1), ('per_tensor.onnx', 1), ('float.onnx', 8), ('per_tensor.onnx', 8)]
    """
    asked = locals()
    asked["model"] = path_of(model)
    asked["other"] = None if other is None else path_of(other)
    return _call("benchmark", asked, asked["model"])


def judge(*runs: Any, workspace: Any = None, name: str | None = None, progress: Any = True, callbacks: Callbacks = ()) -> Run:
    """Judges what earlier runs gathered by the rules of this version; several are parts of one.

    >>> parts = [quantlens.diagnose("float.onnx", "per_tensor.onnx", images, shard=(part, 2)) for part in (1, 2)]
    >>> quantlens.judge(*parts).findings[0].rule
    'spread_weight'
    """
    ids = [one.folder if isinstance(one, Run) else os.fspath(one) for one in runs]
    _check(callbacks)
    with told(progress) as telling:
        run = Run(_core.judge({"runs": ids, "workspace": None if workspace is None else os.fspath(workspace), "name": name,
                               "progress": telling}))
    return _handed(run, callbacks)


def inspect(model: Any) -> records.Inspection:
    """What is in a model, what would be quantized, and why the rest would not.

    >>> told = quantlens.inspect("float.onnx")
    >>> told.inputs[0].shape, told.op_counts["Conv"], told.stay_float
    ('[N,1,8,8]', 5, {'Softmax has no integer form here': 1})
    """
    return cast("records.Inspection", _core.inspect({"model": path_of(model)}))


def doctor() -> records.Checkup:
    """Which runtimes are there, and why one is not.

    >>> [one.available for one in quantlens.doctor().runtimes if one.name == "onnxruntime"]
    [True]
    """
    return cast("records.Checkup", _core.doctor({}))
