# SPDX-License-Identifier: Apache-2.0
"""tune: reaches its goals with most of a model in int8, and loses nothing when it misses one, is killed or goes on."""

import hashlib
import json
import random
import signal
import subprocess
import time

import harness

FAST = "{accuracy_level: fast}"
# keeps 99 % of the elements of each activation only
CLIPPED = "{accuracy_level: fast, activation: {algorithm: percentile, percentile: 99}}"
DIGITS = [harness.DEMO / "digits.onnx", "--data", harness.DEMO / "digits.npz", "--metric", "top1"]
STRATEGIES = ["auto", "basic", "conservative", "mse", "mse_v2", "random", "exhaustive", "bayesian"]
EQUIVALENTS = 10


def loads(path):
    import onnxruntime

    onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def tuned(sandbox, *arguments, code=0):
    done = sandbox.run("tune", *arguments, "--output", "json", code=code)
    return json.loads(done.stdout), done.stderr


def missed_goal(sandbox):
    out = sandbox.path / "missed.onnx"
    result, _ = tuned(sandbox, *DIGITS, "-o", out, "--max-loss", "-0.5", "--max-trials", "1", code=3)
    harness.check(not result["reached"] and result["evaluations"] == 1, "an impossible goal is missed with exit code 3")
    loads(out)
    scored = sandbox.json("evaluate", out, *DIGITS[1:])
    harness.check(scored["value"] == result["quantized"]["value"], f"the best model is there: {scored['value']}")
    text = sandbox.run("tune", *DIGITS, "-o", out, "--max-loss", "-0.5", "--max-trials", "2", code=3).stdout
    for wanted in ["Tune 1 result is: [Accuracy (int8|fp32): ", ", Duration (seconds) (int8|fp32): ",
                   ", Best tune result is: n/a", "Tune Result Statistics", "| Tune 2 result | Best tune result |",
                   "The goal was missed: trial "]:
        harness.check(wanted in text, f"it says: {wanted}")


def strategies(sandbox):
    """Each over a start that loses too much, and against the same run in a new workload."""
    for strategy in STRATEGIES:
        arguments = [*DIGITS, "--recipe", "{op_type_dict: {Conv: {weight: {granularity: per_tensor}}}}", "--strategy",
                     strategy, "--max-loss", "-0.003", "--max-trials", "5", "--seed", "3"]
        runs = []
        for name in ("a", "b"):
            result, _ = tuned(sandbox, *arguments, "-o", sandbox.path / f"{name}.onnx", code=None)
            runs.append((sandbox.workload(result["workload"]) / "study.json").read_bytes())
        judged = [t for t in result["trials"] if t["judged"] != "output_error"]
        harness.check(0 < len(judged) <= 5, f"{strategy}: {len(judged)} trials, {len(result['trials'])} in all")
        harness.check(runs[0] == runs[1], f"{strategy}: the same records from two runs")
        best = result["trials"][result["best"] - 1]
        worse = [t for t in judged if t["reached"] and not best["reached"]]
        harness.check(not worse, f"{strategy}: the best is trial {result['best']}, reached: {result['reached']}")


def multiplications():
    """Of the demo's network, by shapes that the onnx package infers."""
    import math

    import onnx

    model = onnx.shape_inference.infer_shapes(onnx.load(DIGITS[0]))
    shapes = {value.name: [max(dim.dim_value, 1) for dim in value.type.tensor_type.shape.dim]
              for value in [*model.graph.value_info, *model.graph.output]}
    weights = {tensor.name: list(tensor.dims) for tensor in model.graph.initializer}
    count = 0
    for node in model.graph.node:
        if node.op_type == "Conv":
            count += math.prod(weights[node.input[1]][1:]) * math.prod(shapes[node.output[0]])
        elif node.op_type in ("Gemm", "MatMul"):
            count += math.prod(weights[node.input[1]])
    return count


