# SPDX-License-Identifier: Apache-2.0
"""benchmark in all its forms on a small network: what it prints and keeps, its processes and their cores, its ends."""

import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import harness

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"
QUICK = ("--rounds", 3, "--iterations", 20, "--warmup", 2)
CORES = sorted(os.sched_getaffinity(0))


def one_model(sandbox):
    done = sandbox.run("benchmark", MODEL, *QUICK, "--threads", 1)
    lines = done.stdout.splitlines()
    harness.check(lines[0] == "Batch size = 1", "the predecessors' line: batch size")
    harness.check(re.fullmatch(r"Latency: \d+\.\d{3} ms", lines[1]), f"the predecessors' line: {lines[1]}")
    harness.check(re.fullmatch(r"Throughput: \d+\.\d{3} images/sec", lines[2]), f"the predecessors' line: {lines[2]}")
    harness.check(all(len(line) <= 100 for line in lines if not line.startswith("workload:")) and "Samples/s" in done.stdout, "a table of 100 columns")
    harness.check("random" in done.stderr, "it says that the data are random")
    quiet = sandbox.run("benchmark", MODEL, *QUICK, "--threads", 1, "--quiet")
    harness.check(quiet.stderr == "", "--quiet says nothing")
    steps = [json.loads(line) for line in sandbox.run("benchmark", MODEL, *QUICK, "--progress", "json").stderr.splitlines()]
    harness.check(any(step.get("total") == 3 for step in steps), "progress counts rounds")


def check_wall(wall, runs):
    harness.check(wall["runs"] == runs, f"{runs} runs are counted")
    order = [wall[key] for key in ("median_us", "p90_us", "p95_us", "p99_us")]
    harness.check(0 < order[0] and order == sorted(order), "percentiles are in order")
    low, high = wall["median_interval"]
    harness.check(low <= wall["median_us"] <= high, "the median's interval holds it")


def record(sandbox):
    printed = sandbox.json("benchmark", MODEL, *QUICK, "--data", DATA, "--batch-size", "1,8,1", "--threads", 1)
    harness.check([result["batch_size"] for result in printed["results"]] == [1, 8], "a list of batch sizes")
    for result in printed["results"]:
        harness.check(result["model"] == str(MODEL) and result["threads"] == 1, "model and threads are named")
        check_wall(result["wall"], 60)
        harness.check(abs(result["latency_ms"] * 1000 * result["batch_size"] / result["wall"]["median_us"] - 1) < 1e-9,
                      "latency is of one sample")
        harness.check([instance["cores"] for instance in result["instances"]] == [[]], "one instance, bound to no core")
    kept = sandbox.record(printed["workload"], "benchmark.json")
    harness.check(all(kept[key] == printed[key] for key in ("results", "ratios")), "benchmark.json is what is printed")
    harness.check(printed["ratios"] == [], "one model has no ratio")
    shown = sandbox.json("workloads", "show", printed["workload"])
    harness.check(shown["verb"] == "benchmark" and shown["result"] == printed, "the workload tells what was printed")


def tables(sandbox):
    text = sandbox.run("benchmark", MODEL, *QUICK, "--output", "csv", "--batch-size", "1,4").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    harness.check([row["Batch"] for row in rows] == ["1", "4"], "a row for each batch size")
    harness.check(all(row["Path"] == str(MODEL) and float(row["p50 [ms]"]) > 0 and float(row["Samples/s"]) > 0
                      for row in rows), "the columns of the CSV")
    text = sandbox.run("benchmark", MODEL, MODEL, *QUICK, "--output", "markdown").stdout
    harness.check("**Benchmark**" in text and "| Model" in text, "a Markdown table")


