# SPDX-License-Identifier: Apache-2.0
"""profile: every node is there once, both models add up, files are those of the predecessors, other tools' are read."""

import collections
import csv
import json

import harness

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"
KEYS = ["node_name", "total_execution_time", "accelerator_execution_time", "cpu_execution_time", "op_run", "op_defined"]
TITLES = ["Node name", "Total execution time [us]", "Accelerator execution time [us]", "CPU execution time [us]", "OP run",
          "OP defined"]
ATTEMPTS = 4
REAL = ["mobilenet_v1_0.75_224.onnx", "squeezenet1.1.onnx", "magika_v3_3.onnx", "kwt1.onnx"]


def close(x, y):
    return abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1)


def one_model(sandbox):
    result = sandbox.json("profile", MODEL, "--threads", "2", "--iterations", "60")
    nodes = result["nodes"]
    harness.check(close(sum(n["mean_us"] for n in nodes), result["nodes_us"]), f"{len(nodes)} nodes add up")
    harness.check(all(n["runs"] == 60 and n["defined"] == 1 for n in nodes), "each ran as often as it was asked to")
    harness.check(all(n["ops"] for n in nodes if n["role"] == "op"), "each computes an op of the file")
    harness.check(close(sum(t["total_us"] for t in result["types"]), sum(n["total_us"] for n in nodes)), "so do types")
    harness.check(all(n["scaling"] > 0 for n in nodes if n["mean_us"] > 0), "two threads are compared with one")
    harness.check(0.5 < result["explained"] < 2, f"explained: {result['explained']:.3f} of the wall time")
    harness.check({n["bound"] for n in nodes} <= {"compute", "memory", "overhead", None}, "bounds have words")
    folder = sandbox.workload(result["workload"])
    data = json.loads((folder / "profiling_data.json").read_text())
    harness.check([list(row) for row in data] == [KEYS] * len(nodes), "profiling_data.json has the predecessors' keys")
    rows = list(csv.reader((folder / "profiling_table.csv").open(newline="")))
    harness.check(rows[0][:6] == TITLES and len(rows) == len(nodes) + 1, "profiling_table.csv begins with their columns")
    totals = [int(row[1]) for row in rows[1:]]
    harness.check(totals == sorted(totals, reverse=True), "the longest first")
    text = sandbox.run("profile", MODEL, "--iterations", "10").stdout
    lines = [line for line in text.splitlines() if not line.startswith("workload:")]
    harness.check("Profiling" in lines[1] and max(map(len, lines)) <= 100, "it fits a terminal")
    return result


def two_models(sandbox):
    out = sandbox.path / "digits.int8.onnx"
    sandbox.run("quantize", MODEL, "--data", DATA, "-o", out)
    result = sandbox.json("profile", MODEL, out, "--data", DATA, "--iterations", "60")
    ops = result["ops"]
    harness.check(close(sum(o["reference_us"] for o in ops), result["reference"]["nodes_us"]), "float adds up")
    parts = sum(o["quantized_us"] + o["conversion_us"] + o["layout_us"] for o in ops)
    harness.check(close(parts, result["quantized"]["nodes_us"]), "int8 adds up")
    gains = [o["gain_us"] for o in ops]
    harness.check(gains == sorted(gains), "the most lost first")
    named = [op["id"] for o in ops for op in o["ops"]]
    harness.check(len(named) == len(set(named)) and all(op["name"] for o in ops for op in o["ops"]) and named, f"{len(named)} ops of the float model, each in one row")
    harness.check(result["ratio_interval"][0] <= result["ratio"] <= result["ratio_interval"][1], "the ratio has an interval")
    harness.check("The quantized model" in result["verdict"], result["verdict"])
    said = {one["says"]: one["figures"] for one in result["conclusions"]}
    harness.check(said["speed.compared"]["ratio"] == {"is": "number", "value": result["ratio"]}, "it is made of figures")
    record = sandbox.record(result["workload"], "profile.json")
    harness.check("verdict" not in record and record["conclusions"] == result["conclusions"], "the record has no sentence")
    harness.check((sandbox.workload(result["workload"]) / "profiling_ops.csv").exists(), "profiling_ops.csv")
    check_findings(result, sandbox.workload(result["workload"]), True)


def traces(sandbox, profile):
    trace = sandbox.path / "trace.json"
    result = sandbox.json("profile", MODEL, "--iterations", "10", "--trace", trace)
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
    harness.check(len(events) >= len(result["nodes"]), f"a trace of {len(events)} events")
    again = sandbox.json("profile", trace)
    harness.check(len(again["nodes"]) == len(profile["nodes"]), "it is read again")


