# SPDX-License-Identifier: Apache-2.0
"""Random small graphs: quantizing never fails and gives a file that runs; what the plan calls int8 runs in integer
kernels; and each op errs no more than rounding its weight and its output to their codes explains.

    random_graphs.py [COUNT [FIRST_SEED]]
"""

import collections
import json
import random
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

SAMPLES = 4
OPSET = 17


class Graph:
    """A graph that grows by one random op after the other. Values are (name, shape) with a batch of one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.rank = self.random.choice([1, 2, 2, 2, 3])  # of space
        shape = [1, self.random.choice([2, 3, 4])] + [self.random.choice([5, 6, 8]) for _ in range(self.rank)]
        self.inputs = [("x", shape)]
        self.values = list(self.inputs)
        self.nodes, self.weights = [], []
        for _ in range(self.random.randint(4, 14)):
            self.grow()

    def weight(self, *shape, scale=1.0):
        name = f"w{len(self.weights)}"
        array = (scale * self.numbers.standard_normal(shape)).astype(np.float32)
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def ints(self, *values):
        name = f"i{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def add(self, kind, inputs, shape, count=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(count)]
        name = self.random.choice([f"{kind}_{len(self.nodes)}", f"a/b:{len(self.nodes)}\"ü", "twice", ""])
        self.nodes.append(helper.make_node(kind, inputs, names, name, **attributes))
        self.values.extend((each, list(shape)) for each in names)
        return names[0]

    def pick(self, spatial):
        fitting = [v for v in self.values if (len(v[1]) == 2 + self.rank) == spatial and (spatial or len(v[1]) == 2)]
        return self.random.choice(fitting[-4:]) if fitting else None

    def grow(self):
        spatial = self.pick(True)
        flat = self.pick(False)
        if flat and self.random.random() < 0.25:
            self.random.choice([self.gemm, self.gemm, self.matmul, self.matmul, self.elementwise, self.activation, self.binary, self.product])(*flat)
        else:
            choices = [self.conv] * 8 + [self.conv_transpose, self.batch_norm, self.elementwise, self.activation,
                       self.binary, self.max_pool, self.average_pool, self.to_vector, self.concat, self.split,
                       self.slice, self.transpose, self.resize, self.pad, self.gather, self.where, self.reduce]
            self.random.choice(choices)(*spatial)

    def conv(self, x, shape):
        groups = self.random.choice([1, 1, shape[1]])
        out = groups * self.random.choice([1, 2, 3])
        kernel = [self.random.choice([1, min(3, extent)]) for extent in shape[2:]]
        stride = self.random.choice([1, 1, 2])
        inputs = [x, self.weight(out, shape[1] // groups, *kernel, scale=0.5)]
        if self.random.random() < 0.6:
            inputs.append(self.weight(out))
        space = [(extent - k) // stride + 1 for extent, k in zip(shape[2:], kernel)]
        self.add("Conv", inputs, [1, out, *space], group=groups, strides=[stride] * self.rank, kernel_shape=kernel)

    def conv_transpose(self, x, shape):
        out = self.random.choice([1, 2])
        kernel = [2] * self.rank
        self.add("ConvTranspose", [x, self.weight(shape[1], out, *kernel)], [1, out] + [2 * e for e in shape[2:]],
                 strides=[2] * self.rank, kernel_shape=kernel)

    def batch_norm(self, x, shape):
        c = shape[1]
        variance = numpy_helper.from_array(np.abs(self.numbers.standard_normal(c)).astype(np.float32) + 0.1,
                                           f"w{len(self.weights)}")
        self.weights.append(variance)
        self.add("BatchNormalization", [x, self.weight(c), self.weight(c), self.weight(c), variance.name], shape)

    def elementwise(self, x, shape):
        self.add(self.random.choice(["Add", "Mul"]), [x, self.weight(*self.random.choice([[1], shape]))], shape)

    def activation(self, x, shape):
        kind = self.random.choice(["Relu", "LeakyRelu", "Sigmoid", "HardSwish", "Tanh", "Clip", "Softmax", "Identity",
                                   "Abs", "Exp"])
        if kind == "Clip":
            low = numpy_helper.from_array(np.float32(self.random.choice([0, -0.5])), f"w{len(self.weights)}")
            self.weights.append(low)
            high = numpy_helper.from_array(np.float32(1), f"w{len(self.weights)}")
            self.weights.append(high)
            self.add(kind, [x, low.name, high.name], shape)
        elif kind == "Exp":  # kept small
            self.add(kind, [self.add("Tanh", [x], shape)], shape)
        else:
            self.add(kind, [x], shape)

    def binary(self, x, shape):
        others = [name for name, other in self.values if other == shape]
        self.add(self.random.choice(["Add", "Mul", "Sub", "Max", "Min"]), [x, self.random.choice(others)], shape)

    def max_pool(self, x, shape):
        self.add("MaxPool", [x], shape[:2] + [e - 1 for e in shape[2:]] if min(shape[2:]) > 1 else shape,
                 kernel_shape=[2 if min(shape[2:]) > 1 else 1] * self.rank)

    def average_pool(self, x, shape):
        if min(shape[2:]) < 2 or self.random.random() < 0.3:
            self.add("GlobalAveragePool", [x], shape[:2] + [1] * self.rank)
        else:
            self.add("AveragePool", [x], shape[:2] + [e - 1 for e in shape[2:]], kernel_shape=[2] * self.rank)

    def to_vector(self, x, shape):
        if self.random.random() < 0.5:
            self.add("Flatten", [x], [1, int(np.prod(shape[1:]))])
        else:
            self.add("Reshape", [x, self.ints(1, -1)], [1, int(np.prod(shape[1:]))])

    def concat(self, x, shape):
        others = [v for v in self.values if len(v[1]) == len(shape) and v[1][2:] == shape[2:]]
        other = self.random.choice(others)
        self.add("Concat", [x, other[0]], [1, shape[1] + other[1][1], *shape[2:]], axis=1)

    def split(self, x, shape):
        if shape[1] % 2 == 0:
            self.add("Split", [x], [1, shape[1] // 2, *shape[2:]], count=2, axis=1)

    def slice(self, x, shape):
        if shape[2] > 2:
            self.add("Slice", [x, self.ints(1), self.ints(shape[2]), self.ints(2)], [*shape[:2], shape[2] - 1, *shape[3:]])

    def transpose(self, x, shape):
        order = [0, 2, 1, *range(3, len(shape))]
        self.add("Transpose", [x], [shape[i] for i in order], perm=order)

    def resize(self, x, shape):
        scales = numpy_helper.from_array(np.array([1, 1] + [2] * self.rank, np.float32), f"w{len(self.weights)}")
        self.weights.append(scales)
        self.add("Resize", [x, "", scales.name], shape[:2] + [2 * e for e in shape[2:]],
                 mode="nearest" if self.rank != 2 else self.random.choice(["nearest", "linear"]),
                 nearest_mode="floor", coordinate_transformation_mode="asymmetric")

    def pad(self, x, shape):
        self.add("Pad", [x, self.ints(*[0, 0] + [1] * self.rank, *[0] * (2 + self.rank))],
                 shape[:2] + [e + 1 for e in shape[2:]])

    def gather(self, x, shape):
        self.add("Gather", [x, self.ints(0, shape[1] - 1)], [1, 2, *shape[2:]], axis=1)

    def where(self, x, shape):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(self.numbers.random(shape) < 0.5, name))
        others = [other for other, extents in self.values if extents == shape]
        self.add("Where", [name, x, self.random.choice(others)], shape)

    def reduce(self, x, shape):
        kind = self.random.choice(["ReduceMax", "ReduceMin", "ReduceMean"])
        self.add(kind, [x], [*shape[:2], 1, *shape[3:]], axes=[2], keepdims=1)

    def gemm(self, x, shape):
        out = self.random.choice([2, 5])
        transposed = self.random.random() < 0.5
        inputs = [x, self.weight(*([out, shape[1]] if transposed else [shape[1], out]), scale=0.3)]
        if self.random.random() < 0.6:
            inputs.append(self.weight(out))
        self.add("Gemm", inputs, [1, out], transB=int(transposed), alpha=self.random.choice([1.0, 1.0, 0.5]))

    def matmul(self, x, shape):
        out = self.random.choice([3, 4])
        transposed = self.random.random() < 0.3  # as exporters leave it
        weight = self.weight(*([out, shape[1]] if transposed else [shape[1], out]), scale=0.3)
        if transposed:
            self.nodes.append(helper.make_node("Transpose", [weight], [f"t_{weight}"], perm=[1, 0]))
            weight = f"t_{weight}"
        product = self.add("MatMul", [x, weight], [1, out])
        if self.random.random() < 0.5:
            self.add("Add", [product, self.weight(out)], [1, out])

    def product(self, x, shape):  # of two activations
        column = self.add("Reshape", [x, self.ints(shape[1], 1)], [shape[1], 1])
        self.values.pop()
        self.add("MatMul", [column, x], [shape[1], shape[1]])
        self.values.pop()
        square = self.nodes[-1].output[0]
        self.add("ReduceMean", [square], [1, shape[1]], axes=[0], keepdims=1)

    def model(self):
        read = {name for node in self.nodes for name in node.input}
        outputs = [(name, shape) for name, shape in self.values[1:] if name not in read] or self.values[-1:]
        info = lambda values: [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in values]
        graph = helper.make_graph(self.nodes, "random", info(self.inputs), info(outputs), self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def check_all_needed(path):
    """Nothing stands in the file that nobody reads."""
    graph = onnx.load(str(path)).graph
    read = {name for node in graph.node for name in node.input} | {output.name for output in graph.output}
    idle = [node.name for node in graph.node if not read & set(node.output)]
    idle += [weight.name for weight in graph.initializer if weight.name not in read]
    assert not idle, f"nobody reads what {idle} give"


def dequantized(codes, scale, zero):
    return (codes.astype(np.float64) - float(zero)) * float(scale)


class Quantized:
    """What the file says: codes of values and of weights, with their parameters."""

    def __init__(self, path):
        self.model = onnx.load(str(path))
        self.weights = {w.name: numpy_helper.to_array(w) for w in self.model.graph.initializer}
        names = json.loads({p.key: p.value for p in self.model.metadata_props}["quantlens.names"])
        self.codes = names["values"]
        self.parameters = {}
        for node in self.model.graph.node:
            if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
                tensor = node.output[0] if node.op_type == "QuantizeLinear" else node.input[0]
                self.parameters[tensor] = [self.weights[name] for name in node.input[1:3]]
        self.weight_scales = collections.defaultdict(dict)
        for entry in names["weights"]:
            self.weight_scales[entry["op"]][entry["weight"]] = float(np.max(self.parameters[entry["quantized"]][0]))

    def run(self, feeds):
        """All codes, from the integer kernels."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        for tensor in self.codes.values():
            kind = TensorProto.UINT8 if self.parameters[tensor][1].dtype == np.uint8 else TensorProto.INT8
            model.graph.output.append(helper.make_tensor_value_info(tensor, kind, None))
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        values = dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds)))
        return {value: dequantized(values[tensor], *self.parameters[tensor]) for value, tensor in self.codes.items()}


