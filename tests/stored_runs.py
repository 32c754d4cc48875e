# SPDX-License-Identifier: Apache-2.0
"""A stored run is told again as its verb has told it: text, tables, JSON of its records; nothing is run for that."""

import json
import pathlib
import shutil
import struct

import harness


def told_again(sandbox, done, what):
    """`done`: a verb's output, whose last line names the workload."""
    identity = harness.identity_of(done)
    shown = show(sandbox, identity)
    said = [line for line in done.stdout.splitlines() if line.startswith(("|", "+")) or "%" in line]
    missing = [line for line in said if line not in shown.splitlines()]
    harness.check(said and not missing, f"{what}: all {len(said)} lines of figures are told again: {missing[:2]}")
    return identity


def show(sandbox, identity, *options):
    """Without the runtime: nothing may be run."""
    before = sandbox.environment
    sandbox.environment = dict(before, QUANTLENS_ONNXRUNTIME=str(sandbox.path / "absent.so"))
    try:
        return sandbox.run("workloads", "show", identity, *options).stdout
    finally:
        sandbox.environment = before


def refuse_damaged_study(sandbox, identity):
    """Trials that are not numbered from 1, and a best one that is not there."""
    path = sandbox.workload(identity) / "study.json"
    whole = path.read_text()
    for member, value in (("best", 0), ("best", 255), ("trials", [])):
        path.write_text(json.dumps(dict(json.loads(whole), best=1) | {member: value}))
        refused = sandbox.run("workloads", "show", identity, code=1).stderr
        harness.check("study.json" in refused and "damaged" in refused, f"{member} {value} is refused: {refused.strip()}")
    for number in (0, 2):
        study = json.loads(whole)
        study["trials"][0]["number"] = number
        path.write_text(json.dumps(study))
        refused = sandbox.run("workloads", "show", identity, code=1).stderr
        harness.check("study.json" in refused, f"a first trial of number {number} is refused")
    path.write_text(whole)


def one_object(sandbox, *verb):
    """For programs: the run's own record, its files, and what its verb printed."""
    printed = sandbox.json(*verb)
    folder = sandbox.workload(printed["workload"])
    shown = json.loads(show(sandbox, printed["workload"], "--output", "json"))
    own = json.loads((folder / "workload.json").read_text())
    harness.check({key: shown[key] for key in own} == own, f"{verb[0]}: workload.json is at the top")
    harness.check(shown["result"] == printed, f"{verb[0]}: the result is what was printed")
    harness.check(shown["folder"] == str(folder), f"{verb[0]}: the folder is named")
    sizes = {one.name: one.stat().st_size for one in folder.iterdir() if one.is_file()}
    harness.check({one["name"]: one["bytes"] for one in shown["files"] if one["bytes"] is not None} == sizes,
                  f"{verb[0]}: all {len(sizes)} files with their bytes")
    return shown


def kinds_of_files(shown):
    files = {one["name"]: one for one in shown["files"]}
    whole = {"kind": "record", "record": "diagnosis", "version": shown["format"]}
    harness.check(files["diagnosis.json.gz"].items() >= whole.items(), "a JSON record has the version of the workload")
    (version,) = struct.unpack_from("<I", (pathlib.Path(shown["folder"]) / "passes.bin").read_bytes(), 8)
    own = {"kind": "record", "record": "passes", "version": version}
    harness.check(files["passes.bin"].items() >= own.items(), "a binary record has its own version")
    table = {"kind": "other", "record": None, "version": None}
    harness.check(files["activations_table.csv"].items() >= table.items(), "a table is no record")


