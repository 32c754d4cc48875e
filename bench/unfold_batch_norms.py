#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unfolds the batch norms of a network of Convs, as exporters write them, and scores what quantize makes of it.

usage: unfold_batch_norms.py PROGRAM [--limit N] [--keep FOLDER] [MODEL ...]     MODEL: 0.25 or 0.75 (default both)

PROGRAM is quantlens. Each Conv of MobileNet v1 gets another weight, with a Mul and an Add (or what stands for them) that
make the same function of it: behind it, before it (where there is no padding), or spelled out as (x - mean) * (gamma *
Rsqrt(variance + epsilon)) + beta, with Sqrt and Reciprocal for the Rsqrt. Channels are 2 to 3 orders of magnitude apart, as those
of depthwise convolutions are. Prints the accuracy of float and int8, their difference to the folded network's int8, and
the times of both int8 files, in turn.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "testdata"
EPSILON = 1e-3


class Unfolded:
    """A model whose Convs are written anew, with the ops of a batch norm around them."""

    def __init__(self, path, seed):
        self.model = onnx.load(path)
        self.rng = np.random.default_rng(seed)
        self.weights = {i.name: numpy_helper.to_array(i) for i in self.model.graph.initializer}
        self.nodes = []

    def constant(self, name, array):
        self.weights[name] = np.asarray(array, np.float32)
        return name

    def factors(self, channels):
        return np.exp(self.rng.normal(0, 1.5, channels)).astype(np.float32)

    def op(self, kind, inputs, output):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"{output}/{kind}"))
        return output

    def behind(self, conv):
        weight, bias = self.weights[conv.input[1]], self.weights[conv.input[2]]
        factor, result = self.factors(len(weight)), conv.output[0]
        conv.input[1] = self.constant(result + "/w", weight / factor.reshape(-1, *[1] * (weight.ndim - 1)))
        del conv.input[2:]
        conv.output[0] = result + "/conv"
        self.nodes.append(conv)
        shape = (1, -1, 1, 1)
        self.op("Mul", [conv.output[0], self.constant(result + "/f", factor.reshape(shape))], result + "/mul")
        self.op("Add", [result + "/mul", self.constant(result + "/b", bias.reshape(shape))], result)

    def before(self, conv):
        weight, pads = self.weights[conv.input[1]], [a for a in conv.attribute if a.name == "pads"]
        groups = next((a.i for a in conv.attribute if a.name == "group"), 1)
        if groups != 1 or (pads and any(pads[0].ints)):
            return self.behind(conv)
        result, factor = conv.output[0], self.factors(weight.shape[1])
        shift = self.rng.normal(0, 1, len(factor)).astype(np.float32)
        weight = weight.astype(np.float64) / factor.reshape(1, -1, 1, 1)
        bias = self.weights[conv.input[2]] - (weight * shift.reshape(1, -1, 1, 1)).sum((1, 2, 3))
        shape = (1, -1, 1, 1)
        self.op("Mul", [conv.input[0], self.constant(result + "/f", factor.reshape(shape))], result + "/mul")
        self.op("Add", [result + "/mul", self.constant(result + "/s", shift.reshape(shape))], result + "/add")
        conv.input[0] = result + "/add"
        conv.input[1] = self.constant(result + "/w", weight)
        conv.input[2] = self.constant(result + "/b", bias)
        self.nodes.append(conv)

    def spelled_out(self, conv):
        weight, bias = self.weights[conv.input[1]], self.weights[conv.input[2]]
        result, factor = conv.output[0], self.factors(len(weight))
        variance = self.rng.uniform(0.1, 2, len(weight)).astype(np.float32)
        mean = self.rng.normal(0, 0.1, len(weight)).astype(np.float32)
        gamma = factor * np.sqrt(variance + EPSILON)
        conv.input[1] = self.constant(result + "/w", weight / factor.reshape(-1, *[1] * (weight.ndim - 1)))
        del conv.input[2:]
        conv.output[0] = result + "/conv"
        column = lambda array: array.reshape(-1, 1, 1)
        name = lambda part: f"{result}/{part}"
        self.op("Add", [self.constant(name("variance"), column(variance)), self.constant(name("epsilon"), EPSILON)],
                name("shifted"))
        self.op("Sqrt", [name("shifted")], name("root"))
        self.op("Reciprocal", [name("root")], name("rsqrt"))
        self.op("Mul", [name("rsqrt"), self.constant(name("gamma"), column(gamma))], name("factor"))
        self.op("Mul", [self.constant(name("mean"), column(mean)), name("factor")], name("offset"))
        self.op("Sub", [self.constant(name("beta"), column(bias + mean * factor)), name("offset")], name("shift"))
        self.nodes.append(conv)
        self.op("Mul", [conv.output[0], name("factor")], name("mul"))
        self.op("Add", [name("mul"), name("shift")], result)

    def save(self, form, path):
        for node in self.model.graph.node:
            if node.op_type == "Conv" and len(node.input) > 2:
                getattr(self, form)(node)
            else:
                self.nodes.append(node)
        graph = helper.make_graph(self.nodes, self.model.graph.name, self.model.graph.input, self.model.graph.output,
                                  [numpy_helper.from_array(a, n) for n, a in self.weights.items()])
        model = helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)


def scores(program, folder, model, data, limit):
    """Float and int8 accuracy, and the int8 file."""
    output = folder / f"{model.stem}.int8.onnx"
    found = run(program, "quantize", model, "-o", output, "--data", data, "--limit", limit, "--metric",
                "top1:label_offset=1", "--workspace", folder / "workspace", "--output", "json")
    return found["reference"]["value"], found["quantized"]["value"], output


def times(timed):
    """Of two models that ran in turn: the first one's median time over the other's."""
    first, other = (result["wall"]["median_us"] for result in timed["results"])
    return f"{first / other:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models", nargs="*", default=["0.25", "0.75"])
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--keep", type=pathlib.Path, help="leave the models there")
    options = parser.parse_intermixed_args()
    if not DATA.exists():
        return print(f"skipped: there is no {DATA}")
    folder = options.keep or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "imagenet.yaml"
    data.write_text(f"images: {{folder: {DATA}/imagenet/images, labels: {DATA}/imagenet/val.txt, crop: 224, "
                    "color: rgb, mean: 127.5, std: 127.5, layout: nchw}")
    print("| MobileNet v1 | batch norms | float | int8 | beside the folded one's | time beside the folded one's |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in options.models:
        original = DATA / f"models/mobilenet_v1_{name}_224.onnx"
        base_float, base, base_file = scores(options.program, folder, original, data, options.limit)
        print(f"| {name} | folded | {base_float:.3f} | {base:.3f} | | |", flush=True)
        for seed, form in enumerate(("behind", "before", "spelled_out")):
            path = folder / f"{original.stem}_{form}.onnx"
            Unfolded(original, seed).save(form, path)
            reference, quantized, output = scores(options.program, folder, path, data, options.limit)
            timed = run(options.program, "benchmark", output, base_file, "--workspace", folder / "workspace", "--output",
                        "json", "--threads", 1)
            print(f"| {name} | {form} | {reference:.3f} | {quantized:.3f} | {quantized - base:+.3f} | "
                  f"{times(timed)} |", flush=True)


if __name__ == "__main__":
    main()
