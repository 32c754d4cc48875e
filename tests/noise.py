# SPDX-License-Identifier: Apache-2.0
"""One image of pure noise among 100 of the diagnosis, unknown to calibration, is named by the first ops."""

import shutil

import harness

harness.need("numpy", "PIL")
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

SAMPLES, NOISY = 100, 41


def first_ops(result, sandbox):
    """The rows of the diagnosis in the order of the model, its input first."""
    rows = {row["op"]["id"]: row for row in result["diagnosis"]["activations"]}
    order = [op["op"]["id"] for op in sandbox.record(result["workload"], "plan.json")["ops"]]
    return [row for row in rows.values() if row["type"] == "Input"] + [rows[op] for op in order if op in rows]


def rank(row, noisy):
    names = [sample["name"] for sample in row["worst_samples"]]
    return names.index(noisy) if noisy in names else None


def photographs(sandbox):
    """SqueezeNet, noise in all 256 levels: within the range of pixels, so it shows once activations add it up. Ranges hold
    all that calibration saw: those of least error saturate the white of photographs, which errs more than the noise."""
    data = harness.TESTDATA / "imagenet"
    lines = (data / "val.txt").read_text().splitlines()[:SAMPLES]
    folder = sandbox.path / "images"
    folder.mkdir()
    for line in lines:
        shutil.copy(data / "images" / line.split()[0], folder)
    noisy = lines[NOISY].split()[0]
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (256, 256, 3), np.uint8)).save(
        folder / noisy, quality=100, subsampling=0)
    labels = sandbox.write("val.txt", "\n".join(lines) + "\n")
    result = sandbox.json("quantize", harness.TESTDATA / "models" / "squeezenet1.1.onnx",
                          "-o", sandbox.path / "int8.onnx", "--diagnose",
                          "--recipe", "{activation: {algorithm: minmax}}", *harness.eight_bits(),
                          "--data", harness.squeezenet_data(sandbox, folder, labels, "noisy.yaml"),
                          "--calibration-data", harness.squeezenet_data(sandbox))
    ranks = [rank(row, noisy) for row in first_ops(result, sandbox)[:10]]
    harness.check(ranks.count(0) >= 8, f"{noisy} is the worst sample of {ranks.count(0)} of the first 10 rows: {ranks}")


def arrays(sandbox):
    """MobileNet, normally distributed noise: it leaves the range of pixels, so even the input names it."""
    images = np.stack([pixels for pixels, _ in harness.mobilenet_images(SAMPLES)])
    np.savez(sandbox.path / "clean.npz", input=images)
    images[NOISY] = np.random.default_rng(0).standard_normal(images[NOISY].shape, np.float32)
    np.savez(sandbox.path / "noisy.npz", input=images)
    result = sandbox.json("quantize", harness.TESTDATA / "models" / "mobilenet_v1_0.75_224.onnx",
                          "-o", sandbox.path / "int8.onnx", "--diagnose",
                          "--data", sandbox.path / "noisy.npz", "--calibration-data", sandbox.path / "clean.npz")
    rows = first_ops(result, sandbox)[:5]
    noisy = rows[0]["worst_samples"][0]["name"]
    harness.check(rows[0]["worst_samples"][0]["sample"] == NOISY, f"the input's worst sample is {noisy}")
    for row in rows[:3]:
        harness.check(rank(row, noisy) == 0, f"{row['op']['name']}: {row['worst_samples'][:2]}")


def main():
    sandbox = harness.Sandbox()
    harness.need_testdata()
    arrays(sandbox)
    photographs(sandbox)


main()
