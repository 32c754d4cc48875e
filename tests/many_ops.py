# SPDX-License-Identifier: Apache-2.0
"""A run takes at most 4 kB for each op of the float model, histograms and statistics aside, whatever the network's size
and, of the MobileNets, with hundreds of channels an op."""

import pathlib
import sys

import harness

harness.need("onnx", "numpy")

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
import large_graphs

MOST_BYTES = 4000  # an op, of all files but BINARY
MOST_GROWTH = 1.05  # numbers and names get a few digits longer
BINARY = ("histograms.bin", "statistics.bin")


def stored_bytes(sandbox, model, data, *options):
    """Bytes by file of a whole run, and the number of ops."""
    result = sandbox.json("quantize", model, "--data", data, "-o", sandbox.path / "int8.onnx", "--diagnose", "--threads", "1",
                          *options)
    folder = sandbox.workload(result["workload"])
    ops = len(sandbox.record(result["workload"], "graph.json")["ops"])
    return {path.name: path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name not in BINARY}, ops


def bytes_an_op(sizes, ops, what):
    each = sum(sizes.values()) / ops
    largest = sorted(sizes, key=sizes.get)[-3:]
    harness.check(each <= MOST_BYTES, f"{what}: {each:.0f} bytes an op for {ops} ops, most of them in {largest}")
    return each


def check_growth(sandbox, shape):
    """Three sizes: what an op takes does not grow."""
    totals = []
    for size in (100, 200, 400):
        model, data, _ = large_graphs.write_model(shape, size, sandbox.path, samples=4)
        totals.append(bytes_an_op(*stored_bytes(sandbox, model, data, "--limit", 4), f"{shape} of {size}"))
    harness.check(totals[2] <= MOST_GROWTH * totals[1] <= MOST_GROWTH**2 * totals[0], f"{shape}: it does not grow")


def check_many_channels(sandbox):
    """A convolution of the MobileNets has 130 and 330 channels on average, each with a scale of its own."""
    if not harness.TESTDATA.is_dir():
        print("the MobileNets are left out: the test data are absent")
        return
    data = harness.imagenet(sandbox)
    for width in ("0.25", "0.75"):
        model = harness.TESTDATA / "models" / f"mobilenet_v1_{width}_224.onnx"
        sizes, ops = stored_bytes(sandbox, model, data, "--metric", "top1:label_offset=1", "--limit", 100)
        bytes_an_op(sizes, ops, f"MobileNet {width}")


def main():
    sandbox = harness.Sandbox()
    for shape in ("chain", "matmul", "star", "batch_norm"):
        check_growth(sandbox, shape)
    check_many_channels(sandbox)


main()
