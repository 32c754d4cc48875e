# SPDX-License-Identifier: Apache-2.0
"""Two stored runs set against each other: a run with itself, a real difference, a model under other names, and many pairs
of runs between which nothing has changed."""

import json
import shutil

import harness

harness.need("numpy", "onnx")

import numpy as np
import onnx
from onnx import helper

PAIRS = 20


def compare(sandbox, a, b, **options):
    return json.loads(sandbox.run("compare", a, b, "--output", "json", **options).stdout)


def told(made):
    return [op for op in made["ops"] if op["verdict"] in ("better", "worse")]


def quantize(sandbox, model, name, *options):
    done = sandbox.run("quantize", model, "--calibration-data", harness.DEMO / "calibration.npz", "-o", f"{name}.onnx", "--diagnose",
                       "--data", harness.DEMO / "digits.npz", "--metric", "top1", *options)
    return harness.identity_of(done)


def with_itself(sandbox, run):
    made = compare(sandbox, run, run)
    harness.check(all(op["verdict"] == "equal" and op["difference_db"] == 0 for op in made["ops"]), "a run with itself: all equal")
    harness.check(made["ops"] and not made["only_a"] and not made["only_b"], "and all ops have themselves as partners")
    harness.check(not made["recipe"] and not made["plan"] and made["accuracy"]["difference"] == 0, "nothing else differs")
    harness.check(all(one["change"] == "same" for one in made["findings"]), "no finding is new or gone")
    harness.check(made["accuracy"]["verdict"] == "equal", "the accuracy is equal")
    harness.check("no difference" in made["verdict"], "and the verdict says so")
    harness.check(sandbox.run("compare", run, run, "--fail-on", "worse").returncode == 0, "the gate is reached")
    bare = harness.identity_of(sandbox.run("quantize", harness.DEMO / "digits.onnx", "-o", "bare.onnx", "--data", "random"))
    unchecked = sandbox.run("compare", run, bare, "--fail-on", "worse", code=3)
    harness.check("cannot be told" in unchecked.stderr, "and missed where nothing can be told: " + unchecked.stderr.strip())


def the_same_again(sandbox, run):
    again = quantize(sandbox, harness.DEMO / "digits.onnx", "again")
    made = compare(sandbox, run, again)
    harness.check(not told(made) and all(op["difference_db"] == 0 for op in made["ops"]), "made again it is the same")
    harness.check(made["verdict"].startswith("No difference"), "and the verdict says so")


def another_recipe(sandbox, run):
    other = quantize(sandbox, harness.DEMO / "digits.onnx", "tensor", "--recipe", harness.PER_TENSOR)
    made = compare(sandbox, run, other)
    harness.check(made["counts"]["only_a"] == made["counts"]["only_b"] == 0, "the same reference: all ops are matched")
    harness.check(all(op["matched_by"] == "id" for op in made["ops"]), "by their ids")
    harness.check(all(op["paired"] for op in made["ops"] if op["difference_interval"]), "the same data: intervals are paired")
    differences = {one["option"]: (one["a"], one["b"]) for one in made["recipe"]}
    harness.check(any("granularity" in option for option in differences), f"the recipe's difference is told: {differences}")
    harness.check(any(one["other_weight"] for one in made["plan"]), "and the plan's")
    shown = {run: sandbox.json("workloads", "show", one)["result"]["diagnosis"] for run, one in (("a", run), ("b", other))}
    for side, diagnosis in shown.items():
        rows = {row["value"]: row["sqnr_db"] for row in diagnosis["activations"]}
        harness.check(all(op[f"sqnr_{side}_db"] == rows[op[f"value_{side}"]] for op in made["ops"]), f"figures are those of {side}")
    reverse = {op["a"]["id"]: op for op in compare(sandbox, other, run)["ops"]}
    mirrored = {"better": "worse", "worse": "better"}
    harness.check(all(reverse[op["b"]["id"]]["verdict"] == mirrored.get(op["verdict"], op["verdict"]) for op in made["ops"]),
                  "the other way round, better is worse")
    return other


