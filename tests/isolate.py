# SPDX-License-Identifier: Apache-2.0
"""--isolate gives the same bytes; whatever becomes of the worker costs a sentence, and leaves no process behind."""

import os
import pathlib
import signal
import subprocess
import time

import harness

harness.need("onnx")
import onnx  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"


def records(sandbox, *arguments):
    """All that a run leaves but times, ids and the command line, and what it prints but its id."""
    result = sandbox.json(*arguments)
    folder = sandbox.workload(result.pop("workload"))
    left = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".json", ".gz", ".bin", ".csv")}
    del left["workload.json"]
    result.pop("output", None)
    return left | {"standard output": result}


def equal_bytes(sandbox, model, data, limit, metric):
    output, isolated = (sandbox.path / f"{model.stem}.{name}.onnx" for name in ("here", "there"))
    runs = [("quantize", model, "-o", "OUTPUT", "--diagnose", "--metric", metric), ("diagnose", model, output),
            ("evaluate", output, "--metric", metric), ("evaluate", output, "--against", model, "--metric", metric)]
    for run in runs:
        def line(name, *extra, run=run):
            return [name if word == "OUTPUT" else word for word in run] + ["--data", data, "--limit", limit, *extra]
        here = records(sandbox, *line(output))
        there = records(sandbox, *line(isolated, "--isolate"))
        harness.check(len(here) >= 3 and here.keys() == there.keys(), f"{model.name}: {run[0]} leaves {sorted(here)}")
        for name, bytes_here in here.items():
            harness.check(bytes_here == there[name], f"{model.name}: {run[0]}: {name} is equal with --isolate")
    harness.check(output.read_bytes() == isolated.read_bytes(), f"{model.name}: the quantized model is equal")


def converted(sandbox):
    """A model that quantlens converts before it runs: the worker gets that, though an older one lies at its path."""
    model = onnx.load(MODEL)
    model.opset_import[0].version = 12
    old = sandbox.path / "old.onnx"
    onnx.save(model, old)
    here, there = (sandbox.path / f"old.{name}.onnx" for name in ("here", "there"))
    common = ["quantize", old, "--data", DATA, "--limit", 50, "--diagnose"]
    harness.check(" 13" in sandbox.run(*common, "-o", here).stderr, "it is converted")
    left = [records(sandbox, *common, "-o", here), records(sandbox, *common, "-o", there, "--isolate")]
    harness.check(left[0] == left[1] and here.read_bytes() == there.read_bytes(), "a converted model runs in a worker")


