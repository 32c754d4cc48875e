# SPDX-License-Identifier: Apache-2.0
"""Constants are folded without a change of the function: random chains of ops with weights, and around them of constants
that are multiplied and added, in all forms that give one figure to a channel, through ops that move elements. The model
that is written with all ops in float equals the original in ONNX Runtime with its optimisations off, to rounding; the
ops whose constants can be folded are gone; and the file in int8 loads, runs, and is compared like any other.

    folding.py [COUNT [FIRST_SEED]]
"""

import json
import random
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SAMPLES = 4
CHANGES = {"Mul", "Div", "Add", "Sub", "Neg", "BatchNormalization"}


class Net:
    """An op that makes codes, what may be folded in front of the next one, that op, and a chain behind it, whose end is
    read twice. `gone`: names of nodes that must disappear."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes, self.weights, self.gone = [], [], set()
        self.has_moved = False
        self.length = 1  # of all sums of products, one behind the other
        self.batch = self.random.choice(["N", "N", 1])
        self.is_told = self.random.random() < 0.6  # the file says what extents values have
        self.kind = self.random.choice(["Conv", "Conv", "depthwise", "ConvTranspose", "Gemm", "MatMul", "left"])
        flat = self.kind in ("Gemm", "MatMul", "left")
        self.space = 0 if flat else self.random.choice([1, 2, 3])
        extent = self.random.choice([4, 5, 6])  # as many as there are channels, or not
        self.value, self.shape = "x", [1, 4] + [extent] * self.space
        if self.kind == "MatMul":
            self.shape = [1, 6, 4]
        if self.kind == "left":  # a MatMul whose weight is its first operand
            self.shape = [1, 4, 6]
        self.input, self.padded = list(self.shape), self.random.random() < 0.5
        self.front()
        self.anchor()
        self.behind()
        self.add("Relu", [self.value])
        top = self.value
        self.add("Sigmoid", [top])
        self.add("Mul", [self.value, top])

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def normal(self, *shape):
        return self.constant(self.numbers.standard_normal(shape).astype(np.float32))

    def factors(self, shape):
        """Of either sign, up to a factor of 400 apart."""
        sizes = np.exp(self.numbers.uniform(-3, 3, shape)) * self.numbers.choice([-1, 1], shape)
        return np.asarray(sizes, np.float32)

    def add(self, kind, inputs, shape=None, **attributes):
        name, self.value = f"{kind}_{len(self.nodes)}", f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [self.value], name, **attributes))
        self.shape = list(shape or self.shape)
        return name

    def front(self):
        """An op whose result is codes, a Relu, and constants that the next op's weight may take."""
        if self.random.random() < 0.4:
            return
        channels = self.shape[1]
        if self.space:
            self.add("Conv", [self.value, self.normal(channels, channels, *[1] * self.space)])
        else:
            self.add("MatMul", [self.value, self.normal(self.shape[-1], self.shape[-1])])
        self.length += 6
        self.add("Relu", [self.value])
        axis = 1 if self.space or self.kind == "left" else len(self.shape) - 1
        takes_shifts = self.kind == "Gemm" or (self.kind in ("Conv", "depthwise") and not self.padded)
        for _ in range(self.random.randint(1, 2)):
            kinds = ["Mul", "Div", "Neg", "Add", "Sub"] if takes_shifts else ["Mul", "Div", "Neg"]
            self.gone.add(self.arithmetic(self.random.choice(kinds), [axis], self.form()))
        if self.random.random() < 0.3 and self.kind == "Gemm":
            self.add("Unsqueeze", [self.value, self.constant(np.array([0], np.int64))], [1, *self.shape])
            self.add("Squeeze", [self.value, self.constant(np.array([0], np.int64))], self.shape[1:])

    def form(self):
        forms = ["scalar", "ones", "plain", "plain", "short", "short"]
        knows_extents = self.is_told or not self.has_moved
        return self.random.choice(forms + ["full"] if knows_extents else forms)

    def arithmetic(self, kind, axes, form, swap=None):
        """With a constant of a figure for each place on these axes, or one for all; in this form."""
        if kind == "Neg":
            return self.add(kind, [self.value])
        shape = [extent if axis in axes else 1 for axis, extent in enumerate(self.shape)]
        if form == "scalar":
            array = self.factors([])
        elif form == "ones":
            array = self.factors([1] * self.random.randint(1, len(shape)))
        else:
            array = self.factors(shape)
            while form == "short" and array.ndim > 1 and array.shape[0] == 1:
                array = array[0]
            if form == "full":
                array = np.broadcast_to(array, self.shape)
        other = self.constant(np.ascontiguousarray(array).reshape(array.shape))
        if swap is None:
            swap = kind != "Div" and self.random.random() < 0.4
        return self.add(kind, [other, self.value] if swap else [self.value, other])

    def batch_norm(self):
        c = self.shape[1]
        sizes = [np.exp(self.numbers.uniform(-1, 1, c)).astype(np.float32) for _ in range(2)]
        return self.add("BatchNormalization", [self.value, self.constant(sizes[0]), self.normal(c), self.normal(c),
                                               self.constant(sizes[1])])

    def anchor(self):
        if self.kind not in ("Gemm", "MatMul", "left"):
            self.convolution()
            return
        self.length += 4
        if self.kind == "left":
            self.add("MatMul", [self.normal(6, 4), self.value], [1, 6, 6])
            self.axes = {1: 6}
            return
        if self.kind == "MatMul":
            self.add("MatMul", [self.value, self.normal(4, 6)], [1, 6, 6])
            self.axes = {2: 6}
            return
        transposed = self.random.random() < 0.5
        inputs = [self.value, self.normal(*([6, 4] if transposed else [4, 6]))]
        if self.random.random() < 0.5:
            inputs.append(self.normal(*self.random.choice([[6], [1, 6]])))
        scales = {"alpha": 0.5, "beta": 2.0} if len(inputs) > 2 and self.random.random() < 0.4 else {}
        self.add("Gemm", inputs, [1, 6], transB=int(transposed), **scales)
        self.axes = {1: 6}

    def convolution(self):
        channels, kernel = self.shape[1], self.random.choice([1, 3])
        groups = channels if self.kind == "depthwise" else self.random.choice([1, 2])
        out = self.random.choice([channels, 2 * channels])
        pad = kernel // 2 if self.padded else 0
        transposed = self.kind == "ConvTranspose"
        weight = [channels, out // groups] if transposed else [out, channels // groups]
        inputs = [self.value, self.normal(*weight, *[kernel] * self.space)]
        if self.random.random() < 0.5:
            inputs.append(self.normal(out))
        change = (kernel - 1) * (1 if transposed else -1) + (-2 if transposed else 2) * pad
        self.add("ConvTranspose" if transposed else "Conv", inputs,
                 [1, out] + [extent + change for extent in self.shape[2:]], group=groups,
                 kernel_shape=[kernel] * self.space, pads=[pad] * (2 * self.space))
        self.axes = {1: out}
        self.length += channels * kernel ** self.space

    def behind(self):
        """`axes`: those on which the channels are, in order, with their extents. `folds`: the chain has not ended."""
        self.folds, self.can_follow, self.has_moved = True, True, False
        self.has_bias = self.kind not in ("MatMul", "left")  # what is added has a place
        for _ in range(self.random.randint(1, 5)):
            if self.random.random() < 0.4:
                self.random.choice([self.transpose, self.split, self.unsqueeze, self.join_space])()
            elif self.random.random() < 0.2:
                self.random.choice([self.mix, self.misfit])()
            elif self.can_follow and list(self.axes) == [1] and self.random.random() < 0.3:
                self.normalize()
            else:
                self.change()

    def normalize(self):
        if self.has_bias:
            self.expect(self.batch_norm())
        elif self.has_moved:
            self.batch_norm()
            self.folds = False
        else:  # it stays, and takes what is behind it
            self.batch_norm()
            self.has_bias = True

    def change(self):
        kind, form = self.random.choice(["Mul", "Div", "Mul", "Add", "Sub", "Neg"]), self.form()
        if kind in ("Add", "Sub") and not self.has_bias:
            if self.has_moved:  # a MatMul has no bias, and no Add in front of what moves its result
                self.folds = False
            elif self.folds:  # it stays, and takes what is behind it
                self.arithmetic(kind, list(self.axes), form)
                self.has_bias = True
                return
        is_followed = self.can_follow and len(self.axes) == 1
        self.folds = self.folds and (is_followed or form in ("scalar", "ones") or kind == "Neg")
        self.expect(self.arithmetic(kind, list(self.axes), form))

    def expect(self, name):
        if self.folds:
            self.gone.add(name)

    def misfit(self):
        """Figures along another axis, often of the same extent: they stay, and what is behind them."""
        others = [axis for axis in range(1, len(self.shape)) if axis not in self.axes and self.shape[axis] > 1]
        if others:
            self.arithmetic(self.random.choice(["Mul", "Add"]), [self.random.choice(others)], "plain")
            self.folds = False

    def mix(self):
        """A Reshape that exchanges two extents, and elements with them."""
        axis = self.random.randint(1, len(self.shape) - 1) - 1
        if axis == 0 or 1 in self.shape[axis:axis + 2] or self.shape[axis] == self.shape[axis + 1]:
            return
        shape = [*self.shape[:axis], self.shape[axis + 1], self.shape[axis], *self.shape[axis + 2:]]
        self.add("Reshape", [self.value, self.constant(np.array([-1, *shape[1:]], np.int64))], shape)
        if not self.axes.keys().isdisjoint({axis, axis + 1}):
            self.can_follow = False
        elif not self.is_told:
            self.can_follow = False
        self.axes = {axis: shape[axis], axis + 1: shape[axis + 1]} if not self.can_follow else self.axes
        self.has_moved = True

    def move_axes(self, order):
        self.has_moved = True
        self.axes = {order.index(axis): extent for axis, extent in self.axes.items()}

    def transpose(self):
        order = list(range(1, len(self.shape)))
        self.random.shuffle(order)
        order = [0, *order]
        self.add("Transpose", [self.value], [self.shape[axis] for axis in order], perm=order)
        self.move_axes(order)

    def split(self):
        """An axis of channels becomes two, as heads of attention do."""
        axis = self.random.choice(list(self.axes))
        extent = self.axes[axis]
        if extent % 2 or extent <= 2 or len(self.shape) > 5:
            return
        shape = [*self.shape[:axis], 2, extent // 2, *self.shape[axis + 1:]]
        self.add("Reshape", [self.value, self.constant(np.array([-1, *shape[1:]], np.int64))], shape)
        self.axes = {a + (a > axis): e for a, e in self.axes.items() if a != axis} | {axis: 2, axis + 1: extent // 2}
        self.has_moved = True

    def unsqueeze(self):
        axis = self.random.randint(1, len(self.shape))
        if len(self.shape) > 5:
            return
        self.add("Unsqueeze", [self.value, self.constant(np.array([axis], np.int64))],
                 [*self.shape[:axis], 1, *self.shape[axis:]])
        self.axes = {a + (a >= axis): e for a, e in self.axes.items()}
        self.has_moved = True

    def join_space(self):
        """Neighbouring axes without channels become one, where there are two of them."""
        for axis in range(1, len(self.shape) - 1):
            if axis in self.axes or axis + 1 in self.axes:
                continue
            shape = [*self.shape[:axis], self.shape[axis] * self.shape[axis + 1], *self.shape[axis + 2:]]
            target = [0 if i < axis else -1 if i == axis else extent for i, extent in enumerate(shape)]
            self.add("Reshape", [self.value, self.constant(np.array(target, np.int64))], shape)
            self.can_follow = self.can_follow and (self.is_told or max(self.axes) < axis)
            self.axes = {a - (a > axis): e for a, e in self.axes.items()}
            self.has_moved = True
            return

    def model(self):
        info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, [self.batch, *shape[1:]])
        graph = helper.make_graph(self.nodes, "net", [info("x", self.input)], [info(self.value, self.shape)],
                                  self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True) if self.is_told else model


def magnitudes(model):
    """The same network of sizes: every number is at least as large as what it bounds in the original, and as all sums
    in between, nothing cancelling out."""
    bound = onnx.ModelProto()
    bound.CopyFrom(model)
    means = {node.input[3] for node in bound.graph.node if node.op_type == "BatchNormalization"}
    for weight in bound.graph.initializer:
        array = numpy_helper.to_array(weight)
        if array.dtype == np.float32:
            sized = -np.abs(array) if weight.name in means else np.abs(array)
            weight.CopyFrom(numpy_helper.from_array(sized, weight.name))
    for node in bound.graph.node:
        node.op_type = {"Sub": "Add", "Neg": "Identity"}.get(node.op_type, node.op_type)
    return bound


def run(path, x, level=onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return [session.run(None, {"x": one[None]})[0] for one in x]


def check(seed, sandbox):
    net = Net(seed)
    model = net.model()
    onnx.checker.check_model(model)
    path, sizes, folded, int8 = (sandbox.path / f"{name}.onnx" for name in ("net", "sizes", "folded", "int8"))
    onnx.save(model, str(path))
    onnx.save(magnitudes(model), str(sizes))
    x = np.random.default_rng(seed).standard_normal([SAMPLES, *net.input[1:]]).astype(np.float32)
    np.savez(sandbox.path / "data.npz", x=x)
    types = {node.op_type: "fp32" for node in net.nodes}
    recipe = sandbox.write("recipe.json", json.dumps({"op_type_dict": types}))
    sandbox.run("quantize", path, "--data", sandbox.path / "data.npz", "--recipe", recipe, "-o", folded)
    sandbox.run("quantize", path, "--data", sandbox.path / "data.npz", "-o", int8)
    left = {node.name for node in onnx.load(str(folded)).graph.node}
    missed = net.gone & left
    assert not missed, f"{sorted(missed)} are still there"
    around = [node.name for node in net.nodes[:-2] if node.op_type in CHANGES]
    before, after = np.stack(run(path, x)), np.stack(run(folded, x))
    # Each product, sum and rounded constant of either model errs by 2^-24 of what it bounds: so many behind each other.
    # The end, v Sigmoid(v), is at least v / 2 and grows by at most 1.1 times what v does.
    bound = 2 * 1.1 * 2 * (net.length + 2 * len(net.nodes)) * 2.0 ** -24 * np.stack(run(sizes, np.abs(x)))
    worst = (np.abs(before - after) / bound).max()
    assert worst <= 1, f"differs by {worst:.2g} times what rounding explains"
    assert all(np.isfinite(one).all() for one in run(int8, x, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL))
    return len(net.gone), sum(name in left for name in around), worst


def main(count=60, first=0):
    if len(sys.argv) > 1:
        count = int(sys.argv[1])
    if len(sys.argv) > 2:
        first = int(sys.argv[2])
    onnxruntime.set_default_logger_severity(4)
    sandbox = harness.Sandbox()
    folded = kept = failed = largest = 0
    for seed in range(first, first + count):
        try:
            gone, stayed, worst = check(seed, sandbox)
            folded, kept, largest = folded + gone, kept + stayed, max(largest, worst)
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {str(error)[:400]}", flush=True)
    print(f"{folded} ops folded in {count} networks, {kept} with constants stay; differences up to {largest:.2f} of the bound; {failed} failed")
    harness.check(not failed, "every network computes the same once its constants are folded")
    harness.check(folded >= count, "there is something to fold")
    harness.check(kept <= folded, "what stays is the exception: a MatMul's first sum, figures of another axis")


if __name__ == "__main__":
    main()
