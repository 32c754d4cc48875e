# SPDX-License-Identifier: Apache-2.0
"""calibrate, merge and quantize --ranges: parts merged are one run to the byte, and wrong files are refused in words."""

import json

import harness

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "calibration.npz"
TEST = harness.DEMO / "digits.npz"


def refused(sandbox, code, *arguments, words=()):
    done = sandbox.run(*arguments, code=code)
    sentence = done.stderr.strip()
    claim = f"{arguments[0]} {' '.join(map(str, arguments[2:]))[-60:]}: {sentence[-110:]}"
    harness.check(sentence.startswith("quantlens: ") and sentence.count("\n") == 0, "one sentence of " + claim)
    for word in words:
        harness.check(word in sentence, f"it says '{word}'")


def calibrate(sandbox, name, *options, model=MODEL, data=DATA):
    path = sandbox.path / name
    sandbox.run("calibrate", model, "--data", data, "-o", path, "-q", *options)
    return path


def check_parts(sandbox):
    for batch_size, parts in ((1, 3), (1, 7), (16, 2), (8, 5)):
        options = ("--batch-size", batch_size)
        whole = calibrate(sandbox, f"whole{batch_size}.bin", *options).read_bytes()
        shards = [calibrate(sandbox, f"part{i}.bin", "--shard", f"{i}/{parts}", *options) for i in range(1, parts + 1)]
        merged = sandbox.path / f"merged{batch_size}-{parts}.bin"
        result = sandbox.json("merge", merged, *reversed(shards))
        harness.check(merged.read_bytes() == whole, f"{parts} parts in batches of {batch_size}, merged, are one run")
        harness.check(result["samples"] == 100 and result["values"] > 5, "of 100 samples")
        harness.check(list(result) == ["output", "model", "samples", "values"] and result["output"] == str(merged),
                      "merge says which file, of which model")
    one, two = calibrate(sandbox, "a.bin", "--samples", "0:31"), calibrate(sandbox, "b.bin", "--samples", "31:100")
    sandbox.run("merge", sandbox.path / "ab.bin", two, one)
    harness.check((sandbox.path / "ab.bin").read_bytes() == (sandbox.path / "whole1.bin").read_bytes(),
                  "any two ranges of samples, merged, are one run")
    alone = calibrate(sandbox, "alone.bin", "--threads", 1)
    harness.check(alone.read_bytes() == (sandbox.path / "whole1.bin").read_bytes(), "so are other threads")


def check_quantize(sandbox):
    statistics = sandbox.path / "whole1.bin"
    recipes = [{}, {"accuracy_level": "fast"}, {"activation": {"algorithm": "auto", "dtype": "int8", "scheme": "sym"}},
               {"op_type_dict": {"Conv": {"activation": {"algorithm": "minmax"}}}}]
    recipes += [{"activation": {"algorithm": one}} for one in ("moving_average", "percentile", "kl", "mse", "auto")]
    for recipe in map(json.dumps, recipes):
        plain, given = sandbox.path / "plain.onnx", sandbox.path / "given.onnx"
        first = sandbox.json("quantize", MODEL, "--data", DATA, "-o", plain, "--recipe", recipe, "-q")
        second = sandbox.json("quantize", MODEL, "--ranges", statistics, "-o", given, "--recipe", recipe, "-q")
        harness.check(plain.read_bytes() == given.read_bytes(), f"from statistics, without data, the same model: {recipe}")
        ranges = sandbox.workload(first["workload"]) / "ranges.json"
        both = [[(v["value"], v["min"], v["max"], v["algorithm"]) for v in sandbox.record(r["workload"], "ranges.json")["values"]]
                for r in (first, second)]
        harness.check(both[0] == both[1], "and the same ranges")
        uncorrected = json.dumps(json.loads(recipe) | {"recipes": {"bias_correction": False}})
        sandbox.run("quantize", MODEL, "--ranges", statistics, "-o", plain, "--recipe", uncorrected, "-q")
        done = sandbox.run("quantize", MODEL, "--ranges", ranges, "-o", given, "--recipe", uncorrected)
        harness.check(plain.read_bytes() == given.read_bytes(), "and, biases apart, from ranges.json")
        harness.check("biases" not in done.stderr, "without a note on them")
        done = sandbox.run("quantize", MODEL, "--ranges", ranges, "-o", given, "--recipe", recipe)
        harness.check(("biases are not corrected" in done.stderr) == ("fast" not in recipe), "which needs statistics")
    result = sandbox.json("quantize", MODEL, "--ranges", statistics, "-o", given, "--data", TEST, "--metric", "top1", "-q")
    harness.check(result["quantized"]["value"] > 0.97, "with data the accuracy is measured")