def demo_and_doctor(sandbox):
    told = sandbox.json("demo", "-q")
    keys = {"per_tensor": ["workload", "accuracy", "worst_op", "worst_weight"], "per_channel": ["workload", "accuracy"]}
    harness.check({name: list(run) for name, run in told.items()} == keys, "demo tells both of its runs")
    for name, run in told.items():
        kept = sandbox.record(run["workload"], "accuracy.json")
        harness.check(run["accuracy"] == kept, f"the accuracy {name} is that of the stored run")
    newest = sandbox.json("workloads", "show", "last")["id"]
    harness.check(newest == told["per_tensor"]["workload"], f"the broken run is the newest: {newest}")
    listed = {one["id"]: one for one in sandbox.json("workloads", "list")}
    text = sandbox.run("workloads", "list").stdout
    harness.check(max(map(len, text.splitlines())) <= 100, "a list of runs fits 100 columns")
    for run in told.values():
        one, accuracy = listed[run["workload"]], run["accuracy"]
        harness.check((one["model"], one["accuracy"]["metric"]) == ("digits.onnx", "top1"), "a list says model and metric")
        harness.check((one["accuracy"]["reference"], one["accuracy"]["quantized"]) ==
                      (accuracy["reference"]["value"], accuracy["quantized"]["value"]), "and both accuracies")
        (line,) = [line for line in text.splitlines() if run["workload"] in line]
        harness.check(f"{accuracy['quantized']['value']:.4f} top1" in line and "digits.onnx" in line, f"so does its table: {line}")
    named = sandbox.json("workloads", "show", "demo per channel")["id"]
    harness.check(named == told["per_channel"]["workload"], f"a run is found by its name: {named}")
    pair = sandbox.json("compare", "demo per channel", "demo per tensor")
    kept = [told[name]["workload"] for name in ("per_channel", "per_tensor")]
    harness.check([pair["a"]["id"], pair["b"]["id"]] == kept, "and so are two to compare")
    worst = sandbox.record(told["per_tensor"]["workload"], "diagnosis.json")["activations"][0]["op"]["name"]
    harness.check(told["per_tensor"]["worst_op"] == worst, "the worst op is the first of the stored diagnosis")
    for name, run in told.items():
        words = sandbox.record(run["workload"], "workload.json")["arguments"]
        words[words.index("-o") + 1] = f"{name}.again.onnx"
        again = sandbox.json(*words)
        harness.check(again["quantized"]["value"] == run["accuracy"]["quantized"]["value"], f"the command of {name} makes it again")
    for options in ([], ["--workspace", str(sandbox.path / "other")]):
        text = sandbox.run("demo", "-q", *options).stdout
        command = " ".join(["quantlens serve --open", *options])
        harness.check(text.endswith(f"\nIn the browser:\n  {command}\n"), f"demo ends with {command}: {text[-200:]!r}")
    checkup = sandbox.json("doctor")
    harness.check(list(checkup) == ["version", "cores", "vnni", "workspace", "runtimes"], "doctor's fields")
    harness.check(all(list(one) == ["name", "available", "version", "where", "problem"] for one in checkup["runtimes"]),
                  "the fields of its runtimes")
    harness.check(checkup["workspace"] == sandbox.environment["QUANTLENS_WORKSPACE"], "doctor names the workspace")
    before = sandbox.environment
    sandbox.environment = dict(before, QUANTLENS_ONNXRUNTIME=str(sandbox.path / "absent.so"))
    missing = json.loads(sandbox.run("doctor", "--output", "json", code=1).stdout)["runtimes"][0]
    harness.check(not missing["available"] and "absent.so" in missing["problem"], "and why a runtime is not there")
    sandbox.environment = before


def failed_run(sandbox, model, data):
    sandbox.run("evaluate", model, "--data", data, "--metric", "command:false", code=1)
    shown = sandbox.json("workloads", "show", "last")
    harness.check(shown["state"] == "failure" and shown["result"] is None, "a run that found nothing has no result")


def main():
    sandbox = harness.Sandbox()
    model, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    int8 = sandbox.path / "digits.int8.onnx"
    quantize = ("quantize", model, "-o", int8, "--data", data, "--diagnose", "--metric", "top1", "--recipe", harness.PER_TENSOR)
    identity = told_again(sandbox, sandbox.run(*quantize), "quantize")
    csv = show(sandbox, identity, "--output", "csv")
    harness.check(csv == (sandbox.workload(identity) / "activations_table.csv").read_text() or csv.startswith("OP name"),
                  "a stored diagnosis has its table as CSV")
    told_again(sandbox, sandbox.run("diagnose", model, int8, "--data", data, "--metric", "top1"), "diagnose")
    searched = told_again(sandbox, sandbox.run("tune", model, "-o", sandbox.path / "t.onnx", "--data", data, "--metric", "top1",
                                               "--max-trials", 3), "tune")
    refuse_damaged_study(sandbox, searched)
    told_again(sandbox, sandbox.run("profile", model, int8, "--iterations", 20, "--verify", 0), "profile")
    told_again(sandbox, sandbox.run("benchmark", model, int8, "--rounds", 3, "--iterations", 5), "benchmark")
    result = sandbox.json("evaluate", model, "--against", int8, "--data", data, "--metric", "top1")
    shown = show(sandbox, result["workload"])
    harness.check(f"{result['value']:.4f}" in shown, "evaluate: the accuracy is told again")
    kinds_of_files(one_object(sandbox, "diagnose", model, int8, "--data", data, "--metric", "top1", "--fail-below", "-100"))
    one_object(sandbox, "evaluate", model, "--data", data, "--metric", "top1")
    one_object(sandbox, *quantize)
    searched = one_object(sandbox, "tune", model, "-o", sandbox.path / "t.onnx", "--data", data, "--metric", "top1",
                          "--max-trials", 2)
    harness.check(any(one["name"] == "trials" and one["bytes"] is None for one in searched["files"]), "a folder is named, too")
    failed_run(sandbox, model, data)
    demo_and_doctor(sandbox)
    shutil.rmtree(sandbox.workload(identity))
    harness.check(identity in sandbox.run("workloads", "show", identity, code=1).stderr, "a run that is gone is named")


main()