def imports(sandbox):
    """Against Python's own reading of what ONNX Runtime wrote."""
    harness.need("onnxruntime", "numpy")
    import numpy as np
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(sandbox.path / "ort")
    session = ort.InferenceSession(str(MODEL), options)
    feed = {i.name: np.zeros([d if isinstance(d, int) else 1 for d in i.shape], np.float32) for i in session.get_inputs()}
    for _ in range(12):
        session.run(None, feed)
    path = session.end_profiling()
    events = [e for e in json.load(open(path)) if e["cat"] == "Node" and "op_name" in e["args"]]
    wanted = collections.defaultdict(list)
    for event in events:
        wanted[event["name"].removesuffix("_kernel_time")].append(event["dur"])
    result = sandbox.json("profile", path)
    harness.check(result["source"] == "onnxruntime" and len(result["nodes"]) == len(wanted), f"{len(wanted)} nodes imported")
    harness.check("-profile-ort" in result["workload"], f"{result['workload']}: named after the file")
    for node in result["nodes"]:
        durations = wanted[node["name"]][1:]  # the first run is a warm-up
        harness.check(node["runs"] == 11 and close(node["total_us"], sum(durations)), f"{node['name']}: {sum(durations)} us")


def errors(sandbox):
    bad = sandbox.write("bad.json", "{\"traceEvents\": [{]")
    for arguments, code in ((["profile", bad], 1), (["profile", sandbox.path / "none.onnx"], 1),
                            (["profile", MODEL, "--isolate-timeout", "3"], 2), (["profile", MODEL, "--iterations", "0"], 2),
                            (["profile", MODEL, sandbox.path], 1), (["profile", MODEL, "--threads", "x"], 2),
                            (["profile", sandbox.path / "trace.json", "--data", DATA], 2),
                            (["profile", sandbox.path / "trace.json", "--isolate"], 2),
                            (["profile", sandbox.path / "digits.int8.onnx", MODEL], 2),
                            (["profile", MODEL, "--trace", sandbox.path / "none" / "t.json"], 1)):
        done = sandbox.run(*arguments, code=None)
        sentence = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
        harness.check(done.returncode == code and sentence.startswith("quantlens: "),
                      f"{arguments[1:]}: {done.returncode}, {sentence}")
    copy = sandbox.path / "copy.onnx"
    copy.write_bytes(MODEL.read_bytes())
    for target in (copy, sandbox.path / "trace.json"):
        bytes_before = target.read_bytes()
        sandbox.run("profile", target, "--trace", target, code=2)
        harness.check(target.read_bytes() == bytes_before, f"{target.name}: --trace writes over nothing that is read")


def prices(sandbox):
    common = ["tune", MODEL, "--data", DATA, "--metric", "top1", "--max-loss", "0.05", "--objective", "speed",
              "-o", sandbox.path / "t.onnx"]
    counted = sandbox.json(*common, "--prices", "none")
    harness.check(counted["best_us"] is None and counted["predicted_us"] is None, "--prices none times nothing")
    measured = sandbox.json(*common)
    record = sandbox.record(measured["workload"], "prices.json")
    harness.check(record["groups"] and record["float_rest_us"] is not None, f"{len(record['groups'])} groups are priced")
    harness.check(measured["best_us"] > 0 and measured["float_us"] > 0, "both are timed in the end")
    file = sandbox.workload(measured["workload"]) / "prices.json"
    again = [sandbox.json(*common, "--prices", file) for _ in range(2)]
    harness.check(again[0]["trials"] == again[1]["trials"], "equal prices, equal trials")
    out = sandbox.path / "t.onnx"
    out.unlink()
    empty, absurd = json.loads(file.read_text()), json.loads(file.read_text())
    empty["groups"], absurd["groups"][0]["int8_us"] = [], "nan"
    others = json.loads(file.read_text().replace(record["groups"][0]["ops"][0], "of another model"))
    outside = json.loads(file.read_text())
    outside["values"][0]["to"] = [10**9]
    names = [sandbox.write(f"prices{i}.json", json.dumps(bad))
             for i, bad in enumerate((empty, absurd, others, outside, {}))]
    for name in [sandbox.path / "none.json", *names]:
        done = sandbox.run(*common, "--prices", name, code=1)
        harness.check(not out.exists() and done.stderr.startswith("quantlens: "), done.stderr.strip())
    done = sandbox.run(*[word if word != "speed" else "int8" for word in common], "--prices", file, code=2)
    harness.check("--objective speed" in done.stderr, done.stderr.strip())
    kept = file.read_bytes()
    done = sandbox.run(*common[:-1], file, "--prices", file, code=2)
    harness.check("overwrite" in done.stderr and file.read_bytes() == kept, done.stderr.strip())


