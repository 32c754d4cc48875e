# SPDX-License-Identifier: Apache-2.0
"""Every record, and the shipped model, is equal byte for byte for 1, 2, 3 and 8 threads: so many batches are in flight."""

import harness


def records(sandbox, threads, model, data, limit):
    output = sandbox.path / f"int8-{threads}.onnx"
    result = sandbox.json("quantize", model, "-o", output, "--data", data, "--limit", limit, "--diagnose",
                          "--metric", "top1", "--threads", threads)
    folder = sandbox.workload(result["workload"])
    names = ["graph.json", "graph_quantized.json", "statistics.bin", "ranges.json", "plan.json", "pairing.json", "diagnosis.json", "histograms.bin",
             "activations_table.csv", "weights_table.csv", "accuracy.json"]
    return {name: harness.stored(folder / name) for name in names} | {"model": output.read_bytes()}


def main():
    sandbox = harness.Sandbox()
    cases = [(harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz", 200)]
    if harness.TESTDATA.is_dir():
        cases.append((harness.TESTDATA / "models" / "mobilenet_v1_0.25_224.onnx", harness.imagenet(sandbox), 40))
    for model, data, limit in cases:
        one = records(sandbox, 1, model, data, limit)
        for threads in (2, 3, 8):
            more = records(sandbox, threads, model, data, limit)
            for name in one:
                harness.check(one[name] == more[name], f"{model.name}: {name} is equal for 1 and {threads} threads")


main()