def work_in_int8(sandbox):
    out = sandbox.path / "share.onnx"
    result, _ = tuned(sandbox, *DIGITS, "-o", out, "--max-loss", "0.99")
    study = sandbox.record(result["workload"], "study.json")
    harness.check(study["multiply_adds"] == multiplications(), f"{study['multiply_adds']} multiplications, as shapes tell")
    harness.check(result["int8_share"] == 1 == study["trials"][0]["multiply_adds_quantized"] / study["multiply_adds"],
                  "  all in int8 by default")
    result, _ = tuned(sandbox, *DIGITS, "-o", out, "--max-loss", "0.99", "--recipe", "{op_type_dict: {Conv: fp32}}")
    harness.check(0 < result["int8_share"] < 0.01, f"  {result['int8_share']:.4f} where convolutions are float")


def emitted(sandbox, model, data, *extra):
    out, recipe, again = (sandbox.path / name for name in ("e.onnx", "e.json", "again.onnx"))
    result, _ = tuned(sandbox, model, "--data", data, "-o", out, "--emit-recipe", recipe, *extra, code=None)
    sandbox.run("quantize", model, "--data", data, "-o", again, "--recipe", recipe)
    harness.check(out.read_bytes() == again.read_bytes(), f"{model.name}: --emit-recipe gives the same bytes again")
    harness.check(json.loads(recipe.read_text()) == result["recipe"], "  and is what --output json has")


def killed(sandbox):
    """kill -9 at random moments, then --resume, until it is through: as if nothing had happened."""
    arguments = [*DIGITS, "--strategy", "basic", "--max-loss", "-0.5", "--max-trials", "14"]
    straight = sandbox.path / "straight.onnx"
    start = time.monotonic()
    result, _ = tuned(sandbox, *arguments, "-o", straight, code=3)
    seconds = time.monotonic() - start
    study = (sandbox.workload(result["workload"]) / "study.json").read_bytes()
    moments, through = random.Random(5), 0
    for moment in range(10):
        out = sandbox.path / f"killed{moment}.onnx"
        name = f"killed{moment}"
        process = subprocess.Popen([harness.program(), "tune", *map(str, arguments), "-o", out, "--name", name],
                                   env=sandbox.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.02, seconds))
        process.kill()
        through += process.wait(60) == 3
        rows = [row for row in sandbox.json("workloads", "list") if row["name"] == name]
        if out.exists():
            loads(out)
        if not rows:  # it had not begun
            continue
        sandbox.run("workloads", "show", rows[0]["id"])
        again, _ = tuned(sandbox, *arguments, "-o", out, "--resume", rows[0]["id"], code=3)
        harness.check(again["workload"] == rows[0]["id"] and again["trials"] == result["trials"] and
                      (sandbox.workload(rows[0]["id"]) / "study.json").read_bytes() == study and
                      out.read_bytes() == straight.read_bytes(), f"killed, resumed: the same study and model ({moment})")
    harness.check(through < 10, f"{10 - through} of 10 were killed before their end")
    more, _ = tuned(sandbox, *arguments[:-1], "16", "-o", straight, "--resume", result["workload"], code=3)
    harness.check(more["evaluations"] == 16 and more["trials"][:14] == result["trials"], "and more trials go on from there")
    for name, other in (("strategy", ["--strategy", "mse"]), ("goal", ["--max-loss", "0.2"]), ("seed", ["--seed", "4"]),
                        ("recipe", ["--recipe", FAST]), ("metric", ["--metric", "top5"]), ("data", ["--limit", "50"])):
        options = dict(zip(arguments[1::2], arguments[2::2])) | dict(zip(other[::2], other[1::2]))
        done = sandbox.run("tune", arguments[0], *(word for pair in options.items() for word in pair), "-o", straight,
                           "--resume", result["workload"], code=2)
        harness.check(f"other {name}" in done.stderr, f"--resume with another {name} is refused in a sentence")
    rows = [row for row in sandbox.json("workloads", "list") if row["id"] == result["workload"]]
    harness.check(rows[0]["state"] == "success", "which leaves the workload as it was")


