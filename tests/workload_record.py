# SPDX-License-Identifier: Apache-2.0
"""workload.json tells of what data and by which metric a run is, and what was told; the run's id is told first."""

import json
import os

import harness

MODEL, DATA = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"


def main():
    sandbox = harness.Sandbox()
    arguments = ["quantize", MODEL, "-o", sandbox.path / "int8.onnx", "--output", "json"]
    metric = "accuracy:label_offset=0"
    runs = [sandbox.run(*arguments, "--data", DATA, "--limit", "50", "--metric", metric, "--progress", "json") for _ in range(2)]
    ids = [json.loads(run.stdout)["workload"] for run in runs]
    first = json.loads(runs[0].stderr.splitlines()[0])
    harness.check(first["event"] == "workload" and first["id"] == ids[0], "the id is the first that is told")
    harness.check(first["folder"] == str(sandbox.workload(ids[0])), "  with the folder")
    plain = sandbox.run(*arguments, "--data", DATA, "--limit", "4")
    harness.check(plain.told_id == json.loads(plain.stdout)["workload"], "  also on standard error that is a file")
    one, two = (sandbox.record(identity, "workload.json") for identity in ids)
    harness.check(one["metric"] == metric, "the metric has its options")
    data, = one["data"]
    harness.check((data["role"], data["data"], data["samples"]) == ("samples", str(DATA), 50), "the data are named")
    harness.check(data["path"] == str(DATA), "  and where they are")
    harness.check(one["data"] == two["data"] and len(data["fingerprint"]) == 64, "equal data have equal fingerprints")

    quiet = json.loads(sandbox.run(*arguments, "--data", "random", "--limit", "4", "--calibration-data", DATA, "-q").stdout)
    record = sandbox.record(quiet["workload"], "workload.json")
    harness.check([one["role"] for one in record["data"]] == ["samples", "calibration"], "calibration's data are told apart")
    harness.check([one["path"] for one in record["data"]] == ["", str(DATA)], "random samples are in no file")
    harness.check(record["data"][1]["fingerprint"] != data["fingerprint"] or record["data"][1]["samples"] > 50, "  all of them")
    ranges = sandbox.path / "ranges.stats"
    beside = os.path.relpath(DATA, sandbox.path.resolve())
    calibrated = json.loads(sandbox.run("calibrate", MODEL, "--data", beside, "-o", ranges, "--output", "json").stdout)
    record = sandbox.record(calibrated["workload"], "workload.json")
    harness.check(record["metric"] == "" and record["data"][0]["samples"] > 50, "without a metric none is told")
    used, = record["data"]
    harness.check(used["data"] == beside and os.path.samefile(used["path"], DATA) and used["path"].startswith("/"),
                  "the path of data is absolute, however they were named")
    quiet = json.loads(sandbox.run(*arguments, "--data", "random", "--limit", "4", "-q").stdout)
    notes = sandbox.record(quiet["workload"], "workload.json")["notes"]
    harness.check(any("random numbers" in note for note in notes), "what --quiet does not show is kept")


main()
