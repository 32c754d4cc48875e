#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in quantized models and asks diagnosis where they are and what they are.

usage: injected_faults.py PROGRAM [FIRST LAST]       cases FIRST..LAST-1 (default 0 200), then the share found

PROGRAM is quantlens. Each case takes one of five real models as `quantize` makes it, damages one op of the file with the
onnx package, and runs `diagnose`. It counts as found where the first finding (the first three) names the damaged op, and
its rule is one of those that stand for the fault. Cases differ by model, fault and op, in an order that a seed fixes. What
damages the outputs by less than 1 dB is drawn again: it is no fault. Thresholds of the rules were set on cases 0 to 99;
what counts is 100 to 199, and the two models that only `--unseen` takes.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "testdata"
SAMPLES = 16
SEED = 7


def images(crop, color, extra=""):
    return (f"{{images: {{folder: {DATA}/imagenet/images, labels: {DATA}/imagenet/val.txt, crop: {crop}, "
            f"color: {color}{extra}, layout: nchw}}}}")


SCALED = ", mean: 127.5, std: 127.5"
SEEN = {
    "mobilenet_v1_0.75": (DATA / "models/mobilenet_v1_0.75_224.onnx", images(224, "rgb", SCALED)),
    "mobilenet_v1_0.25": (DATA / "models/mobilenet_v1_0.25_224.onnx", images(224, "rgb", SCALED)),
    "squeezenet1.1": (DATA / "models/squeezenet1.1.onnx", images(227, "bgr")),
    "kwt1": (DATA / "models/kwt1.onnx", DATA / "speech/kwt1_400.npz"),
    "magika": (DATA / "models/magika_v3_3.onnx", DATA / "magika/magika_435.npz"),
}
UNSEEN = {
    "minilm_l6": (DATA / "models/minilm_l6_v2.onnx", DATA / "text/minilm_stsb_dev_400.npz"),
    "ppocr_cls": (DATA / "models/ppocr_cls.onnx", None),
}


class Damaged:
    """A quantized model in QDQ form, one of whose ops is to be damaged."""

    def __init__(self, path, rng):
        self.model = onnx.load(path)
        self.graph = self.model.graph
        self.rng = rng
        self.weights = {i.name: i for i in self.graph.initializer}
        self.maker = {o: n for n in self.graph.node for o in n.output}
        self.readers = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)

    def array(self, name):
        return numpy_helper.to_array(self.weights[name]).copy()

    def set(self, node, position, array):
        """This node alone reads another constant."""
        name = f"{node.input[position]}_damaged_{position}_{len(self.graph.initializer)}"
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        node.input[position] = name

    def weighted(self):
        """(op, the DequantizeLinear of its weight)"""
        found = []
        for node in self.graph.node:
            if node.op_type in ("Conv", "MatMul", "Gemm") and len(node.input) > 1:
                maker = self.maker.get(node.input[1])
                if maker is not None and maker.op_type == "DequantizeLinear" and maker.input[0] in self.weights:
                    found.append((node, maker))
        return found

    def pick(self, choices):
        if not choices:
            raise LookupError("the model has no such op")
        return self.rng.choice(choices)

    def per_channel(self):
        return [(n, d) for n, d in self.weighted() if self.array(d.input[1]).size > 3]

    def with_bias(self):
        found = []
        for node, _ in self.weighted():
            maker = self.maker.get(node.input[2]) if len(node.input) > 2 else None
            if maker is not None and maker.op_type == "DequantizeLinear" and maker.input[0] in self.weights:
                found.append((node, maker))
        return found

    def values(self):
        """(op that makes it, QuantizeLinear, its DequantizeLinears) of results of weighted ops"""
        found = []
        names = {id(n) for n, _ in self.weighted()}
        for quantize in self.graph.node:
            if quantize.op_type != "QuantizeLinear" or quantize.input[0] not in self.maker:
                continue
            maker = self.maker[quantize.input[0]]
            while maker.op_type in ("Relu", "Clip") and maker.input[0] in self.maker:
                maker = self.maker[maker.input[0]]
            if id(maker) in names:
                found.append((maker, quantize, self.readers.get(quantize.output[0], [])))
        return found


def scaled_channel(m):
    op, dequantize = m.pick(m.per_channel())
    scale = m.array(dequantize.input[1])
    channel = int(np.argmax(scale * np.abs(m.array(dequantize.input[0]).astype(float)).max()))
    scale[channel] *= 4
    m.set(dequantize, 1, scale)
    return op, {"weight_scales"}