def keeps_the_least_loss(sandbox):
    """Where the goal is missed, also of trials that ended early; and on from there."""
    out = sandbox.path / "least.onnx"
    start = "{accuracy_level: fast, activation: {algorithm: percentile, percentile: 60}}"
    arguments = [*DIGITS, "--recipe", start, "--strategy", "mse", "--max-loss", "-0.5", "-o", out]
    result, _ = tuned(sandbox, *arguments, "--max-trials", "5", code=3)
    asked = [t for t in result["trials"] if not t["closing"]]
    closing = [t for t in result["trials"] if t["closing"]]
    best = result["trials"][result["best"] - 1]
    harness.check([t["judged"] for t in asked] == ["whole"] + 4 * ["missed"] and len(asked) == result["evaluations"],
                  "four of five trials end early")
    harness.check(0 < len(closing) <= 3 and best in closing, f"{len(closing)} of them are scored to their end")
    losses = []
    for trial in asked:
        recipe = sandbox.workload(result["workload"]) / "trials" / str(trial["number"]) / "recipe.json"
        again = sandbox.json("quantize", *DIGITS, "--recipe", recipe, "-o", sandbox.path / "one.onnx")["quantized"]
        losses.append(1 - again["value"] / result["reference"]["value"])
    harness.check(abs(best["loss"] - min(losses)) < 1e-9, f"the best loses least of all: {best['loss']:.3f} of {losses}")
    study = (sandbox.workload(result["workload"]) / "study.json").read_bytes()
    same, _ = tuned(sandbox, *arguments, "--max-trials", "5", "--resume", result["workload"], code=3)
    harness.check(same["trials"] == result["trials"] and
                  (sandbox.workload(result["workload"]) / "study.json").read_bytes() == study, "--resume changes nothing")
    straight, _ = tuned(sandbox, *arguments, "--max-trials", "7", code=3)
    more, _ = tuned(sandbox, *arguments, "--max-trials", "7", "--resume", result["workload"], code=3)
    harness.check(more["trials"] == straight["trials"], "and more trials take the place of those that closed it")


def other_data(sandbox):
    """What has changed behind the same names is not gone on with."""
    import numpy as np

    samples, apart, out = sandbox.path / "data.npz", sandbox.path / "apart.npz", sandbox.path / "w.onnx"
    for path in (samples, apart):
        path.write_bytes(DIGITS[2].read_bytes())
    document = sandbox.write("data.yaml", "npz: {file: data.npz}")
    arguments = [DIGITS[0], "--data", document, "--calibration-data", apart, "--metric", "top1", "-o", out,
                 "--max-loss", "-0.5", "--max-trials", "2"]
    result, _ = tuned(sandbox, *arguments, code=3)
    resume = ["--resume", result["workload"]]
    done = sandbox.run("tune", *arguments, *resume, "--batch-size", "7", code=2)
    harness.check("another batch size" in done.stderr, "--resume with another batch size is refused")
    for path, what in ((apart, "other calibration data"), (samples, "other data")):
        before, arrays = path.read_bytes(), dict(np.load(path))
        arrays["label"] = arrays["label"][::-1].copy()
        np.savez(path, **arrays)
        done = sandbox.run("tune", *arguments, *resume, code=2)
        harness.check(f"that run had {what};" in done.stderr, f"--resume with {what} is refused")
        path.write_bytes(before)
    tuned(sandbox, *arguments, *resume, code=3)
    folder = sandbox.workload(result["workload"])
    for name, text in (("scores.json", "{}"), ("study.json", "["), ("times.json", "7"), ("workload.json", "{")):
        before = (folder / name).read_bytes()
        (folder / name).write_text(text)
        done = sandbox.run("tune", *arguments, *resume, code=1)
        harness.check(str(folder / name) in done.stderr, f"a damaged {name} is named: {done.stderr.strip()}")
        (folder / name).write_bytes(before)


