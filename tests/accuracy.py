# SPDX-License-Identifier: Apache-2.0
"""Accuracy of the default recipe on real labelled data, what per-tensor weights do to MobileNet, and what saves it."""

import harness

EQUALIZED = "{weight: {granularity: per_tensor}, recipes: {cross_layer_equalization: approximate}}"
HEADER = f"{'model':34} {'float':>7} {'int8':>7} {'at least':>8}"


def main():
    sandbox = harness.Sandbox()
    models = harness.need_testdata() / "models"
    images, squeezenet = harness.imagenet(sandbox), harness.squeezenet_data(sandbox)
    text = harness.TESTDATA / "text"
    cases = [("mobilenet_v1_0.75_224", images, harness.MOBILENET_METRIC, 0.770, []),
             ("mobilenet_v1_0.25_224", images, harness.MOBILENET_METRIC, 0.540, []),
             ("squeezenet1.1", squeezenet, "top1", 0.610 if harness.has_vnni() else 0.604, []),  # weights of 8 or 7 bits
             ("magika_v3_3", harness.TESTDATA / "magika" / "magika_435.npz", "top1", 0.974, []),
             ("kwt1", harness.TESTDATA / "speech" / "kwt1_400.npz", "top1", 0.960, []),
             ("minilm_l6_v2", text / "minilm_stsb_test_400.npz", "spearman_cosine:output=sentence_embedding", 0.806,
              ["--calibration-data", text / "minilm_stsb_dev_400.npz"])]
    print(HEADER)
    for name, data, metric, least, options in cases:
        result = sandbox.json("quantize", models / f"{name}.onnx", "-o", sandbox.path / "int8.onnx", "--data", data,
                              "--metric", metric, *options)
        before, after = result["reference"]["value"], result["quantized"]["value"]
        harness.check(after >= least, f"{name:30} {100 * before:7.2f} {100 * after:7.2f} {100 * least:8.1f}")
        plan = sandbox.record(result["workload"], "plan.json")
        products = [op["quantized"] for op in plan["ops"] if op["type"] == "MatMul"]
        harness.check(sum(products) >= 0.9 * len(products), f"  {sum(products)} of {len(products)} MatMuls are int8")

    result = sandbox.json("quantize", models / "minilm_l6_v2.onnx", "-o", sandbox.path / "int8.onnx", "--data",
                          text / "minilm_stsb_test_400.npz", "--metric", cases[-1][2], *cases[-1][4], "--accuracy-level", "best")
    harness.check(result["quantized"]["value"] >= 0.812, f"MiniLM at best: {result['quantized']['value']:.4f}")

    result = sandbox.json("quantize", models / "mobilenet_v1_0.75_224.onnx", "-o", sandbox.path / "int8.onnx",
                          "--data", images, "--metric", harness.MOBILENET_METRIC, "--diagnose",
                          "--recipe", harness.PER_TENSOR)
    harness.check(result["quantized"]["value"] < 0.3, f"per tensor collapses to {100 * result['quantized']['value']:.2f}")
    weights = result["diagnosis"]["weights"]
    widest = sorted(weights, key=lambda row: -row["channel_spread"])[:7]
    for row in weights[:7]:
        print(f"  {row['op']['name']:30} MSE {row['mse']:.2g}, worst channel {row['worst_channel_sqnr_db']:.1f} dB, "
              f"{row['channel_spread']:.0f} times as wide as the median")
    harness.check({row["op"]["id"] for row in weights[:7]} == {row["op"]["id"] for row in widest},
                  "the first seven rows of the weights table are the seven widest spreads of channels")

    for name, least in [("mobilenet_v1_0.75_224", 0.740), ("mobilenet_v1_0.25_224", 0.500)]:
        result = sandbox.json("quantize", models / f"{name}.onnx", "-o", sandbox.path / "int8.onnx", "--data", images,
                              "--metric", harness.MOBILENET_METRIC, "--recipe", EQUALIZED, *harness.eight_bits())
        before, after = result["reference"]["value"], result["quantized"]["value"]
        edited = result["float_edit"]
        harness.check(after >= least, f"{name}, per tensor, equalized: {100 * after:.1f} of {100 * before:.1f}")
        harness.check(edited["accuracy"]["value"] >= before - 0.02 and not edited["exact"],
                      f"  its edited float model: {100 * edited['accuracy']['value']:.1f}, an approximation of "
                      f"{edited['outputs'][0]['sqnr_db']:.1f} dB")


main()