def mobilenet(sandbox):
    """Weights of depthwise convolutions differ most between channels, so one scale for all costs most there."""
    if not harness.TESTDATA.is_dir():
        print("left out MobileNet: the test data are absent")
        return
    model, data = harness.TESTDATA / "models" / "mobilenet_v1_0.25_224.onnx", harness.imagenet(sandbox)
    runs = [harness.identity_of(sandbox.run("quantize", model, "--data", data, "--limit", 32, "-o", f"mobilenet{i}.onnx", "--diagnose",
                                            *options)) for i, options in enumerate(([], ["--recipe", harness.PER_TENSOR]))]
    made = compare(sandbox, *runs)
    first = made["ops"][0]
    harness.check(first["verdict"] == "worse" and "depthwise" in first["b"]["name"], f"MobileNet: {first['b']['name']} comes first")
    harness.check(made["counts"]["worse"] > 20 and not made["counts"]["better"], "per tensor most ops are worse and none is better")
    sandbox.run("compare", *runs, "--fail-on", "worse", code=3)
    sandbox.run("compare", *reversed(runs), "--fail-on", "worse")


def formats(sandbox, a, b):
    text = sandbox.run("compare", a, b).stdout
    harness.check(max(map(len, text.splitlines())) <= 100, "the text is 100 columns wide")
    harness.check("accuracy" in text.split("\n\n")[0], "and begins with the verdict")
    harness.check(sandbox.run("compare", a, b, "--output", "markdown").stdout.startswith("## "), "Markdown is printed")
    csv = sandbox.run("compare", a, b, "--output", "csv").stdout.splitlines()
    harness.check(len(csv) == 1 + len(compare(sandbox, a, b)["ops"]), "CSV has a line for each op")
    for ending in (".html", ".md", ".json", ".csv"):
        sandbox.run("compare", a, b, "-o", "made" + ending)
        harness.check((sandbox.path / ("made" + ending)).stat().st_size > 500, f"a file ending in {ending}")
    sandbox.run("compare", a, a, "-o", "same.html")
    html = (sandbox.path / "made.html").read_text()
    harness.check(a in html and b in html, "the page holds both runs")


def renamed(model, path):
    """The model as another exporter would have written it: other names of values, weights and nodes, nodes in another order
    that is also one, and an Identity at the end."""
    graph = model.graph
    names = {}

    def new(name):
        return names.setdefault(name, f"other/{len(names)}:é'") if name else ""

    for value in [*graph.input, *graph.output, *graph.value_info]:
        value.name = new(value.name)
    for tensor in graph.initializer:
        tensor.name = new(tensor.name)
    for i, node in enumerate(graph.node):
        node.name = f"step {i}"
        node.input[:] = map(new, node.input)
        node.output[:] = map(new, node.output)
    (output,) = graph.output
    last = next(node for node in graph.node if output.name in node.output)
    last.output[:] = ["before the end"]
    nodes = [*graph.node, helper.make_node("Identity", ["before the end"], [output.name], "")]
    known = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer} | {""}
    ordered = []
    while nodes:
        ready = [node for node in nodes if set(node.input) <= known]
        ordered.append(ready[-1])
        known |= set(ready[-1].output)
        nodes.remove(ready[-1])
    del graph.node[:]
    graph.node.extend(ordered)
    onnx.save(model, path)
    return path


def under_other_names(sandbox, run):
    path = renamed(onnx.load(harness.DEMO / "digits.onnx"), sandbox.path / "renamed.onnx")
    other = quantize(sandbox, path, "other")
    made = compare(sandbox, run, other)
    harness.check(not made["only_a"] and not made["only_b"], f"renamed: all {made['counts']['matched']} ops are matched")
    harness.check(all(op["matched_by"] == "structure" for op in made["ops"]), "by structure")
    harness.check([op["type"] for op in made["ops"]].count("Input") == 1, "and the input")
    harness.check(all(op["verdict"] in ("equal", "undecided") for op in made["ops"]), "none is better or worse")
    harness.check("two files" in made["cautions"], "the caution says that these are two files")
    types = {side: {one["op"]["id"]: one["type"] for one in outline(sandbox, identity)} for side, identity in (("a", run), ("b", other))}
    harness.check(all(types["a"].get(op["a"]["id"]) == types["b"].get(op["b"]["id"]) for op in made["ops"]), "ops of one type")


def outline(sandbox, run):
    return [{"op": {"id": one["op"]}, "type": one["type"]} for one in sandbox.record(run, "graph.json")["ops"]]