def failing_trials(sandbox):
    """A first trial that fails is one that misses its goal; where all fail, that is the end."""
    out = sandbox.path / "f.onnx"
    program = sandbox.write("flaky.sh", "#!/bin/sh\necho >> calls; [ $(wc -l < calls) -ne $FAIL ] || exit 1\nwc -c < $1\n")
    program.chmod(0o755)
    arguments = [*DIGITS[:3], "--metric", f"command:{program}", "-o", out, "--max-loss", "-9", "--max-trials", "3",
                 "--strategy", "basic"]
    sandbox.environment["FAIL"] = "2"
    result, _ = tuned(sandbox, *arguments, code=3)
    harness.check([t["judged"] for t in result["trials"]] == ["failed", "whole", "whole"] and result["best"],
                  "the search goes on after a first trial that fails")
    (sandbox.path / "calls").unlink()
    sandbox.environment["FAIL"] = "1"
    harness.check("trial" not in sandbox.run("tune", *arguments, code=1).stderr, "the float model's failure is an error")
    program.write_text("#!/bin/sh\ncase $1 in *digits.onnx) echo 1;; *) exit 1;; esac\n")
    done = sandbox.run("tune", *arguments[:-2], "--name", "none", code=1)
    harness.check("none of 3 trials gave a model that runs; trial 1: " in done.stderr, "so is that of all others")


def no_int8(sandbox):
    """A model without an op that could be int8: each strategy tries the recipe as given."""
    import numpy as np
    from onnx import TensorProto, helper, save

    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 4]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Sin", ["x"], ["y"])], "g", value[:1], value[1:])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sandbox.path / "sin.onnx")
    np.savez(sandbox.path / "sin.npz", x=np.eye(4, dtype="f"), label=np.arange(4))
    for strategy in STRATEGIES:
        out = sandbox.path / f"sin.{strategy}.onnx"
        result, _ = tuned(sandbox, sandbox.path / "sin.onnx", "--data", sandbox.path / "sin.npz", "--metric", "top1",
                          "--strategy", strategy, "--max-trials", "2", "-o", out)
        harness.check(result["reached"] and result["output"] == str(out) and out.exists(), f"{strategy}: without int8")


def external_data(sandbox):
    """A model with its weights beside it is as large as both files, and its trials leave nothing behind."""
    model, out = external(sandbox, "beside"), sandbox.path / "beside.onnx"
    result, _ = tuned(sandbox, model, *DIGITS[1:], "-o", out, "--max-loss", "-0.5", "--max-trials", "3", code=3)
    files = [out, out.with_name("beside.onnx.data")]
    best = result["trials"][result["best"] - 1]
    digests = "".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)
    harness.check(best["bytes"] == sum(path.stat().st_size for path in files), "bytes are those of both files")
    harness.check(best["sha256"] == hashlib.sha256(digests.encode()).hexdigest(), "and so is the hash")
    study = sandbox.record(result["workload"], "study.json")
    size = sum(model.with_name(name).stat().st_size for name in ("ext.onnx", "ext.data"))
    harness.check(study["reference_bytes"] == size, "also of the float model")
    left = [path.name for path in sandbox.workload(result["workload"]).iterdir() if "candidate" in path.name]
    harness.check(not left, "no candidate is left behind")


def outlying(sandbox):
    """A classifier whose products read a value with two outlying channels, and data that it answers rightly."""
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper, save

    random, wide = np.random.default_rng(7), [3, 17]
    weights = {"q": random.normal(size=(32, 32)), "last": random.normal(size=(32, 8)),
               "gain": np.where(np.isin(np.arange(32), wide), 80, 1)}
    nodes = [helper.make_node("Mul", ["x", "gain"], ["v"]), helper.make_node("MatMul", ["v", "q"], ["vq"]),
             helper.make_node("Tanh", ["vq"], ["t"]), helper.make_node("MatMul", ["t", "last"], ["y"])]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in (("x", 32), ("y", 8))]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:],
                              [numpy_helper.from_array(value.astype("f"), name) for name, value in weights.items()])
    model, data = sandbox.path / "outlying.onnx", sandbox.path / "outlying.npz"
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    x = random.normal(size=(64, 32)).astype("f")
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    np.savez(data, x=x, label=session.run(None, {"x": x})[0].argmax(1))
    return [model, "--data", data, "--metric", "top1", *harness.eight_bits(), "-o",
            sandbox.path / "outlying.int8.onnx"]


