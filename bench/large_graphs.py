#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What networks of many small ops cost: seconds by phase, ours and the runtime's, and how they grow.

usage: large_graphs.py PROGRAM [--shapes chain,star,...] [--sizes 1000,2000,...] [--verbs quantize,...]
                       [--samples 4] [--threads 2] [--keep FOLDER]

PROGRAM is quantlens. Each network has about SIZE nodes, with weights of a few figures each, so that whatever is not
linear in the number of nodes shows:

  chain        Conv 1x1 and Relu in turn
  batch_norm   likewise with a BatchNormalization in between, which the quantizer folds
  matmul       MatMul, Add of a bias, Relu
  star         one value read by all MatMuls, whose results one Concat joins
  adds         likewise, joined by Adds two at a time
  residual     two Convs, a Relu and an Add to what came before, four such rows side by side
  transformer  blocks of attention (softmax of a product), LayerNormalization and a pair of MatMuls

The seconds are the program's own (`times` of workload.json): "runtime" is what passes inside the runtime while it loads
models and gives them back; "passes" are the runs over samples, by kernels of the runtime and taps of ours; all else is
ours, the start of the program included. Growth is the exponent between the two largest sizes: 1 is linear, 2 quadratic.
Bytes are those of the records, but for histograms, over the number of nodes.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH = 4
HISTOGRAMS = ("histograms.bin", "statistics.bin")
LOGS = ("events.jsonl", "lock")


