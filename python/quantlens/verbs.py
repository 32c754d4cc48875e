# SPDX-License-Identifier: Apache-2.0
"""The verbs, as the command line has them. What is None keeps the default that `quantlens <verb> --help` names."""
from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from . import _core
from ._arguments import (
    Callbacks, Data, Events, Executor, Metric, Model, Number, Part, Path, Progress, Recipe, RunName, Share, Whole, public,
)
from .errors import Error, Failed, UsageError
from .models import is_folder, is_saved_model, kept_meanwhile, path_of, quantized_in, rooted
from .progress import told
from .recipes import texts_of
from .runs import Run, stored

if TYPE_CHECKING:
    from . import records


def _reading(asked: dict[str, Any]) -> dict[str, Any]:
    """How models are read: between which ends, and by which program where a worker alone reads them."""
    from .program import found_program

    return {"program": found_program(), **{name: asked[name] for name in ("inputs", "outputs") if name in asked}}


def _data(data: Any, model: str, limit: int | None, reading: dict[str, Any]) -> Any:
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    from .data import samples_of  # NumPy takes longer to load than all of this package
    from .hugging_face import Preprocessor

    def ranks() -> dict[str, int | None]:
        return cast("dict[str, int | None]", _core.input_ranks({"model": model, **reading}))

    try:
        return samples_of(data, ranks, Preprocessor(model), limit)
    except Error:
        raise
    except Exception as problem:
        raise Failed(f"the data raised {type(problem).__name__}: {' '.join(str(problem).split())}") from problem


def _handed(run: Run, callbacks: Callbacks) -> Run:
    for callback in callbacks:
        callback(run)
    return run


def _in_shards(verb: str, asked: dict[str, Any], executor: Any, shards: Any) -> Any:
    """Computed by the executor's workers, and put together here: byte for byte what one process gathers."""
    from . import shards as parts

    if asked.get("metric") is not None and not isinstance(asked["metric"], str):
        raise UsageError("executor: a metric of your own keeps nothing that could be merged; name one that quantlens has")
    if asked.get("shard") is not None or asked.get("samples") is not None:
        raise UsageError(f"{verb}: an executor computes all samples; leave shard and samples away, or the executor")
    if verb == "evaluate" and asked["metric"].partition(":")[0] == "command":
        raise UsageError("executor: a metric that is a program scores whole models, and no parts of the data; leave executor "
                         "away, or name a metric that reads data")
    callbacks = asked["callbacks"]
    if callbacks and verb == "calibrate":
        raise UsageError("callbacks: with an executor calibrate makes no run to call them with; leave one of the two away")
    kept = ("progress", "callbacks", "workspace", "name", "output", "fail_below", "tensorboard", "tensorboard_tags")
    paths = ("model", "against", "reference", "quantized", "data")  # other texts are words, whatever files are called so
    given = {name: value for name, value in asked.items() if value is not None and name not in kept}
    given.update((name, rooted(given[name])) for name in paths if name in given)
    given.setdefault("threads", 1)
    if given.get("recipe") is not None:  # workers have a workspace of their own
        given["recipe"] = [text for text, _ in texts_of(asked["recipe"], asked["workspace"])]
    parts.check_portable(given)
    count = parts.count_of(executor, shards, _most_shards(verb, asked))
    with kept_meanwhile("quantlens-shards-") as below:
        made = parts.folders(executor, verb, given, count, below)
        if verb == "calibrate":
            return _merged_into(asked["output"], made, below)
        runs = [parts.run_in(folder) for folder in made]
        if verb == "diagnose":  # local errors and trials are of the first samples, which are run here
            return _call(verb, {**asked, "gathered": [os.fspath(run) for run in runs]}, asked["reference"])
        together = {"runs": [os.fspath(run) for run in runs], "workspace": asked["workspace"], "name": asked["name"], "verb": verb}
        return _handed(_judged(together, asked["progress"]), callbacks)