def edited_models(sandbox):
    """Each trial has what was done to its float model; the edited model itself is kept of the best trial alone."""
    import onnx

    def edits(result):
        folder = sandbox.workload(result["workload"])
        mine = {path.parent.name: json.loads(path.read_text()) for path in folder.glob("trials/*/float_edit.json")}
        smoothed = {str(trial["number"]) for trial in result["trials"]
                    if trial["recipe"]["recipes"]["smooth_quant"] and trial["judged"] != "output_error"}
        harness.check(mine and set(mine) - {"start"} == smoothed, f"  {len(smoothed)} trials have their float_edit.json")
        harness.check(all(edit["model"] == "" and edit["outputs"] for edit in mine.values()), "  without a file of the model")
        left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                      if path.suffix == ".onnx" or path.name.startswith("candidate"))
        models = {model["role"]: model for model in sandbox.record(result["workload"], "workload.json")["models"]}
        return folder, left, models

    arguments = outlying(sandbox)
    result, _ = tuned(sandbox, *arguments, "--max-loss", "-0.5", "--max-trials", "9", "--recipe", FAST, code=3)
    best = result["trials"][result["best"] - 1]
    harness.check(not best["recipe"]["recipes"]["smooth_quant"], "the best trial has the float model as it is")
    folder, left, models = edits(result)
    harness.check(not left and not (folder / "float_edit.json").exists() and set(models) == {"reference", "quantized"},
                  f"  so the run has no edited one: {left}")

    smooth = "{accuracy_level: fast, recipes: {smooth_quant: true}}"
    result, _ = tuned(sandbox, *arguments, "--max-loss", "-0.5", "--max-trials", "3", "--recipe", smooth, code=3)
    folder, left, models = edits(result)
    edit = sandbox.record(result["workload"], "float_edit.json")
    digest = hashlib.sha256((folder / edit["model"]).read_bytes()).hexdigest()
    said = {one.key: one.value for one in onnx.load(arguments[-1]).metadata_props}
    harness.check(left == ["edited.onnx"] == [edit["model"]], "where it was made of an edited one, the run has that one")
    harness.check(digest == models["edited"]["sha256"] == said["quantlens.float_model"], "  it is what the file was made of")
    harness.check(models["edited"]["path"] == str(folder / "edited.onnx"), "  and workload.json says where it is")
    sandbox.run("diagnose", folder / "edited.onnx", arguments[-1], *arguments[1:3])


