# SPDX-License-Identifier: Apache-2.0
"""The MobileNets as ONNX models and as graphs of TensorFlow, quantized with the same recipe over the same images: their tables rank
the ops alike, and extremes are the same."""
import json

import harness

import numpy as np

MODELS = harness.need_testdata() / "models"
CONVOLUTIONS = {"Conv", "Conv2D", "DepthwiseConv2dNative"}
POOLS = {"GlobalAveragePool", "AvgPool"}
SAMPLES = 100


def rows_of(sandbox, model, layout):
    """Rows of the table by op: the convolutions in order of flow, the pool, and the softmax."""
    data = harness.imagenet(sandbox, name=f"{layout}.yaml")
    data.write_text(data.read_text().replace("nchw", layout) + f"limit: {SAMPLES}\n")
    told = sandbox.json("quantize", model, "--data", data, "-o", f"int8{model.suffix}", "--diagnose")
    by_op = {row["op"]["id"]: row for row in sandbox.record(told["workload"], "diagnosis.json")["activations"]}
    ops = [one for one in sandbox.record(told["workload"], "plan.json")["ops"] if one["members"]]
    rows = {}
    for one in ops:
        row = next((by_op[member] for member in one["members"] if member in by_op), None)
        if row is None:
            continue
        if one["type"] in CONVOLUTIONS:
            rows[f"conv{sum(name.startswith('conv') for name in rows)}"] = row
        elif one["type"] in POOLS or one["type"] == "Softmax":
            rows["pool" if one["type"] in POOLS else "softmax"] = row
    return rows


def spearman(one, other):
    """Of figures without ties."""
    ranks = [np.argsort(np.argsort(figures)) for figures in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


def check_width(sandbox, width):
    first, second = (rows_of(sandbox, MODELS / f"mobilenet_v1_{width}_224.{end}", layout)
                     for end, layout in (("onnx", "nchw"), ("pb", "nhwc")))
    common = [name for name in first if name in second]
    harness.check(len(common) >= 29 and sum(name.startswith("conv") for name in common) == 28,
                  f"MobileNet {width}: {len(common)} ops are in both tables")
    for figure in ("sqnr_db", "mse"):
        figures = [[float(rows[name][figure]) for name in common] for rows in (first, second)]
        correlation = spearman(*figures)
        worst = [f"{common[int(np.argmin(one))]} {min(one):.1f}" for one in figures] if figure == "sqnr_db" else ""
        harness.check(correlation >= 0.95, f"{figure} ranks them alike: {correlation:.3f} {worst}")
    apart = max(abs(first[name][end] - second[name][end]) / first[name]["data_range"] for name in common for end in ("min", "max"))
    harness.check(apart < 0.01, f"extremes are the same to {apart:.2g} of the range")


def main():
    done = harness.Sandbox()
    runtimes = json.loads(done.run("doctor", "--output", "json").stdout)["runtimes"]
    if not next(one for one in runtimes if one["name"] == "tensorflow")["version"]:
        harness.skip("there is no TensorFlow (quantlens doctor)")
    for width in ("0.25", "0.75"):
        check_width(done, width)


main()
