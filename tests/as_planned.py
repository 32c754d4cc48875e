# SPDX-License-Identifier: Apache-2.0
"""What a plan says is what runs: random chains of ops with weights, and of what runtimes fuse into them, in mixed
precision. The graph that ONNX Runtime makes of the written file has an integer kernel for each op that the plan calls
int8 and no other one, and every float op multiplies floats; and the file computes what it says, which is held against
the same runtime with its optimisations off.

    as_planned.py [COUNT [FIRST_SEED]]
"""

import collections
import json
import random
import re
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SAMPLES = 8
WEIGHTED = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
INTEGER_WEIGHTED = {"QLinearConv", "QLinearMatMul", "QGemm", "MatMulIntegerToFloat", "ConvInteger", "MatMulInteger",
                    "DynamicQuantizeMatMul"}
FLOAT_WEIGHTED = {"Conv", "FusedConv", "NhwcFusedConv", "ConvTranspose", "Gemm", "FusedGemm", "MatMul", "FusedMatMul"}


class Chain:
    """A net that grows at its end, now and then with a branch that is added again."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes, self.weights = [], []
        self.batch = self.random.choice(["N", "N", SAMPLES])  # known, the runtime fuses more
        self.rank = self.random.choice([1, 2, 2, 2, 2, 3])  # of space
        self.value, self.shape = "x", [1, 4] + [6] * self.rank
        self.input = list(self.shape)
        self.conv()
        choice = self.random.random()
        if choice < 0.3:
            self.grow_blocks()
        elif choice < 0.65:
            self.grow_in_any_order()
        else:
            for _ in range(self.random.randint(3, 9)):
                self.grow()
            if self.random.random() < 0.4:
                self.flatten()
                for _ in range(self.random.randint(1, 5)):
                    self.grow_flat()
        self.output = self.value

    def grow_blocks(self):
        """Nothing but blocks as exporters write them: between two integer ops all of a block may be fused."""
        if self.random.random() < 0.6:
            for _ in range(self.random.randint(2, 4)):
                self.unfolded()
            self.conv()
        else:
            if self.random.random() < 0.5:
                self.flatten()
            for _ in range(self.random.randint(2, 4)):
                self.matmul()
                if self.random.random() < 0.5:
                    self.add("Relu", [self.value])

    def grow_in_any_order(self):
        """Ops with weights of one kind or several, and around them what runtimes fuse into them."""
        if self.random.random() < 0.5:
            self.flatten()
        for _ in range(self.random.randint(2, 4)):
            for _ in range(self.random.randint(0, 2)):
                self.fused()
            if len(self.shape) == 2:
                self.random.choice([self.gemm, self.product])()
            else:
                self.random.choice([self.conv, self.depthwise, self.conv_transpose, self.conv, self.product])()
            for _ in range(self.random.randint(0, 4)):
                self.fused()

    def fused(self):
        self.random.choice([self.per_channel, self.per_channel, self.batch_norm, self.activation, self.move])()

    def product(self):
        """A MatMul alone, with its weight on either side."""
        rows, columns = self.shape[-2:]
        if len(self.shape) > 2 and self.random.random() < 0.4:
            self.add("MatMul", [self.weight(rows, rows, channel_axis=0), self.value])
        else:
            self.add("MatMul", [self.value, self.weight(columns, columns, channel_axis=1)])

    def weight(self, *shape, low=None, high=None, channel_axis=None):
        """Normal, or uniform between bounds; with a size of its own for each channel, up to a factor of 60."""
        array = self.numbers.standard_normal(shape) if low is None else self.numbers.uniform(low, high, shape)
        if channel_axis is not None:
            extents = [-1 if axis == channel_axis else 1 for axis in range(len(shape))]
            array = array * np.exp(self.numbers.uniform(-3, 1, shape[channel_axis])).reshape(extents)
        return self.constant(np.asarray(array, np.float32))

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, kind, inputs, shape=None, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.value = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [self.value], name, **attributes))
        self.shape = list(shape or self.shape)

    def grow(self):
        if min(self.shape[2:]) < 2 or self.random.random() < 0.4:
            self.random.choice([self.conv, self.unfolded, self.unfolded, self.depthwise, self.conv_transpose])()
        else:
            self.random.choice([self.per_channel, self.per_channel, self.per_channel, self.batch_norm, self.activation,
                                self.activation, self.move, self.residual, self.max_pool])()

    def grow_flat(self):
        self.random.choice([self.gemm, self.matmul, self.matmul, self.per_channel, self.activation, self.residual])()

    def conv(self):
        groups = self.random.choice([1, 1, 2])
        out = groups * self.random.choice([2, 3])
        self.convolution(out, groups)

    def depthwise(self):
        self.convolution(self.shape[1], self.shape[1])

    def convolution(self, out, groups):
        if self.shape[1] % groups:
            groups = 1
        kernel = self.random.choice([1, 3])
        inputs = [self.value, self.weight(out, self.shape[1] // groups, *[kernel] * self.rank, channel_axis=0)]
        if self.random.random() < 0.5:
            inputs.append(self.weight(out))
        self.add("Conv", inputs, [1, out, *self.shape[2:]], group=groups, kernel_shape=[kernel] * self.rank,
                 pads=[kernel // 2] * (2 * self.rank))

    def unfolded(self):
        """As exporters write a batch norm that they took apart."""
        self.random.choice([self.conv, self.depthwise])()
        form = [self.shape[1], *[1] * self.rank]
        order = self.random.choice([["Mul", "Add"], ["Add", "Mul"], ["Mul", "Add"], ["Add"], ["Mul"], []])
        for kind in order:
            self.add(kind, [self.value, self.weight(*form, low=0.05, high=4)])
        if self.random.random() < 0.3:
            self.batch_norm()
        if self.random.random() < 0.3:
            self.move()
        if self.random.random() < 0.5:
            self.add("Relu", [self.value])
        elif self.random.random() < 0.5:
            self.activation()

    def conv_transpose(self):
        out, kernel = self.random.choice([2, 3]), self.random.choice([1, 1, 3])
        groups = self.random.choice([1, self.shape[1]])
        inputs = [self.value, self.weight(self.shape[1], out, *[kernel] * self.rank, channel_axis=1)]
        if self.random.random() < 0.5:
            inputs.append(self.weight(out * groups))
        self.add("ConvTranspose", inputs, [1, out * groups, *self.shape[2:]], kernel_shape=[kernel] * self.rank,
                 group=groups, pads=[kernel // 2] * (2 * self.rank))

    def per_channel(self):
        """Mul, Add, Sub or Div by a constant in one of the forms that exporters write."""
        kind = self.random.choice(["Mul", "Mul", "Mul", "Add", "Add", "Add", "Sub", "Sub", "Div", "Neg"])
        if kind == "Neg":
            self.add(kind, [self.value])
            return
        channels = self.shape[1]
        space = [1] * (len(self.shape) - 2)
        form = self.random.choice([[channels, *space], [1, channels, *space], [1], [], [channels, *space]])
        if len(self.shape) > 2 and self.random.random() < 0.2:
            form = [self.shape[-1]]  # as behind a MatMul
        if self.random.random() < 0.1:
            form = self.shape  # a figure for each element cannot be folded
        bounds = (0.2, 3) if kind in ("Mul", "Div") else (-1, 1)
        other = self.weight(*form, low=bounds[0], high=bounds[1])
        if self.random.random() < 0.1 and form == [1, channels, *space]:  # equal but for the channels
            array = numpy_helper.to_array(self.weights[-1])
            other = self.constant(np.ascontiguousarray(np.broadcast_to(array, self.shape)))
        swap = kind != "Div" and self.random.random() < 0.3
        self.add(kind, [other, self.value] if swap else [self.value, other])

    def batch_norm(self):
        c = self.shape[1]
        self.add("BatchNormalization", [self.value, self.weight(c, low=0.3, high=2), self.weight(c), self.weight(c),
                                        self.weight(c, low=0.2, high=2)])

    def activation(self):
        kind = self.random.choice(["Relu", "Clip", "LeakyRelu", "Sigmoid", "HardSwish"])
        inputs = [self.value]
        if kind == "Clip":
            inputs += [self.constant(np.float32(0)), self.constant(np.float32(6))]
        self.add(kind, inputs)

    def move(self):
        """What runtimes drop, or move the links between codes and floats past."""
        kind = self.random.choice(["Transpose", "Reshape", "Identity", "Dropout", "Unsqueeze", "Slice", "Pad", "zero"])
        if kind == "Transpose" and len(self.shape) == 4:
            self.add(kind, [self.value], [self.shape[i] for i in (0, 1, 3, 2)], perm=[0, 1, 3, 2])
        elif kind in ("Identity", "Dropout"):
            self.add(kind, [self.value])
        elif kind == "Unsqueeze":
            axis, shape = self.constant(np.array([1], np.int64)), list(self.shape)
            self.add(kind, [self.value, axis], [1, 1, *shape[1:]])
            self.add("Squeeze", [self.value, axis], shape)
        elif kind == "Slice" and min(self.shape[2:], default=0) > 2:
            ends = [self.constant(np.array([one], np.int64)) for one in (1, 1 << 40, len(self.shape) - 1)]
            self.add(kind, [self.value, *ends], [*self.shape[:-1], self.shape[-1] - 1])
        elif kind == "Pad" and len(self.shape) > 2 and max(self.shape[2:]) < 8:
            sides = [0, 0, *[1] * (len(self.shape) - 2)]
            self.add(kind, [self.value, self.constant(np.array([*sides, *[0] * len(sides)], np.int64))],
                     [*self.shape[:2], *[extent + 1 for extent in self.shape[2:]]])
        elif kind == "zero":
            self.add("Add", [self.value, self.constant(np.float32(0))])
            self.add("Mul", [self.value, self.constant(np.float32(1))])
        else:
            self.add("Reshape", [self.value, self.constant(np.array([-1, *self.shape[1:]], np.int64))])

    def max_pool(self):
        self.add("MaxPool", [self.value], self.shape[:2] + [e - 1 for e in self.shape[2:]],
                 kernel_shape=[2] * self.rank)

    def residual(self):
        before, shape = self.value, list(self.shape)
        if len(shape) == 2:
            self.add("MatMul", [before, self.weight(shape[1], shape[1], channel_axis=1)])
        else:
            self.depthwise()
        if self.random.random() < 0.5:
            self.per_channel()
        self.add("Add", [self.value, before], shape)

    def flatten(self):
        size = int(np.prod(self.shape[1:]))
        if self.random.random() < 0.5:
            self.add("Flatten", [self.value], [1, size])
        else:
            self.add("Reshape", [self.value, self.constant(np.array([-1, size], np.int64))], [1, size])

    def gemm(self):
        out = self.random.choice([4, 5])
        transposed = self.random.random() < 0.5
        shape = [out, self.shape[1]] if transposed else [self.shape[1], out]
        inputs = [self.value, self.weight(*shape, channel_axis=0 if transposed else 1)]
        if self.random.random() < 0.6:
            inputs.append(self.weight(out))
        scales = {"alpha": 0.5, "beta": 2.0} if self.random.random() < 0.2 else {}
        self.add("Gemm", inputs, [1, out], transB=int(transposed), **scales)

    def matmul(self):
        """Of a matrix, or of a batch of them, whose BatchNormalization would be of another axis."""
        out = self.shape[-1] if len(self.shape) > 2 else self.random.choice([4, 5])
        self.add("MatMul", [self.value, self.weight(self.shape[-1], out, channel_axis=1)], [*self.shape[:-1], out])
        for _ in range(self.random.randint(0, 2)):
            bounds = {"Add": (-1, 1), "Mul": (0.3, 2)}
            kind = self.random.choice(list(bounds))
            self.add(kind, [self.value, self.weight(out, low=bounds[kind][0], high=bounds[kind][1])])
        if len(self.shape) == 2 and self.random.random() < 0.2:
            self.batch_norm()

    def model(self):
        batch = self.batch
        info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, *shape[1:]])
        graph = helper.make_graph(self.nodes, "chain", [info("x", self.input)], [info(self.output, self.shape)],
                                  self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def recipe(self):
        """Single ops in float, a type in float, or none; either format."""
        share = self.random.choice([0, 0.2, 0.5])
        types = self.random.choice([WEIGHTED, WEIGHTED, {node.op_type for node in self.nodes}])
        kept = [node.name for node in self.nodes if node.op_type in types and self.random.random() < share]
        recipe = {"op_name_dict": {name: "fp32" for name in kept}}
        if self.random.random() < 0.2:
            recipe["op_type_dict"] = {self.random.choice(["Mul", "Add", "Conv", "MatMul", "Clip"]): "fp32"}
        if self.random.random() < 0.2:
            recipe["quant_format"] = "qoperator"
        if self.random.random() < 0.2:
            recipe["weight"] = {"granularity": "per_tensor"}
        return recipe


TOLD = []  # names of ops that run otherwise, as the plan says


def session(path, level, dump=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    if dump:
        options.optimized_model_filepath = str(dump)
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def runtime_ops(graph):
    """Types of the kernels that compute on codes; how many ops multiply float weights; those whose weight was codes.
    A Mul or BatchNormalization by itself may have become a Conv of the layout that blocks of channels have."""
    makers = {name: node for node in graph.node for name in node.output}
    stored = {weight.name for weight in graph.initializer}
    integer = collections.Counter(n.op_type for n in graph.node if n.op_type in INTEGER_WEIGHTED)
    floats, quantized = 0, []
    for node in graph.node:
        if node.op_type not in FLOAT_WEIGHTED or re.search("_(mul|bn)_nchwc", node.name):
            continue
        weights = [makers[name] for name in node.input[:2] if name in makers]
        if any(maker.op_type == "DequantizeLinear" and maker.input[0] in stored for maker in weights):
            quantized.append(f"{node.op_type} '{node.name}'")
        floats += 1
    return integer, floats, quantized


def check_ops(path, plan, dump):
    session(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL, dump)
    integer, floats, quantized = runtime_ops(onnx.load(str(dump)).graph)
    weighted = [op for op in plan["ops"] if op["type"] in WEIGHTED and op["members"]]
    planned = sum(op["precision"] == "int8" for op in weighted)
    assert planned == sum(integer.values()), f"{planned} ops with weights are planned int8, and these run: {integer}"
    assert len(weighted) - planned == floats, f"{len(weighted) - planned} are planned in float, and {floats} run so"
    told = [op["op"]["name"] for op in weighted if op["quantized"] != (op["precision"] == "int8")]
    untold = [one for one in quantized if not any(re.search(f"[' ]{re.escape(name)}['/]", one) for name in told)]
    assert not untold, f"{untold} multiply weights that were codes, and the plan does not say so"
    if told:
        print(f"told: {told} run otherwise than planned", flush=True)
        TOLD.extend(told)
    return planned, floats


def rms(array):
    return float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))


def check_outputs(path, model_path, x):
    """The optimised file differs from what it says by codes at ties alone: by less than quantizing costs."""
    levels = onnxruntime.GraphOptimizationLevel
    bare = session(path, levels.ORT_ENABLE_ALL).run(None, {"x": x})[0]
    literal = session(path, levels.ORT_DISABLE_ALL).run(None, {"x": x})[0]
    wanted = session(model_path, levels.ORT_DISABLE_ALL).run(None, {"x": x})[0]
    difference, error = rms(bare - literal), rms(literal - wanted)
    assert difference <= 0.5 * error + 1e-5 * rms(wanted), \
        f"it differs from what the file says by {difference:.4g}; quantizing costs {error:.4g}"
    return difference / error if error > 1e-4 * rms(wanted) else 0  # else float throughout


def check(seed, sandbox):
    chain = Chain(seed)
    model = chain.model()
    onnx.checker.check_model(model)
    path, output = sandbox.path / "chain.onnx", sandbox.path / "out.onnx"
    onnx.save(model, str(path))
    x = np.random.default_rng(seed).standard_normal([SAMPLES, *chain.input[1:]]).astype(np.float32)
    np.savez(sandbox.path / "data.npz", x=x)
    recipe = sandbox.write("recipe.json", json.dumps(chain.recipe()))
    result = sandbox.json("quantize", path, "--data", sandbox.path / "data.npz", "--recipe", recipe, "-o", output)
    plan = sandbox.record(result["workload"], "plan.json")
    planned, floats = check_ops(output, plan, sandbox.path / "optimized.onnx")
    return planned, floats, check_outputs(output, path, x)


def main(count=60, first=0):
    if len(sys.argv) > 1:
        count = int(sys.argv[1])
    if len(sys.argv) > 2:
        first = int(sys.argv[2])
    onnxruntime.set_default_logger_severity(4)
    sandbox = harness.Sandbox()
    integers = floats = mixed = failed = 0
    worst = 0.0
    for seed in range(first, first + count):
        try:
            planned, kept, ratio = check(seed, sandbox)
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {str(error)[:400]}", flush=True)
            continue
        integers, floats, worst = integers + planned, floats + kept, max(worst, ratio)
        mixed += planned > 0 and kept > 0
    print(f"{integers} ops with weights in int8, {floats} in float, {mixed} chains with both; the most that a file "
          f"differs from what it says is {100 * worst:.1f} % of what quantizing costs; {failed} failed")
    harness.check(not failed, "every chain runs as its plan says")
    harness.check(len(TOLD) <= count / 100, f"{len(TOLD)} ops run otherwise than wished, and the plan tells them")
    harness.check(count < 50 or (mixed >= count / 4 and integers >= count), "both precisions are tried")


if __name__ == "__main__":
    main()