def another_output(sandbox):
    """The best model of the earlier run is in a new -o from the start."""
    arguments = [*DIGITS, "--strategy", "exhaustive", "--max-loss", "-0.5"]
    result, _ = tuned(sandbox, *arguments, "-o", sandbox.path / "first.onnx", "--max-trials", "2", code=3)
    out, recipe = sandbox.path / "second.onnx", sandbox.path / "second.json"
    process = subprocess.Popen([harness.program(), "tune", *map(str, arguments), "-o", out, "--emit-recipe", recipe,
                                "--max-trials", "100000", "--resume", result["workload"]], env=sandbox.environment,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdout.readline()  # the first trial, which is told again
    process.send_signal(signal.SIGINT)
    harness.check(process.wait(60) == 130 and recipe.exists(), "the best recipe is there after Ctrl-C at once")
    loads(out)
    now = json.loads((sandbox.workload(result["workload"]) / "study.json").read_text())
    best = now["trials"][now["best"] - 1]
    harness.check(hashlib.sha256(out.read_bytes()).hexdigest() == best["sha256"], "  and the model that the record names")


def interrupted(sandbox):
    out, name, said = sandbox.path / "asked.onnx", "asked", sandbox.path / "asked.txt"
    with said.open("w") as stderr:
        process = subprocess.Popen([harness.program(), "tune", *map(str, DIGITS), "-o", out, "--name", name, "--max-loss",
                                    "-0.5", "--strategy", "exhaustive", "--max-trials", "100000"], env=sandbox.environment,
                                   stdout=subprocess.DEVNULL, stderr=stderr)
    for _ in range(600):
        if out.exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    harness.check(process.wait(60) == 130, "Ctrl-C ends it with 130")
    text = said.read_text()
    harness.check(f"the best model so far is {out}" in text and "--resume" in text, "  and says what is kept, and how to go on")
    row = next(row for row in sandbox.json("workloads", "list") if row["name"] == name)
    harness.check((row["state"], row["message"]) == ("failure", "interrupted"), "  and the workload says so")
    loads(out)


def external(sandbox, name):
    """The demo's network with its weights in a file beside it."""
    import onnx

    folder = sandbox.path / name
    folder.mkdir()
    onnx.save_model(onnx.load(DIGITS[0]), folder / "ext.onnx", save_as_external_data=True, location="ext.data",
                    size_threshold=0)
    return folder / "ext.onnx"


def destinations(sandbox):
    """Nothing that is read is overwritten, nor is one file written twice."""
    model = external(sandbox, "external")
    samples, document = sandbox.path / "s.npz", sandbox.write("d.yaml", "npz: {file: s.npz}")
    samples.write_bytes(DIGITS[2].read_bytes())
    out, recipe = sandbox.path / "w.onnx", sandbox.write("r.json", "{}")
    read = [model, model.with_name("ext.data"), samples, document, recipe]
    before = [path.read_bytes() for path in read]
    for path in read:
        data = samples if path == samples else document
        arguments = [model, "--data", document, "--calibration-data", data, "--recipe", recipe]
        tune = ["tune", *arguments, "--metric", "top1", "--max-trials", "1"]
        for option, command in (("-o", ["quantize", *arguments, "-o", path]), ("-o", [*tune, "-o", path]),
                                ("--emit-recipe", [*tune, "-o", out, "--emit-recipe", path])):
            done = sandbox.run(*command, code=2)
            harness.check("would overwrite" in done.stderr and f"with {option}" in done.stderr,
                          f"{command[0]} {option} {path.name} is refused")
    for path in (samples, document, model.with_name("ext.data")):
        sandbox.run("calibrate", model, "--data", document, "-o", path, code=2)
    harness.check([path.read_bytes() for path in read] == before, "and nothing of it has changed")
    for path in (out, f"{out}.data", sandbox.path / "external" / ".." / "w.onnx"):
        done = sandbox.run("tune", model, *DIGITS[1:], "-o", out, "--emit-recipe", path, code=2)
        harness.check("with --emit-recipe" in done.stderr, "--emit-recipe is another file than -o and its data")
    done = sandbox.run("tune", *DIGITS, "-o", out, "--emit-recipe", sandbox.path / "no" / "r.json", code=1)
    harness.check("with --emit-recipe" in done.stderr, "  and is meant where its folder is not there")


def options(sandbox):
    for wrong in (["--max-loss", "nan"], ["--strategy", "best"], ["--objective", "fun"], ["--max-trials", "0"],
                  ["--timeout", "-1"], ["--resume", ""], ["--emit-recipe", harness.DEMO / "digits.npz"]):
        sandbox.run("tune", *DIGITS, "-o", sandbox.path / "w.onnx", *wrong, code=2)
    sandbox.run("tune", *DIGITS, "-o", sandbox.path / "w.onnx", "--resume", "nothing", code=1)
    result, _ = tuned(sandbox, *DIGITS, "-o", sandbox.path / "w.onnx", "--max-loss", "-0.5", "--strategy", "exhaustive",
                      "--max-trials", "100000", "--timeout", "2", code=3)
    harness.check(1 < result["evaluations"] < 100000, f"--timeout ends it after {result['evaluations']} trials")
    program = sandbox.write("score.sh", "#!/bin/sh\nwc -c < \"$1\"\n")
    program.chmod(0o755)
    result, _ = tuned(sandbox, harness.DEMO / "digits.onnx", "--data", harness.DEMO / "digits.npz", "--metric",
                      f"command:{program}", "-o", sandbox.path / "c.onnx", "--max-trials", "3", code=3)
    harness.check(result["quantized"]["value"] == (sandbox.path / "c.onnx").stat().st_size and
                  result["reference"]["samples"] == 0, "a program's figure is compared alone")


def equivalents(sandbox, model, data, metric, bare, result, seconds):
    """What came after calibration, in units of scoring the quantized model over everything."""
    start = time.monotonic()
    sandbox.run("evaluate", bare, "--data", data, "--metric", metric)
    one = time.monotonic() - start
    share = seconds / one
    harness.check(share <= EQUIVALENTS + 3, f"  {len(result['trials'])} trials, {share:.1f} equivalents, calibration included")


def real_models(sandbox):
    testdata = harness.TESTDATA
    if not testdata.is_dir():
        return print("the real models are left out: the test data are absent")
    cases = [("kwt1", testdata / "speech" / "kwt1_400.npz", "top1", FAST),
             ("kwt1", testdata / "speech" / "kwt1_400.npz", "top1", CLIPPED),
             ("mobilenet_v1_0.75_224", harness.imagenet(sandbox), harness.MOBILENET_METRIC, "{}"),
             ("mobilenet_v1_0.75_224", harness.imagenet(sandbox), harness.MOBILENET_METRIC,
              "{op_type_dict: {Conv: {weight: {granularity: per_tensor}}}}"),
             ("mobilenet_v1_0.75_224", harness.imagenet(sandbox), harness.MOBILENET_METRIC, harness.PER_TENSOR)]
    for name, data, metric, recipe in cases:
        out = sandbox.path / "real.onnx"
        start = time.monotonic()
        result, _ = tuned(sandbox, testdata / "models" / f"{name}.onnx", "--data", data, "--metric", metric, "--recipe",
                          recipe, "--max-loss", "0.01", "-o", out)
        seconds = time.monotonic() - start
        before, after = result["reference"]["value"], result["quantized"]["value"]
        harness.check(result["reached"] and after >= 0.99 * before, f"{name} from {recipe}: {after:.4f} of {before:.4f}")
        plan = sandbox.record(result["workload"], "plan.json")
        products = [op["quantized"] for op in plan["ops"] if op["type"] in ("MatMul", "Conv")]
        harness.check(sum(products) >= 0.9 * len(products), f"  {sum(products)} of {len(products)} MatMuls or Convs are int8")
        equivalents(sandbox, name, data, metric, out, result, seconds)
    # its second trial quantizes nothing
    result, _ = tuned(sandbox, testdata / "models" / "kwt1.onnx", "--data", testdata / "speech" / "kwt1_400.npz",
                      "--limit", "40", "--metric", "top1", "--strategy", "conservative", "--max-loss", "-1",
                      "--max-trials", "3", "-o", sandbox.path / "real.onnx", code=3)
    harness.check(not [t["failure"] for t in result["trials"] if t["failure"]], "kwt1, conservative: no trial fails")
    emitted(sandbox, testdata / "models" / "kwt1.onnx", testdata / "speech" / "kwt1_400.npz", "--metric", "top1",
            "--recipe", CLIPPED)


def main():
    harness.need("onnxruntime")
    sandbox = harness.Sandbox()
    missed_goal(sandbox)
    strategies(sandbox)
    work_in_int8(sandbox)
    emitted(sandbox, DIGITS[0], DIGITS[2], "--metric", "top1", "--max-loss", "-0.5", "--max-trials", "9")
    killed(sandbox)
    keeps_the_least_loss(sandbox)
    other_data(sandbox)
    failing_trials(sandbox)
    no_int8(sandbox)
    external_data(sandbox)
    edited_models(sandbox)
    another_output(sandbox)
    interrupted(sandbox)
    options(sandbox)
    destinations(sandbox)
    real_models(sandbox)


main()
