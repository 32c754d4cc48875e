# SPDX-License-Identifier: Apache-2.0
"""A model of 3 GB of external data, mostly holes, is quantized with less than 600 MB of anonymous memory."""

import os
import pathlib
import shutil
import struct
import threading
import time

import harness

harness.need("onnx", "numpy")

import numpy as np
import onnx
from onnx import TensorProto, helper

WIDTH = 10240
LAYERS = 8  # 419 MB each
MOST_ANONYMOUS_KB = 600 * 1000


def write_model(folder):
    """x [1,WIDTH] -> LAYERS times MatMul and Relu; a few numbers of every weight are not zero."""
    nodes, weights = [], []
    size = 4 * WIDTH * WIDTH
    value = "x"
    for layer in range(LAYERS):
        weight = TensorProto(name=f"w{layer}", data_type=TensorProto.FLOAT, dims=[WIDTH, WIDTH],
                             data_location=TensorProto.EXTERNAL)
        for key, text in (("location", "weights.data"), ("offset", str(layer * size)), ("length", str(size))):
            weight.external_data.add(key=key, value=text)
        weights.append(weight)
        nodes.append(helper.make_node("MatMul", [value, weight.name], [f"m{layer}"], f"matmul_{layer}"))
        value = "y" if layer == LAYERS - 1 else f"r{layer}"
        nodes.append(helper.make_node("Relu", [f"m{layer}"], [value], f"relu_{layer}"))
    info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, WIDTH])
    graph = helper.make_graph(nodes, "large", [info("x")], [info("y")], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "large.onnx").write_bytes(model.SerializeToString())
    with open(folder / "weights.data", "wb") as data:
        data.truncate(LAYERS * size)
        for layer in range(LAYERS):
            for i in range(64):  # on and beside the diagonal
                data.seek(layer * size + 4 * (i * WIDTH + i))
                data.write(struct.pack("<f", 1.0 + 0.01 * i))
    return folder / "large.onnx"


def anonymous_kb(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def peak_anonymous_kb(sandbox, *arguments):
    process = os.posix_spawn(harness.program(), [harness.program(), *map(str, arguments)], sandbox.environment,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    peak, done = 0, threading.Event()

    def watch():
        nonlocal peak
        while not done.is_set():
            peak = max(peak, anonymous_kb(process))
            time.sleep(0.005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, _ = os.wait4(process, 0)
    done.set()
    watcher.join()
    harness.check(status == 0, f"{arguments[0]}: {peak} KB of anonymous memory at the peak")
    return peak


def main():
    sandbox = harness.Sandbox()
    if shutil.disk_usage(sandbox.path).free < 8 << 30:
        harness.skip("there are less than 8 GB of room for the large model")
    model = write_model(sandbox.path)
    np.savez(sandbox.path / "data.npz", x=np.random.default_rng(0).standard_normal([2, WIDTH]).astype(np.float32))
    output = sandbox.path / "out.onnx"
    peak = peak_anonymous_kb(sandbox, "quantize", model, "--data", sandbox.path / "data.npz", "-o", output, "--quiet")
    harness.check(peak <= MOST_ANONYMOUS_KB, f"{peak} KB are not below {MOST_ANONYMOUS_KB}")
    written = onnx.load(str(output), load_external_data=False)
    integers = [w for w in written.graph.initializer if w.data_type == TensorProto.INT8 and len(w.dims) == 2]
    harness.check(len(integers) == LAYERS, f"{len(integers)} of {LAYERS} weights are int8")


main()