def _most_shards(verb: str, asked: dict[str, Any]) -> int:
    """One for each batch. Refuses what the verb would refuse before it begins."""
    model = asked["reference"] if verb == "diagnose" else asked["model"]
    given = {name: asked.get(name) for name in ("limit", "batch_size", "seed", "output")}
    if asked.get("recipe") is not None:
        given["recipe"] = texts_of(asked["recipe"], asked["workspace"])
    given.update(_reading(asked))
    return _core.most_shards({**given, "model": model, "data": _data(asked["data"], model, asked.get("limit"), _reading(asked))})


def _merged_into(output: Any, made: list[pathlib.Path], below: str) -> records.MergeResult:
    """As a run writes its output: over a file that is there."""
    told = merge(os.path.join(below, "merged.bin"), [folder / "statistics.bin" for folder in made])
    to = os.path.realpath(os.fspath(output))
    part = f"{to}.part{os.getpid()}"
    shutil.copyfile(told.output, part)
    os.replace(part, to)
    told.output = os.fspath(output)
    return told


def gather(verb: str, asked: dict[str, Any]) -> Run:
    """A part of what a verb looks at, on a worker: of two models nothing is judged, since all parts are judged together."""
    if verb == "diagnose":
        return _call(verb, {**asked, "only_gather": True, "callbacks": ()}, asked["reference"])
    return cast(Run, globals()[verb](**asked))


def _with_program(asked: dict[str, Any]) -> None:
    """Models that run elsewhere than in this process run in one of the program: where that is asked, and those of TensorFlow."""
    from .program import found_program, program

    isolate = asked.get("isolate", False)
    if asked.get("isolate_timeout") is not None and not isolate:
        raise UsageError("isolate_timeout: goes with isolate=True; give both or none")
    asked["program"] = program() if isolate else found_program()
    if asked.get("instances") is not None or asked.get("cores_per_instance") is not None:
        asked["instance_program"] = program()


def _call(verb: str, asked: dict[str, Any], model: str) -> Run:
    """`asked`: what goes to C++ as it is, but for data, metric, recipe, progress, callbacks and gates."""
    callbacks, fail_below = asked.pop("callbacks"), asked.pop("fail_below", None)
    _with_program(asked)
    if asked.get("shard") is not None and asked.get("samples") is not None:
        raise UsageError("shard and samples exclude each other; give one of them")
    if not isinstance(asked.get("metric"), str | None):
        from .metrics import metric_of

        asked["metric"] = metric_of(asked["metric"])
    if asked.get("recipe") is not None:
        asked["recipe"] = texts_of(asked["recipe"], asked["workspace"])
    for name in ("data", "calibration_data"):
        if asked.get(name) is not None:
            asked[name] = _data(asked[name], model, asked.get("limit"), _reading(asked))
    with told(asked["progress"]) as telling:
        run = Run(getattr(_core, verb)({**asked, "progress": telling}))
        for sentence in asked["metric"].notes() if hasattr(asked.get("metric"), "notes") else ():
            if telling is not None:
                telling.note(sentence)
    return _handed(run.held_against(fail_below), callbacks)


@public
def quantize(
    model: Model, data: Data = None, *, output: Path | None = None, calibration_data: Data = None, ranges: Path | None = None,
    recipe: Recipe = None, approach: str | None = None, format: str | None = None, accuracy_level: str | None = None,
    target: str | None = None, diagnose: bool = False, verify: Whole | None = None, tensorboard: Events | None = None,
    tensorboard_tags: str | None = None, metric: Metric = None, limit: Whole | None = None, batch_size: Whole | None = None,
    inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
    seed: Whole | None = None, strict: bool = False, isolate: bool = False, isolate_timeout: Number | None = None,
    workspace: Path | None = None, name: str | None = None, threads: Whole | None = None, progress: Progress = True,
    callbacks: Callbacks = (), example_inputs: Any = None,
) -> Run:
    """Calibrates a float model, writes its int8 form, and, if asked, diagnoses and scores it. A list of recipes is laid one over
    the other: `[mine, run.findings[0].remedy]`.

    >>> run = quantlens.quantize("float.onnx", images, output="int8.onnx", recipe={"weight": {"granularity": "per_channel"}})
    >>> [(one.op.name, one.reason) for one in run.plan.ops if not one.quantized]
    [('/head/softmax/Softmax', 'Softmax has no integer form here')]
    """
    asked = locals()
    example = asked.pop("example_inputs")
    if verify is not None and not diagnose:
        raise UsageError("quantize: verify tries what a diagnosis found; give diagnose=True as well")
    path = asked["model"] = path_of(model, example)
    if output is None and is_folder(model) and not is_saved_model(model):
        asked["output"] = quantized_in(os.fspath(model), path)
    elif output is None and path != model and not isinstance(model, os.PathLike):
        asked["output"] = "quantized.onnx"
    return _call("quantize", asked, path)