def real_models(sandbox):
    harness.need_testdata()
    for name in REAL:
        for attempt in range(ATTEMPTS):
            result = sandbox.json("profile", harness.TESTDATA / "models" / name, "--threads", "1")
            if 0.7 < result["explained"] < 1.4:
                break  # else something else ran on all cores: a run was interrupted, its nodes in the median were not
        harness.check(all(n["ops"] for n in result["nodes"] if n["role"] == "op"), f"{name}: every node has its ops")
        harness.check(0.7 < result["explained"] < 1.4,
                      f"{name}: {100 * result['explained']:.1f} % explained at attempt {attempt + 1}")


def check_findings(result, folder, tried):
    """A remedy is told where it was timed in the quantized model, and its whole interval is a gain."""
    for number, finding in enumerate(result["findings"], 1):
        trial, name = finding["trial"], f"{finding['rule']} {number}"
        harness.check((trial is None) == (finding["not_tried"] != []), f"{name}: was tried, or says why not")
        says = [one["says"] for one in finding["reasons"]]
        harness.check(says[0] == f"speed.{finding['rule']}" and "speed.times" in says, f"{name}: {says}")
        harness.check(("speed.tried" in says) == (trial is not None), f"{name}: says what came of a trial")
        harness.check(all(op["id"] and op["name"] for op in finding["ops"]), f"{name}: its ops have ids and names")
        harness.check(trial is None or tried, f"{name}: {finding['because']}")
        gains = trial is not None and trial["ratio_interval"][1] < 1
        harness.check((finding["remedy"] is not None) == gains, f"{name}: a remedy is what gains, {trial}")
        harness.check((folder / f"remedy_{number}.json").exists() == gains, f"{name}: so is a file")
        if trial is None:
            continue
        harness.check(trial["ratio_interval"][0] <= trial["ratio"] <= trial["ratio_interval"][1], f"{name}: {trial['ratio']}")
        harness.check(trial["before_us"] > 0 and trial["in_float_us"] > 0, f"{name}: its ops are timed in both models")
        if gains:
            fragment = finding["remedy"]["op_name_dict"]
            stored = json.loads((folder / f"remedy_{number}.json").read_text())
            harness.check(stored == finding["remedy"], f"{name}: the file has the same recipe")
            harness.check(len(fragment) == len(trial["ops"]) and trial["gain_interval"][0] > 0, f"{name}: {trial['gain_interval']}")


def remedies(sandbox):
    """Of a model whose first convolutions are slower in int8 than in its float form."""
    harness.need_testdata()
    harness.need("onnx")
    import onnx

    model = harness.TESTDATA / "models" / "mobilenet_v1_0.75_224.onnx"
    out = sandbox.path / "mobilenet.int8.onnx"
    sandbox.run("quantize", model, "--data", "random", "--limit", "8", "-o", out)
    common = ["--threads", "1", "--iterations", "40"]
    result = sandbox.json("profile", model, out, *common)
    check_findings(result, sandbox.workload(result["workload"]), True)
    trials = [finding["trial"] for finding in result["findings"] if finding["rule"] == "slow_kernel"]
    harness.check(trials and all(trials), f"{len(trials)} slow_kernel, each tried in the quantized model")
    harness.check(not (sandbox.workload(result["workload"]) / "remedy").exists(), "no model is left behind")
    result = sandbox.json("profile", model, out, *common, "--verify", "0")
    check_findings(result, sandbox.workload(result["workload"]), False)
    foreign = onnx.load(out)
    del foreign.metadata_props[:]
    onnx.save(foreign, sandbox.path / "foreign.onnx")
    result = sandbox.json("profile", model, sandbox.path / "foreign.onnx", *common)
    check_findings(result, sandbox.workload(result["workload"]), False)
    harness.check(all("float model's times" in f["because"] for f in result["findings"] if f["rule"] != "float_island"),
                  "what the float model's times are is said where nothing else is measured")


def main():
    sandbox = harness.Sandbox()
    profile = one_model(sandbox)
    two_models(sandbox)
    traces(sandbox, profile)
    imports(sandbox)
    errors(sandbox)
    prices(sandbox)
    remedies(sandbox)
    real_models(sandbox)


if __name__ == "__main__":
    main()