def rolled_scales(m):
    op, dequantize = m.pick(m.per_channel())
    scale = m.array(dequantize.input[1])
    m.set(dequantize, 1, np.roll(scale, max(1, scale.size // 3)))
    return op, {"weight_scales"}


def all_scales(m):
    op, dequantize = m.pick(m.weighted())
    m.set(dequantize, 1, m.array(dequantize.input[1]) * np.float32(4))
    return op, {"weight_scales"}


def few_levels(m):
    op, dequantize = m.pick(m.weighted())
    codes = m.array(dequantize.input[0])
    m.set(dequantize, 0, (np.round(codes.astype(float) / 48) * 48).clip(-128, 127).astype(codes.dtype))
    return op, {"rounding"}


def per_tensor(m):
    op, dequantize = m.pick(m.per_channel())
    codes, scale = m.array(dequantize.input[0]), m.array(dequantize.input[1])
    axis = next((a.i for a in dequantize.attribute if a.name == "axis"), 1)
    shape = [1] * codes.ndim
    shape[axis] = -1
    values = codes.astype(np.float32) * scale.reshape(shape)
    one = np.float32(np.abs(values).max() / 127)
    m.set(dequantize, 0, np.round(values / one).clip(-127, 127).astype(codes.dtype))
    m.set(dequantize, 1, np.array(one))
    if len(dequantize.input) > 2:
        m.set(dequantize, 2, np.array(0, codes.dtype))
    return op, {"spread_weight"}


def no_bias(m):
    op, dequantize = m.pick(m.with_bias())
    m.set(dequantize, 0, np.zeros_like(m.array(dequantize.input[0])))
    return op, {"lost_bias"}


def coarse_bias(m):
    op, dequantize = m.pick(m.with_bias())
    m.set(dequantize, 1, m.array(dequantize.input[1]) * np.float32(3))
    return op, {"lost_bias"}


def change_value(m, change):
    op, quantize, dequantizes = m.pick(m.values())
    for node in [quantize, *dequantizes]:
        for position, array in change(m, node).items():
            m.set(node, position, array)
    return op


def clipped(m):
    return change_value(m, lambda m, n: {1: m.array(n.input[1]) / np.float32(6)}), {"clipped_range"}


def wasted(m):
    return change_value(m, lambda m, n: {1: m.array(n.input[1]) * np.float32(24)}), {"wasted_range"}


def shifted(m):
    def change(m, node):
        zero = m.array(node.input[2])
        return {2: np.array(np.clip(int(zero) + 120, 0, 255) if zero.dtype == np.uint8 else 100, zero.dtype)}
    return change_value(m, change), {"clipped_range", "wasted_range"}


FAULTS = [scaled_channel, rolled_scales, all_scales, few_levels, per_tensor, no_bias, coarse_bias, clipped, wasted, shifted]


class Bench:
    def __init__(self, program, folder, models):
        self.program, self.folder, self.models = program, folder, models
        self.healthy = {}

    def run(self, *arguments):
        command = [self.program, *map(str, arguments), "--workspace", self.folder / "workspace", "--output", "json",
                   "--limit", str(SAMPLES), "--quiet"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return json.loads(done.stdout)

    def data(self, name):
        model, data = self.models[name]
        if data is None:
            data = "{random: {count: 16, shapes: {x: [3, 48, 192]}}}"
        if not isinstance(data, pathlib.Path):
            path = self.folder / f"{name}.yaml"
            path.write_text(str(data))
            return path
        return data

    def start(self, name):
        if name not in self.healthy:
            model = self.models[name][0]
            out = self.folder / f"{name}.int8.onnx"
            self.run("quantize", model, "--data", self.data(name), "-o", out)
            found = self.run("diagnose", model, out, "--data", self.data(name))
            bad = [f for f in found["findings"] if f["severity"] != "note"]
            print(f"{name}: healthy, {output_db(model, found):.1f} dB; findings above note: "
                  f"{[(f['rule'], f['op'], f['severity']) for f in bad]}", flush=True)
            self.healthy[name] = (out, output_db(model, found))
        return self.healthy[name]

    def case(self, number):
        names = sorted(self.models)
        name = names[number % len(names)]
        fault = FAULTS[number // len(names) % len(FAULTS)]
        out, before = self.start(name)
        for attempt in range(6):
            damaged = Damaged(out, random.Random(f"{SEED} {number} {attempt}"))
            try:
                op, rules = fault(damaged)
            except LookupError:
                return None
            path = self.folder / "damaged.onnx"
            onnx.save(damaged.model, path)
            found = self.run("diagnose", self.models[name][0], path, "--data", self.data(name))
            after = output_db(self.models[name][0], found)
            if after <= before - 1:
                break
        else:
            return None
        hits = [f["rule"] in rules and op.name in [f["op"], *f["ops"]] for f in found["findings"][:3]]
        named = [op.name in [f["op"], *f["ops"]] for f in found["findings"][:3]]
        first = found["findings"][0] if found["findings"] else {"rule": "-", "op": "-"}
        print(f"{number:3} {name:18} {fault.__name__:14} {op.name[-28:]:28} {before:5.1f} -> {after:5.1f} dB  "
              f"{'first' if hits[:1] == [True] else 'top 3' if any(hits) else 'op' if any(named) else 'MISSED':6} "
              f"({first['rule']} {first['op'][-28:]})", flush=True)
        return {"fault": fault.__name__, "first": hits[:1] == [True], "three": any(hits), "op": any(named)}


def output_db(model, found):
    outputs = {o.name for o in onnx.load(model, load_external_data=False).graph.output}
    rows = [float(r["sqnr_db"]) for r in found["activations"] if r["value"] in outputs]
    return min(rows or [float(r["sqnr_db"]) for r in found["activations"]])


def main():
    arguments = [a for a in sys.argv[1:] if a != "--unseen"]
    models = UNSEEN if "--unseen" in sys.argv else SEEN
    first, last = map(int, arguments[1:3] or (0, 200))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments[0], pathlib.Path(folder), models)
        results = []
        for number in range(first, last):
            try:
                results.append(bench.case(number))
            except RuntimeError as error:
                print(f"{number:3} {error}", flush=True)
        cases = [r for r in results if r]
        print(f"{len(cases)} cases ({len(results) - len(cases)} without such an op, or without harm)")
        for key, text in (("first", "first finding"), ("three", "first three"), ("op", "op alone in the first three")):
            print(f"{text}: {sum(r[key] for r in cases)} of {len(cases)}")
        for fault in FAULTS:
            own = [r for r in cases if r["fault"] == fault.__name__]
            print(f"  {fault.__name__:14} first {sum(r['first'] for r in own)}, three {sum(r['three'] for r in own)}, "
                  f"op {sum(r['op'] for r in own)} of {len(own)}")


if __name__ == "__main__":
    main()