@public
def diagnose(
    reference: Model, quantized: Model, data: Data, *, metric: Metric = None, local: Whole | None = None,
    inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
    fail_below: Number | None = None, tensorboard: Events | None = None, tensorboard_tags: str | None = None,
    limit: Whole | None = None, batch_size: Whole | None = None, seed: Whole | None = None, strict: bool = False,
    isolate: bool = False, isolate_timeout: Number | None = None, workspace: Path | None = None, name: str | None = None,
    threads: Whole | None = None, progress: Progress = True, callbacks: Callbacks = (), shard: Part | None = None,
    samples: Part | None = None, executor: Executor | None = None, shards: Whole | None = None,
) -> Run:
    """Pairs two models, runs them in lockstep over the data and says where they differ. The quantized one may be of any
    tool. `fail_below`: what `missed` of the run is about. `executor`: any concurrent.futures.Executor, which computes the shards.

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


@public
def evaluate(
    model: Model, data: Data, metric: Metric, *, against: Model | None = None, inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None, limit: Whole | None = None, batch_size: Whole | None = None,
    seed: Whole | None = None, strict: bool = False, isolate: bool = False, isolate_timeout: Number | None = None,
    workspace: Path | None = None, name: str | None = None, threads: Whole | None = None,
    progress: Progress = True, callbacks: Callbacks = (), shard: Part | None = None, samples: Part | None = None,
    executor: Executor | None = None, shards: Whole | None = None,
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


@public
def tune(
    model: Model, data: Data, metric: Metric, *, output: Path | None = None, calibration_data: Data = None, recipe: Recipe = None,
    inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
    accuracy_level: str | None = None, max_loss: Share | None = None, absolute: bool = False, objective: str | None = None,
    strategy: str | None = None, max_trials: Whole | None = None, timeout: Number | None = None, resume: RunName | None = None,
    prices: Path | None = None, diagnose_best: bool = False, emit_recipe: Path | None = None, tensorboard: Events | None = None,
    tensorboard_tags: str | None = None, limit: Whole | None = None, batch_size: Whole | None = None, seed: Whole | None = None,
    strict: bool = False, isolate: bool = False, isolate_timeout: Number | None = None, workspace: Path | None = None,
    name: str | None = None, threads: Whole | None = None, progress: Progress = True, callbacks: Callbacks = (),
) -> Run:
    """Searches for the recipe that serves the objective best and loses no more than it may. `run.study.reached` says whether
    the goal was met; the best model is at `run.output` in either case.

    >>> run = quantlens.tune("float.onnx", (images, labels), "top1", output="tuned.onnx", max_loss=0.02)
    >>> run.study.reached, run.output
    (True, 'tuned.onnx')
    """
    asked = locals()
    asked["model"] = path_of(model)
    if resume is not None:
        asked["resume"], asked["workspace"] = stored(resume, workspace)
    return _call("tune", asked, asked["model"])


@public
def calibrate(
    model: Model, data: Data, *, output: Path, recipe: Recipe = None, inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None, limit: Whole | None = None,
    batch_size: Whole | None = None, seed: Whole | None = None, strict: bool = False, isolate: bool = False,
    isolate_timeout: Number | None = None, workspace: Path | None = None, name: str | None = None, threads: Whole | None = None,
    progress: Progress = True, callbacks: Callbacks = (), shard: Part | None = None, samples: Part | None = None,
    executor: Executor | None = None, shards: Whole | None = None,
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


@public
def merge(output: Path, inputs: Sequence[Path]) -> records.MergeResult:
    """Puts statistics of parts of the samples together: byte for byte those of one run over all of them.

    >>> for part in (1, 2):
    ...     run = quantlens.calibrate("float.onnx", images[:100], output=f"part{part}.bin", shard=(part, 2))
    >>> quantlens.merge("whole.bin", ["part1.bin", "part2.bin"]).samples
    100
    """
    return cast("records.MergeResult", _core.merge({"output": output, "inputs": inputs}))


@public
def profile(
    model: Model, other: Model | None = None, data: Data = None, *, inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None, warmup: Whole | None = None, iterations: Whole | None = None,
    machine: bool = True, scaling: bool = True, verify: Whole | None = None, trace: Path | None = None,
    limit: Whole | None = None, batch_size: Whole | None = None, seed: Whole | None = None, strict: bool = False,
    isolate: bool = False, isolate_timeout: Number | None = None, workspace: Path | None = None, name: str | None = None,
    threads: Whole | None = None, progress: Progress = True, callbacks: Callbacks = (),
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


@public
def benchmark(
    model: Model, other: Model | None = None, data: Data = None, *, inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None, batch_size: Whole | Sequence[Whole] | None = None,
    rounds: Whole | None = None, warmup: Whole | None = None, iterations: Whole | None = None, instances: Whole | None = None,
    cores_per_instance: Whole | None = None, limit: Whole | None = None, seed: Whole | None = None, isolate: bool = False,
    isolate_timeout: Number | None = None, workspace: Path | None = None, name: str | None = None, threads: Whole | None = None,
    progress: Progress = True, callbacks: Callbacks = (),
) -> Run:
    """Latency percentiles and throughput of one model, or of two whose runs alternate, in this process.

    >>> run = quantlens.benchmark("float.onnx", "per_tensor.onnx", rounds=1, iterations=20, batch_size=[1, 8])
    >>> [(one.model, one.batch_size) for one in run.benchmark.results]
    [('float.onnx', 1), ('per_tensor.onnx', 1), ('float.onnx', 8), ('per_tensor.onnx', 8)]
    """
    asked = locals()
    asked["batch_sizes"] = asked.pop("batch_size")
    asked["model"] = path_of(model)
    asked["other"] = None if other is None else path_of(other)
    return _call("benchmark", asked, asked["model"])


@public
def judge(
    *runs: RunName, fail_below: Number | None = None, workspace: Path | None = None, name: str | None = None,
    threads: Whole | None = None, progress: Progress = True, callbacks: Callbacks = (),
) -> Run:
    """Judges what earlier runs gathered by the rules of this version; several are parts of one.

    >>> parts = [quantlens.diagnose("float.onnx", "per_tensor.onnx", images, shard=(part, 2)) for part in (1, 2)]
    >>> quantlens.judge(*parts).findings[0].rule
    'spread_weight'
    """
    if not runs:
        raise UsageError("judge: no run is given; give one, or all parts of one")
    names = [one.folder if isinstance(one, Run) else getattr(one, "id", one) for one in runs]
    asked = {"runs": names, "workspace": workspace, "name": name, "threads": threads}
    return _handed(_judged(asked, progress).held_against(fail_below), callbacks)


def _judged(asked: dict[str, Any], progress: Any) -> Run:
    with told(progress) as telling:
        return Run(_core.judge({**asked, "progress": telling}))


@public
def inspect(
    model: Model, *, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
) -> records.Inspection:
    """What is in a model, what would be quantized, and why the rest would not. The model may be a frozen TensorFlow graph.

    >>> told = quantlens.inspect("float.onnx")
    >>> told.inputs[0].shape, told.op_counts["Conv"], told.stay_float
    ('[N,1,8,8]', 5, {'Softmax has no integer form here': 1})
    """
    asked = {"inputs": inputs, "outputs": outputs}
    return cast("records.Inspection", _core.inspect({"model": path_of(model), **_reading(asked)}))


@public
def doctor() -> records.Checkup:
    """Which runtimes are there, and why one is not.

    >>> [one.available for one in quantlens.doctor().runtimes if one.name == "onnxruntime"]
    [True]
    """
    return cast("records.Checkup", _core.doctor({}))