def halves(sandbox):
    """The same int8 model on two disjoint halves of the data, many times: what is told as different is told falsely."""
    data = np.load(harness.DEMO / "digits.npz")
    names = data.files
    count = len(data[names[0]])
    random = np.random.default_rng(20261128)
    quiet, ops, falsely = 0, 0, 0
    for _ in range(PAIRS):
        order = random.permutation(count)
        runs = []
        for half in (order[: count // 2], order[count // 2 : count // 2 * 2]):
            np.savez(sandbox.path / f"half{len(runs)}.npz", **{name: data[name][half] for name in names})
            done = sandbox.run("diagnose", harness.DEMO / "digits.onnx", "first.onnx", "--data", f"half{len(runs)}.npz")
            runs.append(harness.identity_of(done))
        made = compare(sandbox, *runs)
        harness.check(not any(op["paired"] for op in made["ops"]) and "not the same" in made["cautions"], "unpaired, and said so")
        different = told(made)
        quiet += not different
        falsely += len(different)
        ops += len(made["ops"])
        for run in runs:
            shutil.rmtree(sandbox.workload(run))
    print(f"of {ops} ops of {PAIRS} pairs of half-sets {falsely} are told as different; {quiet} pairs have none")
    harness.check(ops >= PAIRS * 5 and falsely <= 0.05 * ops, "half-sets: at most 5 % of ops are told as different")
    harness.check(quiet >= 0.8 * PAIRS, "and few pairs have any")


def refuse(sandbox, run, other):
    evaluated = harness.identity_of(sandbox.run("evaluate", harness.DEMO / "digits.onnx", "--data", harness.DEMO / "digits.npz",
                                                "--metric", "top1"))
    made = compare(sandbox, evaluated, run)
    harness.check("no diagnosis" in made["cautions"] and made["counts"]["unknown"] == len(made["ops"]), "unlike verbs: what is missing is said")
    harness.check(made["accuracy"]["difference"] is not None, "and accuracies are compared")
    failed = sandbox.run("quantize", harness.DEMO / "digits.onnx", "--data", "absent.npz", "-o", "no.onnx", code=None)
    harness.check(failed.returncode != 0, "a run that fails")
    sandbox.run("compare", run, "nosuchrun", code=1)
    done = sandbox.run("compare", run, other, "-o", "made.txt", code=2)
    harness.check(".html, .md, .json or .csv" in done.stderr, "an ending that nothing has")
    sandbox.run("compare", run, code=2)
    for name in ("diagnosis.json", "graph.json", "pairing.json", "histograms.bin", "accuracy.json", "recipe.json"):
        path = harness.file_of(sandbox.workload(other) / name)
        kept = path.read_bytes()
        for damaged in (kept[: len(kept) // 2], b"", b"\xff" * 64, kept.replace(b":", b";", 3)):
            path.write_bytes(damaged)
            done = sandbox.run("compare", run, other, "-o", "damaged.md", code=None)
            wrong = done.returncode not in (0, 1) or (done.returncode == 1) == (sandbox.path / "damaged.md").exists()
            harness.check(not wrong and "terminate" not in done.stderr, f"{name}, damaged: {done.stderr.strip()[:90]}")
            (sandbox.path / "damaged.md").unlink(missing_ok=True)
        path.unlink()
        done = sandbox.run("compare", run, other, code=None)
        harness.check(done.returncode in (0, 1), f"without {name}: exit code {done.returncode}")
        path.write_bytes(kept)
    record = sandbox.workload(other) / "workload.json"
    kept = record.read_text()
    record.write_text(kept.replace('"success"', '"failure"'))
    harness.check("did not succeed" in compare(sandbox, run, other)["cautions"], "a run that failed is told as one")
    record.write_text(kept)


def main():
    sandbox = harness.Sandbox()
    run = quantize(sandbox, harness.DEMO / "digits.onnx", "first")
    with_itself(sandbox, run)
    the_same_again(sandbox, run)
    other = another_recipe(sandbox, run)
    formats(sandbox, run, other)
    mobilenet(sandbox)
    under_other_names(sandbox, run)
    halves(sandbox)
    refuse(sandbox, run, other)


main()
