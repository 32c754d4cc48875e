# SPDX-License-Identifier: Apache-2.0
"""Runs that an earlier version stored are listed, shown, judged and used again: runs/layoutN.tar.xz is what the last
version with layout N wrote of the digits model in /data, every verb once."""

import csv
import json
import shutil
import tarfile

import harness
from serving import Server

VERBS = ("quantize", "calibrate", "diagnose", "evaluate", "tune", "profile", "benchmark")


def unpack(sandbox, archive):
    """The workspace of the archive, {verb: id}."""
    with tarfile.open(archive) as packed:
        packed.extractall(sandbox.path)
    (sandbox.path / "workloads").rename(sandbox.path / "workspace" / "workloads")
    for name in ("digits.onnx", "digits.npz"):
        shutil.copy(harness.DEMO / name, sandbox.path)
    runs = {}
    for path in sandbox.path.glob("workspace/workloads/*/workload.json"):
        path.write_text(path.read_text().replace("/data/", f"{sandbox.path}/"))
        runs[json.loads(path.read_text())["verb"]] = path.parent.name
    return runs


def record(sandbox, run, name):
    return json.loads((sandbox.workload(run) / name).read_text())


def shown(sandbox, runs):
    listed = {row["id"]: row for row in sandbox.json("workloads", "list")}
    harness.check(set(listed) == set(runs.values()), f"all are listed: {sorted(listed)}")
    for verb in VERBS:
        run = runs[verb]
        harness.check(listed[run]["state"] == "success", f"{verb}: {listed[run]['state']}")
        told = sandbox.json("workloads", "show", run)
        records = [file["name"] for file in told["files"] if file["kind"] == "record"]
        harness.check("workload.json" in records and told["result"], f"{verb}: {len(records)} records and a result")
        text = sandbox.run("workloads", "show", run).stdout
        harness.check(run in text and "damaged" not in text, f"{verb}: as text, too")


def same_figures(sandbox, runs):
    """What is shown are the figures that the run stored, read here by Python alone."""
    for verb in ("quantize", "diagnose"):
        told = sandbox.json("workloads", "show", runs[verb])["result"]
        told = told.get("diagnosis", told)
        with open(sandbox.workload(runs[verb]) / "activations_table.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        same = sorted(row["mse"] for row in told["activations"]) == sorted(float(row["MSE"]) for row in rows)
        harness.check(same, f"{verb}: {len(rows)} errors")
    told = sandbox.json("workloads", "show", runs["evaluate"])["result"]
    stored = record(sandbox, runs["evaluate"], "accuracy.json")
    figures = stored["quantized"]
    harness.check((told["value"], told["interval"]) == (figures["value"], figures["interval"]), "the accuracy")
    told = sandbox.json("workloads", "show", runs["tune"])["result"]
    stored = record(sandbox, runs["tune"], "study.json")
    losses = [[trial["loss"] for trial in study["trials"]] for study in (told, stored)]
    harness.check(losses[0] == losses[1] and losses[0], "losses of trials")


def served(sandbox, runs):
    """As browsers see them."""
    with Server(sandbox, "--allow-insecure-connections") as server:
        listed = {run["id"]: run["state"] for run in server.json("/api/v1/workloads")["workloads"]}
        harness.check(listed == {run: "success" for run in runs.values()}, f"all {len(listed)} are served")
        for verb, run in sorted(runs.items()):
            told = server.json(f"/api/v1/workloads/{run}")
            harness.check(bool(told["result"]), f"{verb}: with its result")
        address = f"/api/v1/workloads/{runs['diagnose']}"
        rows = server.json(f"{address}/tables/diagnosis.activations?columns=op.id,value,quantized,sqnr_db")["columns"]
        ops = server.json(f"{address}/ops?op={rows['op.id'][0]}")
        harness.check(ops["activations"][0]["sqnr_db"] == rows["sqnr_db"][0], "an op as in its table")
        pair = server.json(f"{address}/histograms/pair?reference={rows['value'][0]}&quantized={rows['quantized'][0]}")
        harness.check(sum(pair["reference"]) > 0 and len(pair["edges"]) == len(pair["reference"]) + 1, "a histogram")


def is_of_intervals(column):
    """Later versions may make others of the same samples, and ranks and ties with them."""
    return column in ("Rank", "Tied with previous") or " low" in column or " high" in column


def rows_of(sandbox, run, name):
    with open(sandbox.workload(run) / name, newline="") as file:
        return list(csv.DictReader(file))


def judged_again(sandbox, run, verb):
    judged = harness.identity_of(sandbox.run("judge", run))
    for name in ("activations_table.csv", "weights_table.csv"):
        was, now = (rows_of(sandbox, one, name) for one in (run, judged))
        figures = [[{column: row[column] for column in row if not is_of_intervals(column)} for row in rows] for rows in (was, now)]
        harness.check(figures[0] == figures[1] and was, f"{verb}, judged again: {name} has equal figures")
    was, now = (rows_of(sandbox, one, "activations_table.csv") for one in (run, judged))
    reach = [[float(row["SQNR high [dB]"]) - float(row["SQNR low [dB]"]) for row in rows if row["SQNR low [dB]"]] for rows in (was, now)]
    # Since degrees of freedom follow the kurtosis of the blocks, they are as wide or wider.
    ratios = [new / old for old, new in zip(*reach, strict=True)]
    harness.check(ratios and min(ratios) > 0.999 and max(ratios) < 3, f"{verb}: intervals are {min(ratios):.3f} to {max(ratios):.3f} times as wide")


def used_again(sandbox, runs):
    for verb in ("quantize", "diagnose"):
        judged_again(sandbox, runs[verb], verb)
    data = ["digits.onnx", "--data", "digits.npz", "--limit", "24"]
    for verb in ("quantize", "tune"):
        done = sandbox.run("quantize", *data, "--recipe", runs[verb], "-o", f"{verb}.again.onnx")
        made = record(sandbox, harness.identity_of(done), "recipe.json")
        harness.check(made == record(sandbox, runs[verb], "recipe.json"), f"{verb}: its recipe is that of the new run")
    again, first = (sandbox.path / name for name in ("quantize.again.onnx", "digits.int8.onnx"))
    same = "and quantize makes the same model"
    if harness.only_with_vnni(same):  # as the CPU of the stored runs had
        harness.check(again.read_bytes() == first.read_bytes(), same)
    statistics = sandbox.workload(runs["calibrate"]) / "statistics.bin"
    sandbox.run("quantize", "digits.onnx", "--ranges", statistics, "-o", "ranged.onnx")


def main():
    archives = sorted((harness.SOURCE / "tests" / "runs").glob("layout*.tar.xz"))
    harness.check(archives, "there is a run of an earlier layout")
    for archive in archives:
        sandbox = harness.Sandbox()
        (sandbox.path / "workspace").mkdir()
        runs = unpack(sandbox, archive)
        harness.check(set(runs) == set(VERBS), f"{archive.name}: {sorted(runs)}")
        shown(sandbox, runs)
        same_figures(sandbox, runs)
        served(sandbox, runs)
        used_again(sandbox, runs)


main()