def check_kernels(path, plan, sandbox):
    """No op that the plan calls int8 is left in the optimised graph with a float input, and none that it calls float
    has an integer weight that the runtime made."""
    dump = sandbox.path / "optimized.onnx"
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(dump)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    integer = {op["op"]["id"] for op in plan["ops"] if op["quantized"]}
    codes = set()
    optimized = onnx.load(str(dump)).graph
    made_of_codes = {node.output[0] for node in optimized.node if node.op_type == "DequantizeLinear"}
    for node in optimized.node:
        if node.op_type in ("Conv", "ConvTranspose", "Gemm"):
            assert node.input[1] not in made_of_codes, f"{node.op_type} '{node.output[0]}' has an int8 weight"
        if node.op_type.startswith("QLinear") or node.op_type in ("QuantizeLinear", "QGemm"):
            codes.update(node.output)
        elif node.input and node.input[0] in codes and node.op_type not in ("DequantizeLinear", "MatMulIntegerToFloat"):
            codes.update(node.output)
        elif any(f"{name}_QuantizeLinear_Input" in node.output or name in node.output for name in integer):
            assert node.op_type in ("DequantizeLinear", "MatMulIntegerToFloat", "QGemm") or \
                node.op_type.startswith("QLinear"), f"{node.op_type} '{node.output[0]}' runs in float"


