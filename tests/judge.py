# SPDX-License-Identifier: Apache-2.0
"""What a run gathered is judged again: the same version gives the same diagnosis, byte for byte, and no model is run."""

import json
import shutil

import harness


def gathered(sandbox, identity, name):
    return harness.stored(sandbox.workload(identity) / name)


def figures(done):
    return [line for line in done.stdout.splitlines() if line.startswith(("|", "+", "1. ", "2. ")) or " dB" in line]


def judged_as_before(sandbox, diagnosed, run, what):
    """`run`: as `judge` takes it."""
    before = harness.identity_of(diagnosed)
    again = sandbox.run("judge", run)
    identity = harness.identity_of(again)
    harness.check(identity != before, f"{what}: judging is a run of its own")
    for name in ("diagnosis.json", "activations_table.csv", "weights_table.csv", "passes.bin", "histograms.bin", "pairing.json"):
        harness.check(gathered(sandbox, identity, name) == gathered(sandbox, before, name), f"{what}: {name} is equal")
    missing = [line for line in figures(again) if line not in diagnosed.stdout]
    harness.check(figures(again) and not missing, f"{what}: the same is told: {missing[:2]}")
    return identity


def edit(path, change):
    record = json.loads(harness.stored(path))
    change(record)
    path.write_text(json.dumps(record))  # where the packed form is there too, this one counts


def changed(sandbox, identity, name, change):
    """A run of `judge` over a copy of the workload in which a record was changed."""
    copy = sandbox.workload(identity[:-4] + "dead")
    shutil.copytree(sandbox.workload(identity), copy)
    edit(copy / "workload.json", lambda record: record.update(id=copy.name))
    edit(copy / name, change)
    done = sandbox.run("judge", copy.name, code=None)
    shutil.rmtree(copy)
    return done


def refuse_damage(sandbox, first):
    """What its readers rely on is checked where a record is read, and what is left out is said."""
    def position(record):
        record["pairs"][1]["same_as"] = 255

    def owner(record):
        record["id"] = first

    for name, change, words in (("pairing.json", position, "pair 255"), ("workload.json", owner, "another run")):
        done = changed(sandbox, first, name, change)
        harness.check(done.returncode == 1 and name in done.stderr and words in done.stderr, f"damage is named: {done.stderr}")

    def name(record):
        record["pairs"][0]["reference"] = "elsewhere"

    done = changed(sandbox, first, "pairing.json", name)
    harness.check(done.returncode == 0 and "no statistics" in done.stderr and "elsewhere" in done.stderr,
                  f"a pair without statistics is named: {done.stderr}")


def refuse_half(sandbox, model, int8, data):
    """A run that was ended between its accuracy and its pairing passes no gate, nor does one that compared nothing."""
    half = harness.identity_of(sandbox.run("diagnose", model, int8, "--data", data, "--metric", "top1"))
    harness.file_of(sandbox.workload(half) / "pairing.json").unlink()
    refused = sandbox.run("judge", half, "--fail-below", 0, code=1).stderr
    harness.check("has no pairing.json" in refused, f"half a run is refused: {refused}")
    scored = sandbox.json("evaluate", int8, "--data", data, "--metric", "top1")["workload"]
    refused = sandbox.run("judge", scored, "--fail-below", 0, code=1).stderr
    harness.check("cannot be checked" in refused, f"a gate over no diagnosis fails: {refused}")
    sandbox.run("judge", scored)


def main():
    sandbox = harness.Sandbox()
    given, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    model, int8 = sandbox.path / "digits.onnx", sandbox.path / "digits.int8.onnx"
    shutil.copy(given, model)
    made = sandbox.run("quantize", model, "-o", int8, "--data", data, "--diagnose", "--recipe", harness.PER_TENSOR)
    judged_as_before(sandbox, made, "last", "quantize")

    diagnosed = sandbox.run("diagnose", model, int8, "--data", data)
    first = judged_as_before(sandbox, diagnosed, harness.identity_of(diagnosed), "diagnose")
    judged_as_before(sandbox, diagnosed, sandbox.workload(first), "a judged run, by its folder")
    workload = sandbox.json("judge", first)["workload"]
    record = sandbox.record(workload, "workload.json")
    harness.check([one["role"] for one in record["data"]] == ["samples"], "the data are named as they were")
    harness.check(sandbox.run("judge", first, "--fail-below", 200, code=3).stderr.count("below 200 dB") == 1,
                  "the gate holds as it does in diagnose")

    refuse_damage(sandbox, first)
    refuse_half(sandbox, model, int8, data)

    no_local = sandbox.run("diagnose", model, int8, "--data", data, "--local", 0)
    judged_as_before(sandbox, no_local, "last", "without local errors")

    sandbox.run("calibrate", model, "--data", data, "-o", sandbox.path / "statistics.bin")
    refused = sandbox.run("judge", "last", code=1).stderr
    harness.check("has no pairing.json and no accuracy_state.bin" in refused and "give one" in refused,
                  f"what left nothing to judge is refused: {refused}")
    harness.check("there is none" in sandbox.run("judge", "nothing", code=1).stderr, "an unknown run is refused")

    whole = gathered(sandbox, first, "passes.bin")
    (sandbox.workload(first) / "passes.bin").write_bytes(whole[:len(whole) // 2])
    harness.check("passes.bin" in sandbox.run("judge", first, code=1).stderr, "a damaged file is named")
    (sandbox.workload(first) / "passes.bin").write_bytes(whole)
    int8.write_bytes(int8.read_bytes() + b"\x82\x01\x00")  # an empty field that nobody reads
    refused = sandbox.run("judge", first, code=1).stderr
    harness.check("is not the file that" in refused, f"another file is refused: {refused}")
    int8.unlink()
    harness.check("digits.int8.onnx" in sandbox.run("judge", first, code=1).stderr, "a file that is gone is named")


main()