class Network:
    """Nodes and weights, drawn from one seed."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self._random = np.random.default_rng(7)

    def weight(self, *shape):
        name = f"w{len(self.weights)}"
        figures = self._random.normal(size=shape) / math.sqrt(WIDTH)
        self.weights.append(numpy_helper.from_array(figures.astype(np.float32), name))
        return name

    def orthogonal(self):
        """A matrix that keeps the length of what it multiplies: no chain of it ends in zeros."""
        name = f"w{len(self.weights)}"
        matrix, _ = np.linalg.qr(self._random.normal(size=(WIDTH, WIDTH)))
        self.weights.append(numpy_helper.from_array(matrix.astype(np.float32), name))
        return name

    def node(self, kind, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], f"/{kind.lower()}_{len(self.nodes)}", **attributes))
        return output

    def conv(self, value):
        matrix = self._random.normal(size=(WIDTH, WIDTH)) / math.sqrt(WIDTH) + np.eye(WIDTH)
        name, bias = f"w{len(self.weights)}", f"b{len(self.weights)}"
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        self.weights.append(numpy_helper.from_array(matrix.astype(np.float32).reshape(WIDTH, WIDTH, 1, 1), name))
        self.weights.append(numpy_helper.from_array(np.full(WIDTH, 0.1, np.float32), bias))
        return self.node("Conv", value, name, bias, kernel_shape=[1, 1])

    def batch_norm(self, value):
        figures = [np.ones(WIDTH), np.full(WIDTH, 0.1), np.zeros(WIDTH), np.ones(WIDTH)]
        names = [f"w{len(self.weights) + i}" for i in range(4)]
        self.weights += [numpy_helper.from_array(one.astype(np.float32), name) for one, name in zip(figures, names)]
        return self.node("BatchNormalization", value, *names)

    def normalized(self, value):
        scale, shift = self.weight(WIDTH), self.weight(WIDTH)
        return self.node("LayerNormalization", value, scale, shift, axis=-1)


def chain(size):
    network, value = Network(), "x"
    while len(network.nodes) < size:
        value = network.node("Relu", network.conv(value))
    return network, value, [1, WIDTH, 4, 4]


def batch_norm(size):
    network, value = Network(), "x"
    while len(network.nodes) < size:
        value = network.node("Relu", network.batch_norm(network.conv(value)))
    return network, value, [1, WIDTH, 4, 4]


def matmul(size):
    network, value = Network(), "x"
    while len(network.nodes) < size:
        value = network.node("Relu", network.node("Add", network.node("MatMul", value, network.orthogonal()), network.weight(WIDTH)))
    return network, value, [1, WIDTH]


def star(size):
    network = Network()
    values = [network.node("MatMul", "x", network.orthogonal()) for _ in range(size - 1)]
    return network, network.node("Concat", *values, axis=1), [1, WIDTH]


def adds(size):
    network = Network()
    values = [network.node("MatMul", "x", network.orthogonal()) for _ in range(size // 2)]
    while len(values) > 1:
        values = [network.node("Add", *two) if len(two) == 2 else two[0]
                  for two in (values[i:i + 2] for i in range(0, len(values), 2))]
    return network, values[0], [1, WIDTH]


def residual(size):
    network, rows = Network(), ["x"] * 4
    while len(network.nodes) < size:
        rows = [network.node("Add", network.conv(network.node("Relu", network.conv(row))), row) for row in rows]
        if len(network.nodes) % 64 == 0:
            rows = [network.node("Relu", row) for row in rows]
    return network, network.node("Concat", *rows, axis=1), [1, WIDTH, 4, 4]


def transformer(size):
    network, value = Network(), "x"
    while len(network.nodes) < size:
        inner = network.normalized(value)
        query, key, mixed = (network.node("MatMul", inner, network.weight(WIDTH, WIDTH)) for _ in range(3))
        turned = network.node("Transpose", key, perm=[0, 2, 1])
        attention = network.node("Softmax", network.node("MatMul", query, turned), axis=-1)
        value = network.node("Add", value, network.node("MatMul", attention, mixed))
        hidden = network.node("MatMul", network.normalized(value), network.weight(WIDTH, 2 * WIDTH))
        hidden = network.node("Relu", network.node("Add", hidden, network.weight(2 * WIDTH)))
        value = network.node("Add", value, network.node("MatMul", hidden, network.weight(2 * WIDTH, WIDTH)))
    return network, network.normalized(value), [1, 6, WIDTH]


SHAPES = {each.__name__: each for each in (chain, batch_norm, matmul, star, adds, residual, transformer)}


def write_model(shape, size, folder, samples):
    """Returns the path of the model, that of its samples, and its number of nodes."""
    network, output, extents = SHAPES[shape](size)
    network.nodes[-1].output[0] = "y"
    graph = helper.make_graph(
        network.nodes, shape, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", *extents[1:]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], network.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / f"{shape}-{size}.onnx"
    path.write_bytes(model.SerializeToString())
    data = folder / f"{shape}-{size}.npz"
    np.savez(data, label=np.zeros(samples, np.int64), x=np.random.default_rng(3).normal(size=(samples, *extents[1:])).astype(np.float32))
    return path, data, len(network.nodes)


def commands(path, data, threads):
    int8 = path.with_suffix(".int8.onnx")
    rest = ["--data", data, "--threads", str(threads), "--quiet"]
    return {
        "quantize": ["quantize", path, "-o", int8, *rest],
        "quantize --diagnose": ["quantize", path, "-o", int8, "--diagnose", *rest],
        "diagnose": ["diagnose", path, int8, *rest],
        "tune": ["tune", path, "-o", path.with_suffix(".tuned.onnx"), "--metric", "top1", "--max-loss", "0.2",
                 "--max-trials", "3", *rest],
    }


def run(program, arguments, workspace):
    """Wall and CPU time, `times` of the workload, peak memory in MB, and the bytes of its records."""
    environment = dict(os.environ, QUANTLENS_WORKSPACE=str(workspace))
    begin = time.perf_counter()
    process = subprocess.Popen([program, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        print(f"  failed after {seconds:.1f} s: {error.strip()[-300:]}")
        return None
    newest = max((workspace / "workloads").iterdir(), key=lambda folder: folder.stat().st_mtime_ns)
    times = json.loads((newest / "workload.json").read_text()).get("times", {})
    records = sum(file.stat().st_size for file in newest.rglob("*")
                  if file.is_file() and file.name not in HISTOGRAMS + LOGS)
    cpu = usage.ru_utime + usage.ru_stime
    return seconds, cpu, {name: float(spent) for name, spent in times.items()}, usage.ru_maxrss / 1024, records


def exponent(sizes, figures):
    if len(sizes) < 2 or min(figures[-2:]) <= 0:
        return "-"
    return f"{math.log(figures[-1] / figures[-2]) / math.log(sizes[-1] / sizes[-2]):.2f}"


def measure(program, shape, sizes, verbs, options, folder):
    rows = {}
    for size in sizes:
        path, data, count = write_model(shape, size, folder, options.samples)
        for verb, arguments in commands(path, data, options.threads).items():
            if verb not in verbs:
                continue
            measured = run(program, arguments, folder / "workspace")
            if measured is None:
                continue
            seconds, cpu, times, memory, records = measured
            runtime = sum(spent for name, spent in times.items() if name.startswith("runtime"))
            passes = sum(spent for name, spent in times.items() if name.startswith("run:"))
            ours = seconds - runtime - passes
            rows.setdefault(verb, []).append((count, seconds, runtime, ours))
            phases = "  ".join(f"{name} {spent:.2f}" for name, spent in times.items())
            print(f"{shape:12} {count:6} nodes  {verb:20} {seconds:7.2f} s ({cpu:.2f} s of CPU), ours {ours:6.2f}, "
                  f"passes {passes:6.2f}, runtime {runtime:6.2f} ({100 * runtime / seconds:.0f} %)  {memory:5.0f} MB  "
                  f"{records / count:5.0f} bytes a node  | {phases}",
                  flush=True)
    for verb, measured in rows.items():
        counts, seconds, runtime, ours = zip(*measured)
        print(f"{shape:12} {verb:20} grows with the power {exponent(counts, seconds)}: ours {exponent(counts, ours)}, "
              f"the runtime's {exponent(counts, runtime)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--sizes", default="1000,2000,5000,10000")
    parser.add_argument("--verbs", default="quantize,quantize --diagnose,diagnose,tune")
    parser.add_argument("--samples", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", help="the folder for models and workspace; else a temporary one")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for shape in options.shapes.split(","):
            measure(options.program, shape, sizes, options.verbs.split(","), options, folder)


if __name__ == "__main__":
    main()