def check_single_ops(sandbox):
    statistics = sandbox.path / "whole1.bin"

    def ranges_by(recipe):
        result = sandbox.json("quantize", MODEL, "--ranges", statistics, "-o", sandbox.path / "o.onnx", "--recipe", recipe)
        harness.check(not any("algorithm" in note for note in result["notes"]), "no note on an algorithm without effect")
        record = sandbox.record(result["workload"], "ranges.json")
        return {v["value"]: v for v in record["values"]}, sandbox.record(result["workload"], "plan.json")

    usual, plan = ranges_by("{activation: {algorithm: minmax}}")
    conv = next(op for op in plan["ops"] if op["type"] == "Conv" and op["op"]["name"].startswith("/block3/"))
    value = conv["members"][-1]
    mixed, _ = ranges_by("{activation: {algorithm: minmax}, op_name_dict: {\"%s\": {activation: {algorithm: mse}}}}"
                         % conv["op"]["name"])
    changed = {name for name in usual if usual[name] != mixed[name]}
    harness.check(changed == {value} and mixed[value]["algorithm"] == "mse",
                  f"an algorithm for {conv['op']['name']} changes the range of {value} alone")
    cut = [ranges_by("{activation: {algorithm: percentile, percentile: %s}}" % p)[0][value]["max"] for p in (100, 99.9, 90)]
    harness.check(cut[0] == usual[value]["max"] > cut[1] > cut[2], f"percentiles cut at {cut}")
    by_type, _ = ranges_by("{activation: {algorithm: mse}, op_type_dict: {Conv: {activation: {algorithm: minmax}}}}")
    convs = {op["members"][-1] for op in plan["ops"] if op["type"] == "Conv" and op["members"]}
    harness.check(all((name in convs) == (by_type[name]["asked"] == "minmax") for name in by_type),
                  "one for a type those of its ops")


