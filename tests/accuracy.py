# SPDX-License-Identifier: Apache-2.0
"""Accuracy of the default recipe on real labelled data, and what per-tensor weights do to MobileNet."""

import harness

HEADER = f"{'model':34} {'float':>7} {'int8':>7} {'at least':>8}"


def main():
    sandbox = harness.Sandbox()
    models = harness.need_testdata() / "models"
    images, squeezenet = harness.imagenet(sandbox), harness.squeezenet_data(sandbox)
    cases = [("mobilenet_v1_0.75_224", images, harness.MOBILENET_METRIC, 0.755),
             ("mobilenet_v1_0.25_224", images, harness.MOBILENET_METRIC, 0.510),
             ("squeezenet1.1", squeezenet, "top1", 0.605)]
    print(HEADER)
    for name, data, metric, least in cases:
        result = sandbox.json("quantize", models / f"{name}.onnx", "-o", sandbox.path / "int8.onnx", "--data", data,
                              "--metric", metric)
        before, after = result["reference"]["value"], result["quantized"]["value"]
        harness.check(after >= least, f"{name:30} {100 * before:7.2f} {100 * after:7.2f} {100 * least:8.1f}")

    result = sandbox.json("quantize", models / "mobilenet_v1_0.75_224.onnx", "-o", sandbox.path / "int8.onnx",
                          "--data", images, "--metric", harness.MOBILENET_METRIC, "--diagnose",
                          "--recipe", harness.PER_TENSOR)
    harness.check(result["quantized"]["value"] < 0.3, f"per tensor collapses to {100 * result['quantized']['value']:.2f}")
    weights = {row["op"]: row for row in result["diagnosis"]["weights"]}
    widest = sorted(weights, key=lambda op: -weights[op]["channel_spread"])[:10]
    worst = [row for row in result["diagnosis"]["activations"] if row["op"] in weights][:5]
    for row in worst:
        print(f"  {row['name']:60} {row['sqnr_db']:6.2f} dB, spread {weights[row['op']]['channel_spread']:.0f}")


main()