def check_local_errors(graph, plan, quantized, feeds):
    """Every pattern's codes against its float ops, fed with the codes that it read."""
    nodes = {node.output[0]: node for node in graph.nodes}
    values = quantized.run(feeds)
    for op in plan["ops"]:
        if not op["quantized"] or not op["members"]:
            continue
        members = [nodes[member] for member in op["members"]]
        members = folded_before(members, nodes, values) + members
        inputs = [name for node in members for name in node.input]
        for output in members[-1].output:
            if output not in values:
                continue  # a float result: the next op's input is what counts
            known = [n for n in inputs if n in values and n not in [node.output[0] for node in members]]
            reference = local_reference(graph, members, output, {n: values[n].astype(np.float32) for n in known})
            scale, zero = quantized.parameters[quantized.codes[output]]
            limits = np.iinfo(zero.dtype)
            clipped = np.clip(reference, *dequantized(np.array([limits.min, limits.max]), scale, zero))
            bound = bound_of(op, members, values, quantized, scale)
            worst = np.max(np.abs(clipped - values[output])) if clipped.size else 0
            assert worst <= bound, f"{op['type']} '{output}' errs by {worst:.6g}, more than {bound:.6g}"


def folded_before(members, nodes, values):
    """The float ops whose results have no codes and that the first member reads: their constants are in its weight."""
    found, wanted = [], [members[0].input[0]]
    while wanted and wanted[0] in nodes and wanted[0] not in values and \
            nodes[wanted[0]].op_type in ("Mul", "Div", "Add", "Sub", "Neg", "BatchNormalization"):
        found.insert(0, nodes[wanted[0]])
        wanted = [name for name in found[0].input if name in values or name in nodes]
    return found


