# SPDX-License-Identifier: Apache-2.0
"""One image of pure noise among 100 of the diagnosis is named in the worst samples of the first ops."""

import shutil

import harness

harness.need("numpy", "PIL")
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402


def main():
    sandbox = harness.Sandbox()
    data = harness.need_testdata() / "imagenet"
    lines = (data / "val.txt").read_text().splitlines()[:100]
    folder = sandbox.path / "images"
    folder.mkdir()
    for line in lines:
        shutil.copy(data / "images" / line.split()[0], folder)
    noisy = lines[41].split()[0]
    pixels = np.random.default_rng(0).integers(0, 256, (256, 256, 3), np.uint8)
    Image.fromarray(pixels).save(folder / noisy, quality=100, subsampling=0)
    labels = sandbox.write("val.txt", "\n".join(lines) + "\n")
    result = sandbox.json("quantize", harness.TESTDATA / "models" / "mobilenet_v1_0.75_224.onnx",
                          "-o", sandbox.path / "int8.onnx", "--data", harness.imagenet(sandbox, folder, labels),
                          "--calibration-data", harness.imagenet(sandbox, name="clean.yaml"), "--diagnose")
    rows = {row["op"]: row for row in result["diagnosis"]["activations"]}
    order = [op["op"] for op in sandbox.record(result["workload"], "plan.json")["ops"]]
    first = [rows[op] for op in order if op in rows][:3]
    for row in first:
        names = [sample["name"] for sample in row["worst_samples"]]
        print(row["name"], row["worst_samples"][:2])
        harness.check(any(noisy in name for name in names), f"{row['name']}: the noise is among its worst samples")


main()