def workers_of(process):
    """Process ids of its children."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process.pid and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def start(sandbox, name, *extra):
    """A long isolated run, once it diagnoses, and its worker."""
    log = sandbox.path / f"{name}.log"
    random = sandbox.write("many.yaml", "random: {count: 10000000, seed: 0}\n")
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [harness.program(), "quantize", MODEL, "--data", random, "-o", sandbox.path / f"{name}.onnx", "--diagnose",
             "--progress", "json", "--name", name, "--isolate", *extra],
            stderr=stderr, stdout=subprocess.DEVNULL, env=sandbox.environment, cwd=sandbox.path)
    for _ in range(600):
        if '"progress","step":"diagnose"' in log.read_text():
            workers = workers_of(process)
            harness.check(len(workers) == 1, f"{name}: one worker: {workers}")
            return process, workers[0], log
        time.sleep(0.1)
    process.kill()
    raise AssertionError(f"it never got to diagnose:\n{log.read_text()}")


def gone(pid):
    for _ in range(500):
        if not is_running(pid):
            return True
        time.sleep(0.02)
    return False


def lost_workers(sandbox):
    for name, sent, words in (("killed", signal.SIGKILL, ["signal 9 (Killed)", "--batch-size"]),
                              ("crashed", signal.SIGSEGV, ["signal 11 (Segmentation fault)", "quantlens doctor"]),
                              ("stopped", signal.SIGSTOP, ["did not answer within 1 s", "--isolate-timeout"])):
        process, worker, log = start(sandbox, name, "--isolate-timeout", "1")
        os.kill(worker, sent)
        code = process.wait(60)
        lines = [line for line in log.read_text().splitlines() if line.startswith("quantlens: ")]
        harness.check(code == 1 and len(lines) == 1, f"{name}: exit code {code}: {lines}")
        words = [*words, "digits.onnx", f"{name}.onnx", "in step ", "(sample ", "the worker for onnxruntime", str(worker)]
        harness.check(all(word in lines[0] for word in words), f"{name}: {lines[0]}")
        harness.check(gone(worker), f"{name}: no worker is left")
        row = [row for row in sandbox.json("workloads", "list") if row["name"] == name][0]
        harness.check(row["state"] == "failure" and "worker" in row["message"], f"{name}: {row['message']}")
        harness.check((sandbox.path / f"{name}.onnx").exists(), f"{name}: the quantized model is kept")
        harness.check(harness.file_of(sandbox.workload(row["id"]) / "plan.json").exists(), f"{name}: and what was finished")


def lost_parents(sandbox):
    for name, sent, code in (("asked", signal.SIGINT, 130), ("ended", signal.SIGTERM, 130), ("hung up", signal.SIGHUP, 130),
                             ("shot", signal.SIGKILL, -signal.SIGKILL)):
        process, worker, log = start(sandbox, name)
        process.send_signal(sent)
        harness.check(process.wait(60) == code, f"{name}: exit code {process.returncode}: {log.read_text()[-300:]}")
        harness.check(gone(worker), f"{name}: its worker is gone, too")


def timed_alike(sandbox, model):
    """Nodes, ops and files of a profile and a benchmark are those of a run without --isolate; whether times are is measured, not tested."""
    output = sandbox.path / "timed.onnx"
    sandbox.run("quantize", model, "--data", DATA, "-o", output)
    line = ["profile", model, output, "--data", DATA, "--iterations", "400", "--verify", "0"]
    here, there = (sandbox.json(*line, *extra) for extra in ((), ("--isolate",)))
    for side in ("reference", "quantized"):
        nodes = [[node["name"] for node in sorted(result[side]["nodes"], key=lambda node: node["name"])] for result in (here, there)]
        harness.check(nodes[0] == nodes[1] and nodes[0], f"{side}: the same {len(nodes[0])} nodes")
        ratio = there[side]["wall"]["median_us"] / here[side]["wall"]["median_us"]
        harness.check(ratio > 0, f"{side}: it is timed in the worker ({ratio:.2f} times what it takes here)")
    ops = [sorted([op["id"] for op in row["ops"]] for row in result["ops"]) for result in (here, there)]
    harness.check(ops[0] == ops[1], "the same rows of ops")
    harness.check(here.keys() == there.keys(), "and the same fields")
    files = [sorted(path.name for path in sandbox.workload(result["workload"]).iterdir()) for result in (here, there)]
    harness.check([name for name in files[0] if not name.startswith("remedy_")] ==
                  [name for name in files[1] if not name.startswith("remedy_")], f"and the same files: {files}")
    line = ["benchmark", model, output, "--rounds", 3, "--iterations", 50]
    here, there = (sandbox.json(*line, *extra) for extra in ((), ("--isolate",)))
    for left, right in zip(here["results"], there["results"]):
        ratio = right["latency_ms"] / left["latency_ms"]
        harness.check(left["wall"]["runs"] == right["wall"]["runs"] and ratio > 0,
                      f"benchmark: {pathlib.Path(left['model']).name}: as many runs in a worker ({ratio:.2f} times what they take here)")


def start_timing(sandbox, name, verb, *extra):
    """A run of a verb that times for long, once it does, and its worker."""
    log = sandbox.path / f"{name}.log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [harness.program(), verb, MODEL, "--iterations", "10000000", "--progress", "json", "--name", name, "--isolate",
             *extra], stderr=stderr, stdout=subprocess.PIPE, env=sandbox.environment, cwd=sandbox.path)
    for _ in range(600):
        workers = workers_of(process)
        if f'"step":"{verb}"' in log.read_text() and workers:
            time.sleep(2)  # it has been opened, too
            harness.check(workers_of(process) == workers and len(workers) == 1, f"{name}: one worker: {workers}")
            return process, workers[0], log
        time.sleep(0.1)
    process.kill()
    raise AssertionError(f"it never got to time:\n{log.read_text()}")


def lost_while_timing(sandbox):
    for verb in ("profile", "benchmark"):
        for what, sent, words in (("killed", signal.SIGKILL, ["signal 9 (Killed)"]),
                                  ("crashed", signal.SIGSEGV, ["signal 11 (Segmentation fault)", "quantlens doctor"]),
                                  ("stopped", signal.SIGSTOP, ["did not answer within 1 s", "--isolate-timeout"])):
            name = f"{verb}_{what}"
            process, worker, log = start_timing(sandbox, name, verb, "--isolate-timeout", "1")
            os.kill(worker, sent)
            code = process.wait(60)
            lines = [line for line in log.read_text().splitlines() if line.startswith("quantlens: ")]
            harness.check(code == 1 and len(lines) == 1, f"{name}: exit code {code}: {lines}")
            words = [*words, "digits.onnx", "in timed run", "the worker for onnxruntime", str(worker)]
            harness.check(all(word in lines[0] for word in words), f"{name}: {lines[0]}")
            harness.check(process.stdout.read() == b"" and gone(worker), f"{name}: nothing is printed, no worker is left")
            row = [row for row in sandbox.json("workloads", "list") if row["name"] == name][0]
            harness.check(row["state"] == "failure" and "worker" in row["message"], f"{name}: {row['message']}")
        for sent, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)):
            name = f"{verb}_{sent.name}"
            process, worker, log = start_timing(sandbox, name, verb)
            process.send_signal(sent)
            harness.check(process.wait(60) == code, f"{name}: exit code {process.returncode}: {log.read_text()[-300:]}")
            harness.check(gone(worker), f"{name}: its worker is gone, too")


def same_sentences(sandbox):
    """What the runtime refuses is told as it is without --isolate."""
    model = onnx.load(MODEL)
    model.opset_import[0].version = 1000
    onnx.save(model, sandbox.path / "future.onnx")
    sandbox.environment["QUANTLENS_ONNXRUNTIME"] = ""
    for name, library, arguments in (("a model that it refuses", "", ("quantize", sandbox.path / "future.onnx")),
                                     ("no runtime", "/nowhere/libonnxruntime.so.1", ("quantize", MODEL))):
        sandbox.environment["QUANTLENS_ONNXRUNTIME"] = library
        line = [*arguments, "--data", DATA, "-o", sandbox.path / "no.onnx"]
        here, there = (sandbox.run(*line, *extra, code=1).stderr for extra in ((), ("--isolate",)))
        harness.check(here == there and here.count("\n") >= 1, f"{name}: {there!r} is {here!r}")
    del sandbox.environment["QUANTLENS_ONNXRUNTIME"]


def by_hand(sandbox):
    done = sandbox.run("worker", "onnxruntime", code=2, stdin=subprocess.DEVNULL)
    harness.check("started by quantlens itself" in done.stderr, done.stderr)
    sandbox.run("worker", "tensorflow", code=2)
    harness.check("docs/workers.md" in sandbox.run("worker", "--help").stdout, "worker has a help")
    harness.check("worker" not in sandbox.run("--help").stdout, "of which the list of commands does not speak")
    common = ["evaluate", MODEL, "--data", DATA, "--metric", "top1"]
    for value in ("0", "-1", "nan", "soon"):
        done = sandbox.run(*common, "--isolate", "--isolate-timeout", value, code=2)
        harness.check("--isolate-timeout" in done.stderr, done.stderr)
    harness.check("--isolate" in sandbox.run(*common, "--isolate-timeout", "3", code=2).stderr, "alone it means nothing")


def main():
    sandbox = harness.Sandbox()
    equal_bytes(sandbox, MODEL, DATA, 200, "top1")
    if harness.TESTDATA.is_dir():
        equal_bytes(sandbox, harness.TESTDATA / "models" / "mobilenet_v1_0.25_224.onnx", harness.imagenet(sandbox), 20,
                    harness.MOBILENET_METRIC)
    converted(sandbox)
    by_hand(sandbox)
    same_sentences(sandbox)
    timed_alike(sandbox, MODEL)
    lost_while_timing(sandbox)
    lost_workers(sandbox)
    lost_parents(sandbox)


main()
