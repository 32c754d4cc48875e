# SPDX-License-Identifier: Apache-2.0
"""A report in HTML holds what is stored of its runs, read here by other means than its own; no runtime is loaded for it."""

import base64
import csv
import gzip
import json
import re
import urllib.parse

import harness


def packed(page, name):
    (text,) = re.findall(rf'id="report-{name}"[^>]*>\s*([A-Za-z0-9+/=]+)\s*</script>', page)
    return gzip.decompress(base64.b64decode(text, validate=True)).decode()


def told(sandbox, *arguments, **options):
    """Without the runtime: nothing may be run."""
    before = sandbox.environment
    sandbox.environment = dict(before, QUANTLENS_ONNXRUNTIME=str(sandbox.path / "absent.so"))
    try:
        return sandbox.run("report", *arguments, **options)
    finally:
        sandbox.environment = before


def stands_alone(page):
    harness.check(page.startswith("<!doctype html>"), "it is a page")
    harness.check("{{" not in re.sub(r"<script.*?</script>", "", page, flags=re.S), "no place of the template is left")
    addresses = re.findall(r"""(?:src|href)=["']?([^"'>\s]+)""", page)
    harness.check(all(one.startswith("data:") for one in addresses), f"it names no other file: {addresses[:3]}")
    harness.check("default-src 'none'" in page, "it may load nothing")


def holds_what_is_stored(sandbox, data, identity):
    folder = sandbox.workload(identity)
    with open(folder / "activations_table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    table = data["tables"][f"workloads/{identity}/tables/diagnosis.activations"]
    harness.check(table["rows"] == len(rows) > 10, f"all {len(rows)} rows of the table")
    names = [op["name"] for op in table["columns"]["op"]]
    by_name = {row["OP name"]: row for row in rows}
    wrong = [name for name, mse in zip(names, table["columns"]["mse"])
             if abs(mse - float(by_name[name]["MSE"])) > 1e-5 * abs(mse)]
    harness.check(sorted(names) == sorted(by_name) and not wrong, f"with the errors that the CSV has: {wrong[:2]}")
    answers = data["answers"]
    ops = [op["op"] for op in json.loads(harness.stored(folder / "graph.json"))["ops"]]
    missing = [op for op in ops if f"workloads/{identity}/ops?op={urllib.parse.quote(op, safe='')}" not in answers]
    harness.check(ops and not missing, f"details of all {len(ops)} ops: {missing[:2]}")
    accuracy = sandbox.record(identity, "accuracy.json")
    kept = answers[f"workloads/{identity}/records/accuracy"]
    harness.check(kept["quantized"]["value"] == round(accuracy["quantized"]["value"], 6), "the accuracy")
    counted = [one for address, one in answers.items() if f"{identity}/histograms/pair?" in address]
    harness.check(len(counted) > 10 and all(sum(one["reference"]) > 0 for one in counted), f"{len(counted)} histograms")


def main():
    sandbox = harness.Sandbox()
    model, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    quantize = ("quantize", model, "-o", sandbox.path / "digits.int8.onnx", "--data", data, "--diagnose", "--metric", "top1",
                "--recipe", harness.PER_TENSOR, "--name", "</script><script>alert(1)</script>")
    identity = harness.identity_of(sandbox.run(*quantize))
    page = sandbox.path / "report.html"
    refused = told(sandbox, "last", "-o", page, code=None)
    if refused.returncode != 0:
        harness.check("built without its pages" in refused.stderr, f"a program without pages says so: {refused.stderr}")
        harness.skip("this program was built without its pages")
    first = page.read_text()
    stands_alone(first)
    harness.check("<script>alert" not in first, "a name is text")
    harness.check(identity in first, "the text before the pages names the run")
    data_of = json.loads(packed(first, "data"))
    harness.check((data_of["format"], data_of["runs"]) == (1, [identity]), "it says what is inside")
    holds_what_is_stored(sandbox, data_of, identity)
    harness.check("</script" not in packed(first, "style") and len(packed(first, "code")) > 100_000, "the pages are inside")

    other = harness.identity_of(sandbox.run("diagnose", model, sandbox.path / "digits.int8.onnx", "--data", data))
    told(sandbox, identity, other, "-o", page, "-q")
    both = json.loads(packed(page.read_text(), "data"))
    harness.check(both["runs"] == [identity, other] and [run["id"] for run in both["workloads"]] == both["runs"], "two runs")
    for one in both["runs"]:
        harness.check(f"workloads/{one}/tables/plan.ops" in both["tables"] or one == other, "each with its tables")

    harness.check("fewer" in told(sandbox, identity, other, identity, "-o", page, code=2).stderr, "three runs are too many")
    harness.check(".html" in told(sandbox, "last", "-o", sandbox.path / "r.pdf", code=2).stderr, "other endings are refused")
    harness.check(not (sandbox.path / "r.pdf").exists(), "and nothing is written")
    harness.check("none" in told(sandbox, "none", "-o", page, code=1).stderr, "an unknown run is named")
    missed = told(sandbox, identity, "-o", page, "--fail-below", "90", code=3)
    harness.check("90" in missed.stderr and "90" in page.read_text().split("</pre>")[0], "a missed gate is told in the text")
    gates = json.loads(packed(page.read_text(), "data"))["gates"]
    harness.check([(one["workload"], one["asks"], one["reached"]) for one in gates] == [(identity, "SQNR >= 90 dB", False)], "and by the pages")
    harness.check("twice" in told(sandbox, identity, identity, "-o", page, code=2).stderr, "a run stands in it once")
    told(sandbox, identity, "-o", page, "--fail-below", "-100")


main()
