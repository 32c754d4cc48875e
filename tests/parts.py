# SPDX-License-Identifier: Apache-2.0
"""Runs over parts of the samples, judged together, give what one run over all gives; what is no part is refused."""

import csv
import itertools
import shutil

import harness

# Columns of the activations table that come of local passes, which every run makes over its own first samples.
LOCAL = ("Local ", "Output share", "Rounding MSE", "Clipping MSE", "Weight MSE", "Input MSE", "Other MSE")


def read(sandbox, identity, name):
    return harness.stored(sandbox.workload(identity) / name)


def accumulated(sandbox, identity):
    """The columns of the activations table that come of accumulated errors."""
    with open(sandbox.workload(identity) / "activations_table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if not name.startswith(LOCAL)]
    harness.check({"MSE", "SQNR [dB]", "Rank", "Worst samples", "Activation median"} <= set(names), "there are such columns")
    return [[row[name] for name in names] for row in rows]


def diagnosed_in_parts(sandbox, models, data):
    base = ("diagnose", *models, "--data", data, "--metric", "top1")
    whole = harness.identity_of(sandbox.run(*base))
    for count, batch in ((2, 1), (3, 16)):
        parts = [harness.identity_of(sandbox.run(*base, "--batch-size", batch, "--shard", f"{i}/{count}")) for i in range(1, count + 1)]
        ends = []
        for part in parts:
            used = sandbox.record(part, "workload.json")["data"][0]
            ends.append((used["part"]["first"], used["part"]["first"] + used["part"]["count"]))
            harness.check(used["samples"] > used["part"]["count"], "the record says which part")
        harness.check(all(a[1] == b[0] for a, b in itertools.pairwise(ends)), f"parts follow each other: {ends}")
        one = whole if batch == 1 else harness.identity_of(sandbox.run(*base, "--batch-size", batch))
        records = []
        for order in (parts, parts[::-1], parts[1:] + parts[:1]):
            judged = harness.identity_of(sandbox.run("judge", *order))
            for name in ("histograms.bin", "accuracy.json", "accuracy_state.bin", "pairing.json"):
                harness.check(read(sandbox, judged, name) == read(sandbox, one, name), f"{count} parts: {name} is that of one run")
            harness.check(accumulated(sandbox, judged) == accumulated(sandbox, one), f"{count} parts: so is what accumulates")
            records.append([read(sandbox, judged, name) for name in ("diagnosis.json", "passes.bin", "activations_table.csv")])
        harness.check(all(record == records[0] for record in records), f"{count} parts: in any order the same")
        again = harness.identity_of(sandbox.run("judge", judged))
        harness.check([read(sandbox, again, name) for name in ("diagnosis.json", "passes.bin", "activations_table.csv")]
                      == records[0], "what was judged can be judged")
    return whole, parts


def evaluated_in_parts(sandbox, models, data):
    for options in (("--metric", "top1"), ("--metric", "f1:average=macro", "--against", models[0]),
                    ("--metric", "top1", "--against", models[0])):
        base = ("evaluate", models[1], "--data", data, *options)
        sandbox.run(*base)
        whole = identity_of_last(sandbox)
        parts = []
        for part in ("0:61", "61:200", "200:100000"):
            end = min(int(part.split(":")[1]), sandbox.record(whole, "workload.json")["data"][0]["samples"])
            sandbox.run(*base, "--samples", f"{part.split(':')[0]}:{end}")
            parts.append(identity_of_last(sandbox))
        told = sandbox.run("judge", parts[2], parts[0], parts[1])
        judged = identity_of_last(sandbox)
        for name in ("accuracy.json", "accuracy_state.bin"):
            harness.check(read(sandbox, judged, name) == read(sandbox, whole, name), f"{options}: {name} is that of one run")
        shown = next(line for line in sandbox.run("workloads", "show", whole).stdout.splitlines() if "interval" in line)
        harness.check(shown in told.stdout, f"it tells the accuracy: {shown}")
    return whole, parts


def identity_of_last(sandbox):
    return sandbox.json("workloads")[0]["id"]


def refusals(sandbox, models, data, whole, parts, evaluated):
    def refused(*runs, words):
        sentence = sandbox.run("judge", *runs, code=1).stderr
        harness.check(all(word in sentence for word in (*words, *map(str, runs))), f"it says {words}: {sentence}")

    refused(whole, parts[0], words=("not parts of one run", "cover some of the same samples", "is 0"))
    refused(parts[1], evaluated, words=("not parts of one run", "diagnose", "evaluate"))
    base = ("diagnose", *models, "--data", data)
    without = harness.identity_of(sandbox.run(*base, "--shard", "2/3"))
    refused(parts[0], without, words=("not parts of one run", "one has top1, the other no metric"))
    other = sandbox.path / "other.int8.onnx"
    other.write_bytes(models[1].read_bytes() + b"\x82\x01\x00")  # an empty field that nobody reads
    another = harness.identity_of(sandbox.run("diagnose", models[0], other, "--data", data, "--metric", "top1", "--shard", "2/3"))
    refused(parts[0], another, words=("not parts of one run", "different files", "other.int8.onnx"))
    sentence = sandbox.run(*base, "--shard", "5/4", code=2).stderr
    harness.check("is no part such as 2/4" in sentence, f"no such shard: {sentence}")
    harness.check("samples, not" in sandbox.run(*base, "--samples", "0:100000", code=1).stderr, "there are not so many samples")
    damaged = sandbox.workload(evaluated) / "accuracy_state.bin"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    harness.check("accuracy_state.bin" in sandbox.run("judge", evaluated, code=1).stderr, "a damaged state is named")


def notes(sandbox, parts):
    """What a reader should know of the parts is in the judged run, too."""
    sandbox.run("judge", parts[0], parts[2])
    told = sandbox.record(identity_of_last(sandbox), "workload.json")["notes"]
    harness.check(any("no run looked at samples" in note for note in told), f"a gap is told: {told}")


def main():
    sandbox = harness.Sandbox()
    data = harness.DEMO / "digits.npz"
    models = sandbox.path / "digits.onnx", sandbox.path / "digits.int8.onnx"
    shutil.copy(harness.DEMO / "digits.onnx", models[0])
    sandbox.run("quantize", models[0], "-o", models[1], "--data", harness.DEMO / "calibration.npz", "--recipe", harness.PER_TENSOR)
    whole, parts = diagnosed_in_parts(sandbox, models, data)
    evaluated, _ = evaluated_in_parts(sandbox, models, data)
    notes(sandbox, parts)
    refusals(sandbox, models, data, whole, parts, evaluated)


main()
