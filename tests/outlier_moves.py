# SPDX-License-Identifier: Apache-2.0
"""The demo's tables put the layer with the planted outlier first, wherever it is planted."""

import subprocess
import sys

import harness

harness.need("numpy", "onnx")

DATA = ["--data", harness.DEMO / "digits.npz", "--calibration-data", harness.DEMO / "calibration.npz"]


def main():
    sandbox = harness.Sandbox()
    for layer in ("block2", "block3", "block4"):
        model = sandbox.path / f"{layer}.onnx"
        subprocess.run([sys.executable, "-B", harness.DEMO / "plant_outlier.py", harness.DEMO / "digits_clean.onnx", layer,
                        model], check=True)
        broken = sandbox.json("quantize", model, *DATA, "--diagnose", "--metric", "top1",
                              "--recipe", harness.PER_TENSOR)
        mended = sandbox.json("quantize", model, *DATA, "--metric", "top1")
        floating = sandbox.json("quantize", model, *DATA, "--metric", "top1", "--recipe",
                                "{accuracy_level: fast, weight: {granularity: per_tensor}, op_name_dict: {'/%s/conv/.*': fp32}}" % layer)
        worst = broken["diagnosis"]["activations"][0]["op"]["name"]
        weight = broken["diagnosis"]["weights"][0]["op"]["name"]
        lost = broken["reference"]["value"] - broken["quantized"]["value"]
        kept = mended["reference"]["value"] - mended["quantized"]["value"]
        harness.check(layer in worst, f"{layer}: the first activation is {worst}")
        harness.check(layer in weight, f"{layer}: the first weight is {weight}")
        harness.check(lost >= 0.05, f"{layer}: per tensor loses {100 * lost:.1f} points")
        lost_floating = floating["reference"]["value"] - floating["quantized"]["value"]
        harness.check(abs(lost_floating) <= 0.01, f"{layer}: kept float loses {100 * lost_floating:.1f} points")
        harness.check(abs(kept) <= 0.01, f"{layer}: per channel loses {100 * kept:.1f} points")


main()