def two_models(sandbox):
    quantized = sandbox.path / "digits.int8.onnx"
    sandbox.run("quantize", MODEL, "--data", DATA, "-o", quantized)
    text = sandbox.run("benchmark", MODEL, quantized, *QUICK, "--threads", 1, "--batch-size", "1,2").stdout
    sentence = r"Batch size (\d): digits\.int8\.onnx takes (\d+\.\d+) \((\d+\.\d+) to (\d+\.\d+)\) of the time of digits\.onnx"
    found = [[float(figure) for figure in match] for match in re.findall(sentence, text)]
    harness.check([row[0] for row in found] == [1, 2] and all(low <= ratio <= high for _, ratio, low, high in found),
                  "a sentence with the ratio for each batch size")
    harness.check(text.count("Batch size = ") == 4 and "Model: digits.int8.onnx" in text, "each model has its lines")
    printed = sandbox.json("benchmark", MODEL, quantized, *QUICK, "--threads", 1)
    names = [pathlib.Path(result["model"]).name for result in printed["results"]]
    harness.check(names == ["digits.onnx", "digits.int8.onnx"], "results are in the order of the arguments")
    harness.check(len({result["wall"]["runs"] for result in printed["results"]}) == 1, "both ran equally often")
    roles = [model["role"] for model in sandbox.record(printed["workload"], "workload.json")["models"]]
    harness.check(roles == ["reference", "quantized"], "the workload names both models")
    two = sandbox.json("benchmark", MODEL, quantized, "--rounds", 2, "--iterations", 2, "--threads", 1)
    harness.check(two["ratios"][0]["interval"] == [0, "inf"], "two rounds give no interval")
    both = sandbox.json("benchmark", MODEL, quantized, *QUICK, "--instances", 1)
    harness.check(len(both["ratios"]) == 1 and len(both["results"]) == 2, "two models in instances")


def instances(sandbox):
    if len(CORES) < 2:
        print("not checked: two instances, for lack of cores")
        return
    printed = sandbox.json("benchmark", MODEL, *QUICK, "--instances", 2, "--cores-per-instance", 1)
    result = printed["results"][0]
    cores = [instance["cores"] for instance in result["instances"]]
    harness.check(len(cores) == 2 and all(len(own) == 1 for own in cores) and cores[0] != cores[1] and
                  {core for own in cores for core in own} <= set(CORES), f"two instances on cores of their own: {cores}")
    total = sum(instance["samples_per_second"] for instance in result["instances"])
    harness.check(abs(total / result["samples_per_second"] - 1) < 1e-9, "throughput is the sum of the instances'")
    harness.check(result["wall"]["runs"] == sum(instance["wall"]["runs"] for instance in result["instances"]) == 120,
                  "all runs are counted")
    harness.check(result["threads"] == 1, "as many threads as cores")
    text = sandbox.run("benchmark", MODEL, *QUICK, "--instances", 2).stdout
    harness.check("Multiple Instance Benchmark Summary" in text and re.search(r"\| +Items +\| +Result +\|", text),
                  "the predecessors' table")
    harness.check(re.search(r"Latency average \[second/sample\] \| +\d+\.\d{6} +\|", text) and
                  re.search(r"Throughput sum \[samples/second\] \| +\d+\.\d{3} +\|", text), "and its rows")


def children_of(process):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process.pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return sorted(found)


def allowed(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return re.search(r"Cpus_allowed_list:\s*(\S+)", status).group(1)


def start(sandbox, count, *extra):
    """A long run with that many instances, once all are bound and run."""
    process = subprocess.Popen(
        [harness.program(), "benchmark", MODEL, "--instances", str(count), "--cores-per-instance", "1", "--rounds", "1000",
         "--progress", "json", *extra], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=sandbox.environment)
    for line in process.stderr:
        if '"done":1' in line.replace(" ", ""):
            break
    return process, children_of(process)


def gone(children):
    for _ in range(100):
        if not any(pathlib.Path(f"/proc/{child}").exists() for child in children):
            return True
        time.sleep(0.05)
    return False


def ends(sandbox):
    count = min(2, len(CORES))
    process, children = start(sandbox, count)
    harness.check(len(children) == count, f"{count} processes run")
    own = {allowed(child) for child in children}
    harness.check(len(own) == count and own <= {str(core) for core in CORES}, f"each is bound to a core of its own: {own}")
    os.kill(children[-1], signal.SIGKILL)
    out, errors = process.communicate(timeout=60)
    sentence = errors.splitlines()[-1]
    harness.check(process.returncode == 1 and "signal 9" in sentence and f"process {children[-1]}" in sentence,
                  f"one is killed: {sentence}")
    harness.check(out == "" and gone(children), "nothing is printed, and no process is left")
    process, children = start(sandbox, count, "--isolate", "--isolate-timeout", "2")
    harness.check(len(children) == count, f"--isolate adds no process to {count} instances")
    os.kill(children[0], signal.SIGSTOP)
    _, errors = process.communicate(timeout=60)
    sentence = errors.splitlines()[-1]
    harness.check(process.returncode == 1 and "did not answer within 2 s" in sentence, f"one is silent: {sentence}")
    harness.check(gone(children), "and no process is left")
    for sent, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130), (signal.SIGKILL, -signal.SIGKILL)):
        process, children = start(sandbox, count)
        process.send_signal(sent)
        process.communicate(timeout=60)
        harness.check(process.returncode == code, f"{sent.name}: exit code {process.returncode}")
        harness.check(gone(children), f"{sent.name}: no process is left")