def check_refusals(sandbox):
    statistics = sandbox.path / "whole1.bin"
    bytes_of = statistics.read_bytes()
    out = sandbox.path / "new.bin"
    broken = sandbox.path / "broken.bin"
    broken.write_bytes(bytes_of[: len(bytes_of) // 2])
    foreign = sandbox.write("foreign.txt", "no statistics")
    refused(sandbox, 1, "merge", out, sandbox.path / "a.bin", statistics, words=["whole1.bin", "same samples"])
    refused(sandbox, 1, "merge", out, broken, words=["broken.bin", "damaged"])
    refused(sandbox, 1, "merge", out, foreign, words=["foreign.txt"])
    refused(sandbox, 1, "merge", out, sandbox.path / "nowhere.bin", words=["nowhere.bin"])
    refused(sandbox, 2, "merge", sandbox.path / "a.bin", sandbox.path / "b.bin", words=["already"])
    harness.check(not out.exists(), "a refused merge writes nothing")

    model = sandbox.path / "other.onnx"
    sandbox.run("quantize", MODEL, "--data", DATA, "-o", model, "-q", "--recipe", "{op_type_dict: {Conv: fp32}}")
    other = sandbox.path / "other.bin"
    sandbox.run("calibrate", model, "--data", DATA, "-o", other, "--samples", "90:95")
    refused(sandbox, 1, "merge", out, sandbox.path / "a.bin", other, words=["different models"])
    digits = sandbox.path / "digits.onnx"
    digits.write_bytes(MODEL.read_bytes() + b"\x72\x00")  # an empty metadata entry: the same graph, another file
    refused(sandbox, 1, "quantize", digits, "--ranges", statistics, words=["another model", "calibrate"])

    quantize = ("quantize", MODEL, "-o", sandbox.path / "o.onnx")
    refused(sandbox, 1, *quantize, "--ranges", broken, words=["broken.bin", "damaged"])
    refused(sandbox, 1, *quantize, "--ranges", foreign, words=["foreign.txt", "neither"])
    refused(sandbox, 1, *quantize, "--ranges", sandbox.path / "nowhere.bin", words=["nowhere.bin"])
    refused(sandbox, 1, *quantize, "--ranges", sandbox.write("ranges.json", "{\"values\": [}"), words=["ranges.json"])
    reversed_range = {"values": [{"value": "image", "min": 2, "max": 1}]}
    refused(sandbox, 1, *quantize, "--ranges", sandbox.write("r.json", json.dumps(reversed_range)), words=["image"])
    infinite = {"values": [{"value": "image", "min": "-inf", "max": 1}]}
    refused(sandbox, 1, *quantize, "--ranges", sandbox.write("r.json", json.dumps(infinite)), words=["image"])
    strange = {"values": [{"value": "nothing", "min": 0, "max": 1}]}
    refused(sandbox, 1, *quantize, "--ranges", sandbox.write("r.json", json.dumps(strange)), words=["none of the"])
    for percentile in ("0", "100.1", "-5", ".nan", "word"):
        refused(sandbox, 2, *quantize, "--ranges", statistics, "--recipe", "{activation: {percentile: %s}}" % percentile,
                words=["percentile"])
    refused(sandbox, 2, *quantize, words=["--data is required"])
    refused(sandbox, 2, *quantize, "--ranges", statistics, "--metric", "top1", words=["--data is required"])
    refused(sandbox, 2, *quantize, "--ranges", statistics, "--calibration-data", DATA, words=["exclude"])
    refused(sandbox, 2, *quantize[:2], "--ranges", statistics, "-o", statistics, words=["overwrite"])

    minmax = sandbox.json("quantize", MODEL, "--data", DATA, "-o", sandbox.path / "o.onnx", "-q", "--recipe",
                          "{activation: {algorithm: minmax}}")
    plain = sandbox.workload(minmax["workload"]) / "statistics.bin"
    refused(sandbox, 1, *quantize, "--ranges", plain, "--recipe", "{activation: {algorithm: entropy}}", words=["histogram"])

    base = ("calibrate", MODEL, "--data", DATA, "-o", out)
    for shard in ("0/4", "5/4", "1", "a/b", "1/0", "-1/2", "1/2/3"):
        refused(sandbox, 2, *base, "--shard", shard, words=["--shard"])
    refused(sandbox, 2, *base, "--shard", "1/101", words=["at most 100"])
    for samples in ("5", "7:7", "9:2", "a:b"):
        refused(sandbox, 2, *base, "--samples", samples, words=["--samples"])
    refused(sandbox, 1, *base, "--samples", "90:101", words=["has 100 samples"])
    refused(sandbox, 2, *base, "--samples", "0:5", "--shard", "1/2")
    refused(sandbox, 2, *base[:-1], DATA, words=["overwrite"])
    harness.check(not out.exists(), "and nothing is written")


def check_partial_ranges(sandbox):
    """A ranges.json by hand: what it leaves out stays float, and is said to."""
    result = sandbox.json("quantize", MODEL, "--ranges", sandbox.path / "whole1.bin", "-o", sandbox.path / "o.onnx", "-q")
    ranges = sandbox.record(result["workload"], "ranges.json")
    dropped = ranges["values"].pop()
    del ranges["model"]
    path = sandbox.write("some.json", json.dumps(ranges))
    done = sandbox.run("quantize", MODEL, "--ranges", path, "-o", sandbox.path / "o.onnx", "--output", "json")
    harness.check(json.loads(done.stdout)["ops_quantized"] < result["ops_quantized"], "fewer ops are quantized")
    harness.check(dropped["value"] in done.stderr and "stays float" in done.stderr, "a note names a missing value")


def check_told(sandbox):
    """What calibrate says for programs and for people, and what is told of it later."""
    path = sandbox.path / "told.bin"
    printed = sandbox.json("calibrate", MODEL, "--data", DATA, "-o", path, "-q")
    harness.check(list(printed) == ["workload", "output", "samples", "values"] and printed["output"] == str(path),
                  "calibrate says which file, of what")
    own = sandbox.workload(printed["workload"]) / "statistics.bin"
    shown = sandbox.json("workloads", "show", printed["workload"])
    harness.check(shown["result"] == printed | {"output": str(own)}, "a stored calibration is told again")
    held = next(one for one in shown["files"] if one["name"] == own.name)
    harness.check(held["record"] == "statistics" and held["bytes"] == own.stat().st_size == path.stat().st_size,
                  "the file of its statistics is named")
    words = f"({printed['values']} values over {printed['samples']} samples)"
    for text in (sandbox.run("calibrate", MODEL, "--data", DATA, "-o", path, "-q").stdout,
                 sandbox.run("workloads", "show", printed["workload"]).stdout,
                 sandbox.run("merge", sandbox.path / "one.bin", path).stdout):
        harness.check(words in text, "people read the same")


def main():
    sandbox = harness.Sandbox()
    check_told(sandbox)
    check_parts(sandbox)
    check_quantize(sandbox)
    check_single_ops(sandbox)
    check_refusals(sandbox)
    check_partial_ranges(sandbox)
    record = sandbox.json("workloads", "list")
    harness.check({"calibrate", "quantize"} <= {one["verb"] for one in record}, "both verbs leave workloads")


main()
