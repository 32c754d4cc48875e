# SPDX-License-Identifier: Apache-2.0
"""How well prices predict the latency of models in which some ops are int8 and others float.

usage: mixes.py QUANTLENS [MODEL ...]     (mobilenet_v1_0.75, squeezenet1.1, kwt1)

`tune` prices each op once (prices.json). Then ten mixes are drawn: of all ops that compute in int8 by the default recipe a
random part goes back to float. Each is quantized, and timed by `quantlens benchmark` in turn with the float model. The
prediction is made here, from prices.json and the mix's plan.json alone.
"""

import json
import os
import pathlib
import random
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
import harness  # noqa: E402

MODELS = {
    "mobilenet_v1_0.75": ("mobilenet_v1_0.75_224.onnx", harness.imagenet, harness.MOBILENET_METRIC),
    "squeezenet1.1": ("squeezenet1.1.onnx", harness.squeezenet_data, "top1"),
    "kwt1": ("kwt1.onnx", lambda _: harness.TESTDATA / "speech/kwt1_400.npz", "top1"),
}
MIXES, SEED = 10, 11
COMPUTE = {"conv", "matmul", "gemm"}


def predicted(prices, quantized):
    """Microseconds of one run."""
    groups = prices["groups"]
    int8 = [g["seen_in_int8"] and not quantized.isdisjoint(g["ops"]) for g in groups] + [False]
    for _ in groups:  # one may read what another passes
        for value in prices["values"]:
            for reader in value["to"] if int8[value["from"]] else []:
                int8[reader] |= reader < len(groups) and groups[reader]["passes_codes"]
    crossing = [(v["from"], r) for v in prices["values"] for r in v["to"]
                if max(v["from"], r) < len(groups) and int8[v["from"]] != int8[r]]
    beside = {reader for _, reader in crossing}
    total = sum(g[f"{'int8' if i else 'float'}{'_beside' if n in beside else ''}_us"]
                for n, (g, i) in enumerate(zip(groups, int8)))
    for value in prices["values"]:
        readers = [int8[reader] for reader in value["to"]]
        if int8[value["from"]]:
            if value["from"] < len(groups) and groups[value["from"]]["gives_floats"] and not any(readers):
                continue
            total += value["dequantize_us"] * readers.count(False)
        elif any(readers):
            total += value["quantize_us"]
    share = sum(int8) / max(1, sum(g["seen_in_int8"] for g in groups))
    return total + prices["float_rest_us"] * (1 - share) + prices["int8_rest_us"] * share


def plan_of(sandbox, result):
    return sandbox.record(result["workload"], "plan.json")["ops"]


def judge(sandbox, name):
    file, document, metric = MODELS[name]
    model, data = harness.TESTDATA / "models" / file, document(sandbox)
    out = sandbox.path / "mix.onnx"
    common = ["--data", data, "--threads", "1", "-o", out]
    tuned = sandbox.json("tune", model, *common, "--metric", metric, "--max-loss", "1", "--max-trials", "1",
                         "--objective", "speed")
    prices = sandbox.record(tuned["workload"], "prices.json")
    calibration = ["--limit", "100"]
    whole = plan_of(sandbox, sandbox.json("quantize", model, *common, *calibration))
    names = [op["op"]["name"] for op in whole if op["quantized"] and op["kind"] in COMPUTE]
    draw = random.Random(SEED)
    errors = []
    for mix in range(MIXES):
        share = draw.uniform(0.1, 0.9)
        floats = [op for op in names if draw.random() < share]
        recipe = json.dumps({"op_name_dict": {re.escape(op): "fp32" for op in floats}})
        plan = plan_of(sandbox, sandbox.json("quantize", model, *common, *calibration, "--recipe", recipe))
        quantized = {op["op"]["id"] for op in plan if op["quantized"]}
        guess = predicted(prices, quantized) / predicted(prices, set())
        ratio = sandbox.json("benchmark", model, out, "--data", data, "--threads", "1", "--rounds", "6")["ratios"][0]
        errors.append(abs(guess / ratio["ratio"] - 1))
        print(f"{name} mix {mix + 1:2}: {len(floats):3} of {len(names)} in float: predicted {guess:.3f} of float's time, "
              f"measured {ratio['ratio']:.3f} ({ratio['interval'][0]:.3f} to {ratio['interval'][1]:.3f}), "
              f"error {100 * errors[-1]:4.1f} %", flush=True)
    print(f"{name}: error at most {100 * max(errors):.1f} %, median {100 * statistics.median(errors):.1f} %", flush=True)


def main():
    harness.need_testdata()
    os.environ["QUANTLENS_PROGRAM"] = sys.argv[1]
    for name in sys.argv[2:] or MODELS:
        judge(harness.Sandbox(), name)


if __name__ == "__main__":
    main()
