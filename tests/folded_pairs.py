# SPDX-License-Identifier: Apache-2.0
"""What is folded into an op is compared as what it has become: random chains of constants behind ops with weights, an
activation, perhaps a second branch, in healthy files of both forms by quantlens (their metadata kept and taken off) and
by ONNX Runtime, whose pre-processing folds as well. No finding is a mistake of the file, each output is compared, each
weight and each tensor of codes stands for something, and what it stands for is of all values of the float model the one
that it is nearest to, by numbers fetched from the stock runtime.

    folded_pairs.py [COUNT [FIRST_SEED]]      also prints what fails, chain by chain
"""

import collections
import logging
import random
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

SAMPLES = 12
FAULTS = {"changed_op", "changed_weight", "lost_bias", "shifted_codes", "unequal_codes", "clipped_range", "wide_range",
          "unexplained", "unlike_data", "misfit_weight"}
LEAST_DB = 12  # of healthy codes
NEARLY_DB = 1.5
CHANGES = ["Add", "Sub", "Mul", "Div", "BatchNormalization"]


class Net:
    def __init__(self, seed):
        self.random, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.nodes, self.weights, self.outputs = [], [], []
        self.kind = self.random.choice(["Conv", "Conv", "depthwise", "ConvTranspose", "Gemm", "MatMul"])
        self.rank = 4 if self.kind in ("Conv", "depthwise", "ConvTranspose") else self.random.choice([2, 3])
        if self.kind == "Gemm":
            self.rank = 2
        self.channels = 6
        self.axis = 1 if self.rank == 4 else self.rank - 1
        self.input = {4: ["N", 6, 7, 7], 3: ["N", 5, 6], 2: ["N", 6]}[self.rank]
        value = self.op("Relu", self.multiply("x", "Conv" if self.rank == 4 else "MatMul"))
        end = self.branch(value)
        if self.random.random() < 0.35:
            end = self.op(self.random.choice(["Add", "Sub", "Add", "Mul"]), end, self.branch(value))
            end = self.op("Relu", end) if self.random.random() < 0.5 else end
        if self.random.random() < 0.3:
            self.outputs.append(end)
        if self.random.random() < 0.6 or not self.outputs:
            self.outputs.append(self.multiply(end, "Conv" if self.rank == 4 else "MatMul")
                                if self.random.random() < 0.6 else self.branch(end))

    def constant(self, array):
        self.weights.append(numpy_helper.from_array(np.asarray(array, np.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def normal(self, *shape, size=1.0):
        return self.constant(self.numbers.standard_normal(shape) * size)

    def op(self, kind, *inputs, **attributes):
        output = f"{kind.lower()}{len(self.nodes)}_out"
        self.nodes.append(helper.make_node(kind, inputs, [output], f"{kind}_{len(self.nodes)}", **attributes))
        return output

    def multiply(self, value, kind):
        c = self.channels
        if kind == "MatMul":
            return self.op("MatMul", value, self.normal(c, c, size=c ** -0.5))
        bias = [self.normal(c)] if self.random.random() < 0.5 else []
        if kind == "Gemm":
            return self.op("Gemm", value, self.normal(c, c, size=c ** -0.5), *bias,
                           transB=int(self.random.random() < 0.5))
        groups = c if kind == "depthwise" else 1
        k = self.random.choice([1, 3])
        weight = self.normal(c, c // groups, k, k, size=(c // groups * k * k) ** -0.5)
        return self.op("ConvTranspose" if kind == "ConvTranspose" else "Conv", value, weight, *bias, group=groups,
                       kernel_shape=[k, k], pads=[k // 2] * 4)

    def branch(self, value):
        value = self.multiply(value, self.kind)
        for _ in range(self.random.choice([0, 1, 1, 2, 2, 3])):
            value = self.change(value, self.random.choice(CHANGES))
        activation = self.random.choice(["Relu", "Relu", "Clip", "LeakyRelu", "Sigmoid", None])
        if activation == "Clip":
            return self.op("Clip", value, self.constant(0), self.constant(self.random.choice([3, 6])))
        return self.op(activation, value) if activation else value

    def change(self, value, kind):
        c = self.channels
        if kind == "BatchNormalization" and self.rank in (2, 4):
            return self.op(kind, value, self.sizes(c), self.normal(c), self.normal(c), self.sizes(c))
        kind = self.random.choice(CHANGES[:4]) if kind == "BatchNormalization" else kind
        shape = [1] * self.rank
        shape[self.axis] = c
        while shape[0] == 1 and self.random.random() < 0.7:
            shape.pop(0)
        shape = [] if self.random.random() < 0.2 else shape
        other = self.normal(*shape) if kind in ("Add", "Sub") else self.sizes(*shape)
        inputs = [other, value] if kind != "Div" and self.random.random() < 0.25 else [value, other]
        return self.op(kind, *inputs)

    def sizes(self, *shape):
        return self.constant(np.exp(self.numbers.uniform(-1, 1, shape)))

    def model(self):
        info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "net", [info("x", self.input)], [info(one, None) for one in self.outputs],
                                  self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model)

    def data(self):
        shape = [one if isinstance(one, int) else SAMPLES for one in self.input]
        return self.numbers.standard_normal(shape).astype(np.float32)

    def __str__(self):
        return " ".join(node.op_type for node in self.nodes)


class Reader(CalibrationDataReader):
    def __init__(self, x):
        self.batches = iter([{"x": x[i:i + 1]} for i in range(len(x))])

    def get_next(self):
        return next(self.batches, None)


def fetch(path, wanted, x):
    """Values of a file by name, with nothing fused."""
    model = onnx.load(str(path))
    known = {value.name for value in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted if name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    wanted = [name for name in wanted if name != "x"]
    runs = [session.run(wanted, {"x": x[i:i + 1]}) for i in range(len(x))]
    return dict(zip(wanted, (np.concatenate(values) for values in zip(*runs)))) | {"x": x}


def sqnr(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    error = np.square(x - y).sum()
    return 10 * np.log10(np.square(x).sum() / error) if error else np.inf


def dequantized(pair, values):
    codes = values[pair["quantized"]]
    if not pair["params"]:
        return codes
    params = pair["channel_params"] or [pair["params"]]
    shape = [1] * codes.ndim
    if len(params) > 1:
        shape[pair["scheme"]["axis"]] = len(params)
    zero, scale = (np.array([one[key] for one in params], np.float32).reshape(shape) for key in ("zero_point", "scale"))
    return (codes.astype(np.float32) - zero) * scale


def check_pairs(pairing, found, net, path, quantized, x):
    """Faults of the pairs, in words."""
    before = fetch(path, [node.output[0] for node in net.nodes], x)
    after = fetch(quantized, list(dict.fromkeys(pair["quantized"] for pair in pairing["pairs"])), x)
    rows = {(row["value"], row["quantized"]): row for row in found["activations"]}
    for pair in pairing["pairs"]:
        value = dequantized(pair, after)
        of = {name: sqnr(other, value) for name, other in before.items() if other.shape == value.shape}
        best = max(of, key=of.get)
        own = of[pair["reference"]]
        if own < of[best] - NEARLY_DB:
            yield f"{pair['quantized']} stands for {pair['reference']} ({own:.1f} dB), not {best} ({of[best]:.1f})"
        row = rows.get((pair["reference"], pair["quantized"]))
        if row is None:
            yield f"{pair['reference']}: no row"
        elif own < 60 and abs(float(row["sqnr_db"]) - own) > NEARLY_DB:
            yield f"{pair['reference']}: {float(row['sqnr_db']):.1f} dB told, {own:.1f} found"
        elif row["local_sqnr_db"] is not None and float(row["local_sqnr_db"]) < LEAST_DB:
            yield f"{pair['reference']}: local {float(row['local_sqnr_db']):.1f} dB"


def weights_of(path):
    """Names of constant codes that ops with weights read."""
    graph = onnx.load(str(path)).graph
    constants = {one.name for one in graph.initializer}
    made = {output: node for node in graph.node for output in node.output}
    places = {"QLinearConv": 3, "QLinearMatMul": 3, "QGemm": 3, "MatMulIntegerToFloat": 1}
    for node in graph.node:
        if node.op_type in places and node.input[places[node.op_type]] in constants:
            yield node.input[places[node.op_type]]
        elif node.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
            maker = made.get(node.input[1])
            if maker is not None and maker.op_type == "DequantizeLinear" and maker.input[0] in constants:
                yield maker.input[0]


def faults(sandbox, net, path, quantized, data, x):
    found = sandbox.json("diagnose", path, quantized, "--data", data)
    pairing = sandbox.record(found["workload"], "pairing.json")
    for finding in found["findings"]:
        if finding["severity"] == "problem" and finding["rule"] in FAULTS:
            yield f"{finding['rule']} {finding['op']['name']}: {finding['because']}"
    for change in pairing["changes"]:
        yield f"change {change['rule']} {change['op']['name']}: {change['reasons']}"
    if found["outputs_not_compared"]:
        yield f"outputs not compared: {found['outputs_not_compared']}"
    if found["only_quantized"]:
        yield f"stand for nothing: {found['only_quantized']}"
    for one in found["not_compared"]:
        yield f"not compared: {one['value']}: {one['reason']}"
    rows = {row["quantized"]: row for row in found["weights"]}
    for weight in weights_of(quantized):
        if weight not in rows:
            yield f"weight {weight} has no row"
        elif float(rows[weight]["sqnr_db"]) < LEAST_DB:
            yield f"weight {weight}: {float(rows[weight]['sqnr_db']):.1f} dB"
    yield from check_pairs(pairing, found, net, path, quantized, x)


def bare(path):
    model = onnx.load(str(path))
    del model.metadata_props[:]
    onnx.save(model, str(path.with_suffix(".bare.onnx")))
    return path.with_suffix(".bare.onnx")


def files(sandbox, path, data, x, seed):
    """(maker, file) for each way to quantize."""
    for form in ("qdq", "qoperator"):
        written = sandbox.path / f"ours_{form}.onnx"
        sandbox.run("quantize", path, "--data", data, "--format", form, "-o", written)
        yield f"ours {form}", written
        yield f"ours {form} bare", bare(written)
    for prepared in (True, False):
        source = path
        if prepared:
            source = sandbox.path / "prepared.onnx"
            quant_pre_process(str(path), str(source), skip_symbolic_shape=True)
        for form in ("QDQ", "QOperator"):
            if not prepared and form == "QOperator":
                continue  # as the other form
            written = sandbox.path / f"ort_{form}_{prepared}.onnx"
            try:
                quantize_static(str(source), str(written), Reader(x), quant_format=QuantFormat[form],
                                per_channel=seed % 2 == 0, reduce_range=not harness.has_vnni())
            except ValueError:
                continue  # it cannot: a bias of a ConvTranspose with a scale for each channel
            yield f"ort {form}{' prepared' * prepared}", written


def main():
    logging.disable(logging.WARNING)
    onnxruntime.set_default_logger_severity(4)
    count, first = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 20), (2, 1)))
    failed, checked = collections.Counter(), 0
    for seed in range(first, first + count):
        sandbox = harness.Sandbox()
        net = Net(seed)
        path, data, x = sandbox.path / "net.onnx", sandbox.path / "data.npz", net.data()
        onnx.save(net.model(), str(path))
        np.savez(data, x=x)
        for maker, quantized in files(sandbox, path, data, x, seed):
            checked += 1
            wrong = list(faults(sandbox, net, path, quantized, data, x))
            failed[maker] += bool(wrong)
            for one in wrong:
                print(f"{seed} {maker}: {one}", flush=True)
            if wrong:
                print(f"   {net} -> {' '.join(net.outputs)}", flush=True)
    print({maker: number for maker, number in failed.items() if number})
    harness.check(not failed.total(), f"{checked} healthy files are paired and compared as what they compute")


if __name__ == "__main__":
    main()