def errors(sandbox):
    few = sandbox.path / "few.npz"
    few.write_bytes(b"PK\x03\x04 no archive")
    cases = [
        (1, ["absent.onnx"], "absent.onnx"),
        (1, [sandbox.write("broken.onnx", "no model")], "broken.onnx"),
        (1, [MODEL, "absent.onnx"], "absent.onnx"),
        (1, [MODEL, "--data", "absent.npz"], "absent.npz"),
        (1, [MODEL, "--data", few], "few.npz"),
        (1, [MODEL, "--data", DATA, "--batch-size", 100000], "fill no batch of 100000"),
        (2, [MODEL, "--instances", len(CORES) + 1], "and there are"),
        (2, [MODEL, "--cores-per-instance", 4000], "and there are"),
        (2, [MODEL, "--instances", 0], "whole number"),
        (2, [MODEL, "--cores-per-instance", 0], "whole number"),
        (2, [MODEL, "--batch-size", 0], "whole number"),
        (2, [MODEL, "--batch-size", -1], "whole number"),
        (2, [MODEL, "--batch-size", "1,x"], "whole number"),
        (2, [MODEL, "--batch-size", "1,,2"], "whole number"),
        (2, [MODEL, "--batch-size", 10**30], "whole number"),
        (2, [MODEL, "--iterations", 0], "whole number"),
        (2, [MODEL, "--iterations", "1e3"], "whole number"),
        (2, [MODEL, "--rounds", 0], "whole number"),
        (2, [MODEL, "--warmup", -1], "whole number"),
        (2, [MODEL, "--threads", 0], "whole number"),
        (2, [MODEL, "--isolate-timeout", 3], "--isolate"),
        (2, [], "MODEL"),
    ]
    for code, arguments, word in cases:
        done = sandbox.run("benchmark", *arguments, *(() if "--iterations" in arguments else ("--iterations", 1)), code=code)
        lines = done.stderr.strip().splitlines()
        harness.check(lines[-1].startswith("quantlens: ") and word in lines[-1], f"{code}: {lines[-1]}")
        harness.check(done.stdout == "", "and prints nothing else")
    alone = sandbox.run("benchmark-instance", code=2)
    harness.check("started by quantlens itself" in alone.stderr, "an instance does not run alone")


def real_models(sandbox):
    models = harness.TESTDATA / "models"
    if not models.is_dir():
        print(f"not checked: a model of a fixed batch size; the test data are absent ({harness.TESTDATA})")
        return
    done = sandbox.run("benchmark", MODEL, models / "kwt1.onnx", "--iterations", 1, code=1)
    harness.check("input" in done.stderr.splitlines()[-1], f"models of other inputs: {done.stderr.splitlines()[-1]}")


def main():
    sandbox = harness.Sandbox()
    for part in (one_model, record, tables, two_models, instances, ends, errors, real_models):
        part(sandbox)


if sys.platform != "linux":
    harness.skip("processes and their cores are looked up in /proc")
main()
