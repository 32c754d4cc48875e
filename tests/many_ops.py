# SPDX-License-Identifier: Apache-2.0
"""Records grow with the number of ops, and none takes more than 4 kB an op but for histograms."""

import pathlib
import sys

import harness

harness.need("onnx", "numpy")

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
import large_graphs

MOST_BYTES = 4000  # an op, of one record
MOST_GROWTH = 1.05  # numbers and names get a few digits longer
BINARY = ("histograms.bin", "statistics.bin")


def records(sandbox, model, data):
    """Bytes by record of a whole run, and the number of ops."""
    result = sandbox.json("quantize", model, "--data", data, "-o", sandbox.path / "int8.onnx", "--diagnose",
                          "--limit", "4", "--threads", "1")
    folder = sandbox.path / "workspace" / "workloads" / result["workload"]
    ops = len(sandbox.record(result["workload"], "graph.json")["ops"])
    return {file.name: file.stat().st_size for file in folder.iterdir() if file.name not in BINARY}, ops


def check_growth(sandbox, shape):
    """Three sizes: what an op takes does not grow."""
    totals = []
    for size in (100, 200, 400):
        model, data, _ = large_graphs.write_model(shape, size, sandbox.path, samples=4)
        sizes, ops = records(sandbox, model, data)
        for name, size_of in sizes.items():
            if name not in ("workload.json", "events.jsonl", "recipe.json"):  # these do not depend on the ops
                assert size_of <= MOST_BYTES * ops, f"{shape}: {name} has {size_of} bytes for {ops} ops"
        totals.append(sum(sizes.values()) / ops)
    assert totals[2] <= MOST_GROWTH * totals[1] <= MOST_GROWTH**2 * totals[0], f"{shape}: {totals} bytes an op"
    print(f"{shape}: {totals[2]:.0f} bytes an op in all")


def check_pairing_of_many_channels(sandbox):
    """MobileNet has 300 channels an op, each with a scale of its own."""
    if not harness.TESTDATA.is_dir():
        print("MobileNet is left out: the test data are absent")
        return
    model = harness.TESTDATA / "models" / "mobilenet_v1_0.75_224.onnx"
    sizes, ops = records(sandbox, model, harness.imagenet(sandbox))
    for name in ("pairing.json", "plan.json", "diagnosis.json"):
        print(f"MobileNet 0.75: {name} has {sizes[name] / ops:.0f} bytes an op")
        assert sizes[name] <= MOST_BYTES * ops, f"{name} has {sizes[name]} bytes for {ops} ops"


def main():
    sandbox = harness.Sandbox()
    for shape in ("chain", "matmul", "star", "batch_norm"):
        check_growth(sandbox, shape)
    check_pairing_of_many_channels(sandbox)


main()