def local_reference(graph, members, output, feeds):
    info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
    made = {node.output[0] for node in graph.nodes if node.op_type == "Transpose" and node.input[0].startswith("w")}
    nodes = [n for n in graph.nodes if n.output[0] in made] + members
    piece = helper.make_graph(nodes, "piece", [info(n) for n in feeds], [info(output)], graph.weights)
    model = helper.make_model(piece, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    return ReferenceEvaluator(model).run(None, feeds)[0].astype(np.float64)


def bound_of(op, members, values, quantized, scale):
    anchor = next(node for node in members if node.output[0] == op["members"][0])
    read = next((name for name in members[0].input if name in values), None)
    bound = 0.501 * float(scale)
    if anchor.op_type == "Resize":
        bound += float(scale)  # the integer kernel cuts off
    scales = quantized.weight_scales.get(op["op"]["id"], {})
    scales = {name.removesuffix(f"/with/{op['op']['id']}"): one for name, one in scales.items()}
    weights = {w.name: numpy_helper.to_array(w) for w in quantized.original.graph.initializer}
    if anchor.op_type in ("Conv", "Gemm", "MatMul") and anchor.input[1] in scales:
        weight = weights[anchor.input[1].removeprefix("t_")]
        if anchor.op_type == "Conv":
            terms = weight[0].size
        else:
            transposed = anchor.input[1].startswith("t_") or \
                any(a.name == "transB" and a.i for a in anchor.attribute)
            terms = weight.shape[1 if transposed else 0]
        largest = np.max(np.abs(values[read]))
        bound += 0.501 * terms * largest * scales[anchor.input[1]]
        bias = [s for name, s in scales.items() if name != anchor.input[1]]
        bound += 0.501 * sum(bias)
    elif scales:  # a constant operand, at most 1 above the values' own size
        largest = max([np.max(np.abs(values[n])) for n in anchor.input if n in values] + [1])
        bound += 0.501 * sum(scales.values()) * largest
    return bound + 1e-5


def check(seed, sandbox):
    graph = Graph(seed)
    model = graph.model()
    onnx.checker.check_model(model)
    path, output = sandbox.path / "random.onnx", sandbox.path / "out.onnx"
    onnx.save(model, str(path))
    data = np.random.default_rng(seed).standard_normal([SAMPLES, *graph.inputs[0][1][1:]]).astype(np.float32)
    np.savez(sandbox.path / "data.npz", x=data)
    result = sandbox.json("quantize", path, "--data", sandbox.path / "data.npz", "-o", output)
    plan = sandbox.record(result["workload"], "plan.json")
    if result["ops_quantized"] == 0:
        onnxruntime.InferenceSession(str(output), providers=["CPUExecutionProvider"]).run(None, {"x": data[:1]})
        return collections.Counter()
    check_all_needed(output)
    check_kernels(output, plan, sandbox)
    quantized = Quantized(output)
    quantized.original = model
    check_local_errors(graph, plan, quantized, {"x": data[:1]})
    return collections.Counter(op["type"] for op in plan["ops"] if op["quantized"])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    onnxruntime.set_default_logger_severity(3)
    sandbox = harness.Sandbox()
    seen = collections.Counter()
    for seed in range(first, first + count):
        try:
            seen += check(seed, sandbox)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    print("ops in int8:", dict(seen))
    assert count < 100 or len(seen) >= 15, "too few kinds of ops became int8"


if __name__ == "__main__":
    main()
