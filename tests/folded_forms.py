# SPDX-License-Identifier: Apache-2.0
"""Each form in which exporters leave constants around an op with a weight, by itself. Nodes called `gone` must have
disappeared from the model that is written with all ops in float, those called `stay` must not (folding them would be
another function, or numbers that are none), and its outputs equal the original's in ONNX Runtime, whose optimisations
are off.

    folded_forms.py [NAME]      only forms whose name contains NAME
"""

import json
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

TINY = np.finfo(np.float32).tiny


class Net:
    """A graph that grows at its end; `shape` is that of the value there."""

    def __init__(self, *shape, told=False, batch="N"):
        self.numbers = np.random.default_rng(len(shape) + sum(shape))  # of each form the same
        self.nodes, self.weights, self.outputs = [], [], []
        self.value, self.shape, self.input = "x", list(shape), list(shape)
        self.told, self.batch = told, batch  # the file says what extents values have

    def constant(self, array, dtype=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def normal(self, *shape):
        return self.constant(self.numbers.standard_normal(shape))

    def figures(self, *shape):
        """Up to a factor of 20 apart, of either sign."""
        return self.constant(np.exp(self.numbers.uniform(-1.5, 1.5, shape)) * self.numbers.choice([-1, 1], shape))

    def op(self, kind, *inputs, name="", shape=None, **attributes):
        """Input "": the value at the end."""
        output = f"v{len(self.nodes)}"
        inputs = [self.value if one == "" else one for one in inputs]
        self.nodes.append(helper.make_node(kind, inputs, [output], f"{name or 'op'}_{len(self.nodes)}", **attributes))
        self.value, self.shape = output, list(shape or self.shape)
        return output

    def side(self, kind, *inputs, **attributes):
        """An op on constants alone; the end stays where it is."""
        value, shape = self.value, self.shape
        made = self.op(kind, *inputs, **attributes)
        self.value, self.shape = value, shape
        return made

    def gone(self, kind, *inputs, **options):
        return self.op(kind, *inputs, name="gone", **options)

    def stay(self, kind, *inputs, **options):
        return self.op(kind, *inputs, name="stay", **options)

    def conv(self, out, kernel=1, group=1, bias=True, pads=None, kind="Conv", **attributes):
        rank, channels = len(self.shape) - 2, self.shape[1]
        shape = [channels, out // group] if kind == "ConvTranspose" else [out, channels // group]
        inputs = ["", self.normal(*shape, *[kernel] * rank)] + ([self.normal(out)] if bias else [])
        pads = pads or [0] * (2 * rank)
        change = (kernel - 1) * (1 if kind == "ConvTranspose" else -1)
        extents = [e + change + (1 if kind == "Conv" else -1) * (pads[i] + pads[rank + i])
                   for i, e in enumerate(self.shape[2:])]
        return self.op(kind, *inputs, shape=[1, out, *extents], group=group, pads=pads,
                       kernel_shape=[kernel] * rank, **attributes)

    def codes(self, kind="Conv"):
        """An op that gives codes, whose channels are known."""
        if kind == "Conv":
            self.conv(self.shape[1])
        else:
            self.op("MatMul", "", self.normal(self.shape[-1], self.shape[-1]))
        self.op("Relu", "")

    def model(self):
        self.op("Softplus", "")
        info = lambda name, shape: helper.make_tensor_value_info(
            name, TensorProto.FLOAT, None if shape is None else [self.batch, *shape[1:]])
        outputs = [info(self.value, self.shape if self.told else None)] + [info(one, None) for one in self.outputs]
        graph = helper.make_graph(self.nodes, "net", [info("x", self.input)], outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True) if self.told else model


FORMS = {}


def form(function):
    FORMS[function.__name__] = function
    return function


# Behind a Conv ----------------------------------------------------------------------------------


@form
def each_op_with_the_constant_on_either_side():
    net = Net(1, 3, 5, 5)
    net.conv(4)
    for kind in ("Mul", "Add", "Sub"):
        net.gone(kind, "", net.figures(4, 1, 1))
        net.gone(kind, net.figures(1, 4, 1, 1), "")
    net.gone("Div", "", net.figures(4, 1, 1))
    return net


@form
def what_divides_a_constant_is_no_factor():
    net = Net(1, 3, 5, 5)
    net.conv(4)
    net.stay("Div", net.figures(4, 1, 1), "")
    net.stay("Mul", "", net.figures(4, 1, 1))
    return net


@form
def negation():
    net = Net(1, 3, 5, 5)
    net.conv(4)
    net.gone("Neg", "")
    net.gone("Mul", "", net.figures(4, 1, 1))
    net.gone("Neg", "")
    return net


def all_extents(told, batch):
    """Constants of all extents of the value, equal but for the channels."""
    net = Net(1, 3, 5, 5, told=told, batch=batch)
    net.conv(4, kernel=3)
    column = np.exp(net.numbers.uniform(-1, 1, (4, 1, 1)))
    net.gone("Mul", "", net.constant(np.broadcast_to(column, (1, 4, 3, 3))))
    net.gone("Add", net.constant(np.broadcast_to(column, (4, 3, 3))), "")
    net.gone("Div", "", net.constant(np.broadcast_to(column, (4, 1, 3))))
    net.gone("Mul", "", net.constant(np.full((1, 1, 3, 3), 3)))
    net.gone("Mul", "", net.constant(np.full((3,), 3)))
    return net


@form
def constants_of_all_extents():
    return all_extents(True, "N")


@form
def constants_of_all_extents_that_the_ops_tell():
    return all_extents(False, "N")


@form
def constants_of_a_fixed_batch():
    net = Net(1, 3, 5, 5, batch=2)
    net.conv(4)
    column = np.exp(net.numbers.uniform(-1, 1, (4, 1, 1)))
    net.gone("Mul", "", net.constant(np.broadcast_to(column, (2, 4, 5, 5))))
    return net


@form
def a_figure_for_each_place_stays():
    net = Net(1, 3, 5, 5)
    net.conv(4)
    net.stay("Mul", "", net.figures(1, 4, 5, 5))
    return net


@form
def a_constant_that_widens_stays():
    net = Net(1, 3, 1, 1)
    net.conv(4)
    column = np.exp(net.numbers.uniform(-1, 1, (4, 1, 1)))
    net.stay("Mul", "", net.constant(np.broadcast_to(column, (4, 3, 3))), shape=[1, 4, 3, 3])
    return net


@form
def a_constant_that_may_widen_stays():
    net = Net(1, 3, 3, 3)
    net.input = [1, 3, "H", "W"]
    net.op("Conv", "", net.normal(4, 3, 1, 1), shape=[1, 4, "H", "W"])
    column = np.exp(net.numbers.uniform(-1, 1, (4, 1, 1)))
    net.stay("Mul", "", net.constant(np.broadcast_to(column, (4, 3, 3))))
    return net


def spelled_out(net, root):
    net.conv(4, bias=False)
    variance = net.constant(net.numbers.uniform(0.1, 2, (4, 1, 1)))
    shifted = net.side("Add", variance, net.constant(1e-3))
    factor = net.side("Mul", root(net, shifted), net.figures(4, 1, 1))
    offset = net.side("Mul", net.figures(4, 1, 1), factor)
    net.gone("Mul", "", factor)
    net.gone("Add", "", net.side("Sub", net.figures(4, 1, 1), offset))
    return net


@form
def rsqrt_as_sqrt_and_reciprocal():
    return spelled_out(Net(1, 3, 5, 5), lambda net, v: net.side("Reciprocal", net.side("Sqrt", v)))


@form
def rsqrt_as_sqrt_and_div():
    return spelled_out(Net(1, 3, 5, 5), lambda net, v: net.side("Div", net.constant(1), net.side("Sqrt", v)))


@form
def rsqrt_as_pow():
    return spelled_out(Net(1, 3, 5, 5), lambda net, v: net.side("Pow", v, net.constant(-0.5)))


@form
def rsqrt_as_exp_and_log():
    return spelled_out(Net(1, 3, 5, 5), lambda net, v: net.side(
        "Exp", net.side("Mul", net.side("Log", v), net.constant(-0.5))))


@form
def normalization_divided_by_a_root():
    net = Net(1, 3, 5, 5)
    net.conv(4, bias=False)
    net.gone("Sub", "", net.figures(1, 4, 1, 1))
    root = net.side("Sqrt", net.side("Add", net.constant(net.numbers.uniform(0.1, 2, (1, 4, 1, 1))), net.constant(1e-5)))
    net.gone("Div", "", root)
    net.gone("Mul", "", net.figures(1, 4, 1, 1))
    net.gone("Add", "", net.figures(1, 4, 1, 1))
    return net


@form
def constants_that_other_ops_make():
    net = Net(1, 3, 5, 5)
    net.conv(4)
    vector = net.figures(4)
    axes = net.constant([1, 2], np.int64)
    column = net.side("Unsqueeze", vector, axes)
    net.gone("Mul", "", column)
    net.gone("Add", "", net.side("Reshape", vector, net.constant([1, 4, 1, 1], np.int64)))
    net.gone("Mul", "", net.side("Identity", column))
    half = net.constant(net.numbers.uniform(1, 2, (4, 1, 1)), np.float16)
    net.gone("Mul", "", net.side("Cast", half, to=TensorProto.FLOAT))
    net.gone("Mul", "", net.side("Expand", net.constant(1.5), net.constant([4, 1, 1], np.int64)))
    net.gone("Add", "", net.side("ConstantOfShape", net.constant([4, 1, 1], np.int64),
                                 value=helper.make_tensor("value", TensorProto.FLOAT, [1], [0.75])))
    net.gone("Add", "", net.side("Constant", value_float=0.5))
    net.gone("Mul", "", net.side("Transpose", net.figures(1, 1, 4), perm=[2, 0, 1]))
    net.gone("Mul", "", net.side("Gather", net.figures(3, 4, 1, 1), net.constant(1, np.int64), axis=0))
    net.gone("Mul", "", net.side("Max", net.side("Abs", column), net.constant(0.1)))
    net.gone("Mul", "", net.side("Expand", net.constant(1.5), net.side("Shape", column)))
    net.gone("Mul", "", net.side("Sigmoid", column))
    net.gone("Add", "", net.side("ReduceMean", net.figures(4, 3, 3), axes=[1, 2], keepdims=1))
    return net


@form
def a_standardized_weight():
    """As BiT's convolutions have: (w - mean) / sqrt(variance), by ops."""
    net = Net(1, 3, 5, 5)
    weight = net.normal(4, 3, 1, 1)
    centred = net.side("Sub", weight, net.side("ReduceMean", weight, axes=[1, 2, 3], keepdims=1))
    variance = net.side("ReduceMean", net.side("Mul", centred, centred), axes=[1, 2, 3], keepdims=1)
    net.op("Conv", "", net.side("Div", centred, net.side("Sqrt", variance)), shape=[1, 4, 5, 5])
    net.gone("Mul", "", net.figures(4, 1, 1))
    return net


@form
def caffe_scale_behind_a_normalization():
    net = Net(1, 3, 5, 5)
    net.conv(4)
    net.gone("BatchNormalization", "", net.constant(np.ones(4)), net.constant(np.zeros(4)), net.normal(4),
             net.constant(net.numbers.uniform(0.1, 2, 4)))
    net.gone("Mul", "", net.figures(4, 1, 1))
    net.gone("Add", "", net.figures(4, 1, 1))
    return net


def around(kind, space, group, out=6):
    net = Net(1, 6, *[5] * space)
    net.codes()
    if kind != "ConvTranspose":
        net.gone("Add", "", net.figures(1, 6, *[1] * space))
    net.gone("Mul", "", net.figures(6, *[1] * space))
    net.conv(out, kernel=2, group=group, kind=kind)
    net.gone("Mul", "", net.figures(out, *[1] * space))
    net.gone("Add", "", net.figures(1, out, *[1] * space))
    net.gone("BatchNormalization", "", net.normal(out), net.normal(out), net.normal(out),
             net.constant(net.numbers.uniform(0.1, 2, out)))
    return net


for kind in ("Conv", "ConvTranspose"):
    for space in (1, 2, 3):
        for group in (1, 2, 6):
            for out in (6, 12):
                FORMS[f"around_{kind}{space}d_of_{group}_groups_and_{out}_channels"] = \
                    lambda kind=kind, space=space, group=group, out=out: around(kind, space, group, out)


@form
def what_is_added_in_front_of_padding_stays():
    net = Net(1, 4, 5, 5)
    net.codes()
    net.stay("Add", "", net.figures(4, 1, 1))
    net.conv(4, kernel=3, pads=[1, 1, 1, 1])
    return net


@form
def what_scales_in_front_of_padding():
    net = Net(1, 4, 5, 5)
    net.codes()
    net.gone("BatchNormalization", "", net.normal(4), net.constant(np.zeros(4)), net.constant(np.zeros(4)),
             net.constant(net.numbers.uniform(0.1, 2, 4)))
    net.conv(4, kernel=3, pads=[1, 1, 1, 1])
    return net


@form
def what_scales_in_front_of_a_pad_of_zeros():
    net = Net(1, 4, 5, 5)
    net.codes()
    net.gone("Mul", "", net.figures(4, 1, 1))
    net.op("Pad", "", net.constant([0, 0, 1, 1, 0, 0, 1, 1], np.int64), shape=[1, 4, 7, 7])
    net.conv(4, kernel=3)
    return net


@form
def what_is_added_in_front_of_a_pad_of_zeros_stays():
    net = Net(1, 4, 5, 5)
    net.codes()
    net.stay("Add", "", net.figures(4, 1, 1))
    net.op("Pad", "", net.constant([0, 0, 1, 1, 0, 0, 1, 1], np.int64), shape=[1, 4, 7, 7])
    net.conv(4, kernel=3)
    return net


@form
def all_in_front_of_a_pad_that_reflects():
    net = Net(1, 4, 5, 5)
    net.codes()
    net.gone("Mul", "", net.figures(4, 1, 1))
    net.gone("Add", "", net.figures(4, 1, 1))
    net.op("Pad", "", net.constant([0, 0, 1, 1, 0, 0, 1, 1], np.int64), shape=[1, 4, 7, 7], mode="reflect")
    net.conv(4, kernel=3)
    return net


# Gemm and MatMul --------------------------------------------------------------------------------


def around_gemm(bias, **attributes):
    transposed = attributes.get("transA", 0)
    net = Net(*((6, 6) if transposed else (1, 6)), batch=6 if transposed else "N")
    net.codes("MatMul")
    form = [6, 1] if transposed else [1, 6]
    net.gone("Mul", "", net.figures(*form))
    net.gone("Add", "", net.figures(*form))
    weight = net.normal(*((4, 6) if attributes.get("transB", 0) else (6, 4)))
    net.op("Gemm", "", weight, *([] if bias is None else [net.normal(*bias)]), shape=[net.shape[0], 4], **attributes)
    net.gone("Mul", "", net.figures(4))
    net.gone("Sub", net.figures(1, 4), "")
    net.gone("BatchNormalization", "", net.normal(4), net.normal(4), net.normal(4),
             net.constant(net.numbers.uniform(0.1, 2, 4)))
    return net


for transposed in (0, 1):
    for bias in (None, [], [4], [1, 4]):
        FORMS[f"around_gemm_transB_{transposed}_bias_{bias}"] = lambda t=transposed, b=bias: around_gemm(b, transB=t)
    FORMS[f"around_gemm_that_scales_transB_{transposed}"] = \
        lambda t=transposed: around_gemm([4], transB=t, alpha=0.5, beta=2.0)
    FORMS[f"around_gemm_transA_transB_{transposed}"] = lambda t=transposed: around_gemm([4], transB=t, transA=1)


@form
def a_gemm_that_scales_gets_no_bias():
    """It has an integer kernel as long as it has none."""
    net = Net(1, 6)
    net.codes("MatMul")
    net.stay("Add", "", net.figures(6))
    net.op("Gemm", "", net.normal(6, 4), alpha=0.5, beta=2.0, shape=[1, 4])
    net.gone("Mul", "", net.figures(4))
    net.stay("Add", "", net.figures(4))
    return net


@form
def a_gemm_without_its_bias():
    net = Net(1, 6)
    net.op("Gemm", "", net.normal(6, 4), net.normal(4), beta=0.0, shape=[1, 4])
    net.gone("Mul", "", net.figures(4))
    return net


def around_matmul(rank, weight_rank, chain):
    net = Net(1, *[2, 5, 6][4 - rank:])
    net.codes("MatMul")
    net.gone("Mul", "", net.figures(6))
    shape = [*([2] if weight_rank > 2 else []), 6, 4]
    net.op("MatMul", "", net.normal(*shape), shape=[*net.shape[:-1], 4])
    for kind in chain:
        (net.gone if kind.islower() else net.op)(kind.capitalize(), "", net.figures(4))
    return net


# An upper case letter: the op that stays, and takes what is behind it.
for rank in (2, 3, 4):
    for chain in (["mul"], ["mul", "div"], ["Add"], ["mul", "Add", "mul"], ["Add", "mul", "add", "sub"],
                  ["mul", "Sub", "mul", "add"], ["Sub", "sub"]):
        FORMS[f"around_matmul_of_rank_{rank}_{'_'.join(chain)}"] = \
            lambda rank=rank, chain=chain: around_matmul(rank, 2, chain)
FORMS["around_matmul_of_stacked_weights"] = lambda: around_matmul(4, 3, ["mul", "Add", "mul"])


@form
def a_normalization_behind_matmul_takes_what_is_behind_it():
    net = Net(1, 6)
    net.op("MatMul", "", net.normal(6, 4), shape=[1, 4])
    net.gone("Mul", "", net.figures(4))
    net.op("BatchNormalization", "", net.normal(4), net.normal(4), net.normal(4),
           net.constant(net.numbers.uniform(0.1, 2, 4)))
    net.gone("Mul", "", net.figures(4))
    net.gone("Add", "", net.figures(4))
    return net


@form
def layer_scale():
    net = Net(1, 5, 6)
    net.op("MatMul", "", net.normal(6, 6))
    before = net.op("Relu", "")
    net.op("MatMul", "", net.normal(6, 6))
    net.op("Add", net.normal(6), "")
    net.gone("Mul", net.constant(np.full(6, 1e-5) * np.exp(net.numbers.uniform(-1, 1, 6))), "")
    net.op("Add", before, "")
    return net


def left_matmul(rank, chain=("mul", "Add", "mul")):
    """The weight is the first operand: channels are rows of the result."""
    net = Net(1, *[3, 6, 5][4 - rank:])
    net.codes("MatMul")
    net.gone("Mul", "", net.figures(6, 1))
    net.op("MatMul", net.normal(4, 6), "", shape=[*net.shape[:-2], 4, net.shape[-1]])
    for kind in chain:
        (net.gone if kind.islower() else net.op)(kind.capitalize(), "", net.figures(4, 1))
    return net


for rank in (3, 4):
    for chain in (["mul"], ["mul", "Add", "mul"], ["Add", "add", "mul"], []):
        FORMS[f"weight_on_the_left_of_rank_{rank}_{'_'.join(chain)}"] = \
            lambda rank=rank, chain=chain: left_matmul(rank, chain)


@form
def figures_of_columns_behind_a_weight_on_the_left_stay():
    net = Net(1, 6, 6)
    net.op("MatMul", net.normal(6, 6), "")
    net.stay("Mul", "", net.figures(6))
    return net


# Where folding ends -----------------------------------------------------------------------------


@form
def weights_that_two_ops_share():
    net = Net(1, 3, 5, 5)
    weight = net.normal(3, 3, 1, 1)
    for _ in range(2):
        net.op("Conv", "", weight)
        net.gone("Mul", "", net.figures(3, 1, 1))
        net.op("Relu", "")
    return net


@form
def constants_that_two_chains_share():
    net = Net(1, 3, 5, 5)
    factor = net.figures(3, 1, 1)
    for _ in range(2):
        net.conv(3)
        net.gone("Mul", "", factor)
        net.op("Relu", "")
    return net


@form
def one_weight_as_its_own_constant():
    net = Net(1, 3)
    vector = net.figures(3)
    net.op("Gemm", "", net.normal(3, 3), vector)
    net.gone("Mul", "", vector)
    net.gone("Add", "", vector)
    return net


@form
def a_second_reader_ends_it():
    net = Net(1, 3, 5, 5)
    before = net.conv(3)
    net.stay("Mul", "", net.figures(3, 1, 1))
    net.op("Add", "", before)
    return net


@form
def an_output_ends_it():
    net = Net(1, 3, 5, 5)
    net.outputs.append(net.conv(3))
    net.stay("Mul", "", net.figures(3, 1, 1))
    return net


def factor(value, name="gone", kind="Mul"):
    net = Net(1, 3, 5, 5)
    net.conv(3)
    numbers = np.array([1, 2, value], np.float32).reshape(3, 1, 1)
    net.op(kind, "", net.constant(numbers), name=name)
    return net


FORMS["a_factor_of_zero"] = lambda: factor(0)
FORMS["a_negative_factor"] = lambda: factor(-3)
FORMS["a_divisor_of_zero"] = lambda: factor(0, "stay", "Div")
FORMS["an_infinite_divisor_is_a_factor_of_zero"] = lambda: factor(np.inf, "gone", "Div")
for value in (np.inf, -np.inf, np.nan, 3e38):
    FORMS[f"a_factor_of_{value}"] = lambda value=value: factor(value, "stay")
for value in (np.inf, -np.inf, np.nan):
    FORMS[f"{value}_that_is_added"] = lambda value=value: factor(value, "stay", "Add")
FORMS["a_factor_below_all_normal_numbers"] = lambda: factor(TINY / 64, "stay")
FORMS["a_divisor_below_all_normal_numbers"] = lambda: factor(TINY / 64, "stay", "Div")


@form
def factors_that_take_each_other_back():
    net = Net(1, 3, 5, 5)
    net.conv(3)
    net.gone("Mul", "", net.constant(1e-30))
    net.gone("Mul", "", net.constant(1e30))
    return net


@form
def a_factor_that_only_its_end_loses():
    """What is in front of it can be folded, and is."""
    net = Net(1, 3, 5, 5)
    net.conv(3)
    net.gone("Mul", "", net.figures(3, 1, 1))
    net.stay("Mul", "", net.constant(1e-40))
    return net


@form
def a_negative_variance_stays():
    net = Net(1, 3, 5, 5)
    net.conv(3)
    net.stay("BatchNormalization", "", net.normal(3), net.normal(3), net.normal(3), net.constant([1, -1, 1]))
    return net


def session(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check(net, sandbox):
    model = net.model()
    path, written = sandbox.path / "net.onnx", sandbox.path / "folded.onnx"
    onnx.save(model, str(path))
    extents = [3 if isinstance(one, str) else one for one in net.input]
    samples = net.batch if isinstance(net.batch, int) else 3
    x = np.random.default_rng(1).standard_normal([samples, *extents[1:]]).astype(np.float32)
    np.savez(sandbox.path / "data.npz", x=x)
    recipe = sandbox.write("recipe.json", json.dumps({"op_type_dict": {node.op_type: "fp32" for node in net.nodes}}))
    sandbox.run("quantize", path, "--data", sandbox.path / "data.npz", "--recipe", recipe, "-o", written)
    left = {node.name for node in onnx.load(str(written)).graph.node}
    missed = [node.name + " " + node.op_type for node in net.nodes if node.name.startswith("gone") and node.name in left]
    assert not missed, f"still there: {missed}"
    lost = [node.name for node in net.nodes if node.name.startswith("stay") and node.name not in left]
    assert not lost, f"folded: {lost}"
    before, after = session(path).run(None, {"x": x})[0], session(written).run(None, {"x": x})[0]
    assert before.shape == after.shape, f"{before.shape} became {after.shape}"
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-4 * np.abs(before[np.isfinite(before)]).max(initial=0))


def main():
    onnxruntime.set_default_logger_severity(4)
    sandbox = harness.Sandbox()
    failed = 0
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    names = [name for name in FORMS if wanted in name]
    for name in names:
        try:
            check(FORMS[name](), sandbox)
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    print(f"{len(names)} forms, {failed} failed")
    harness.check(not failed, "each form is folded, or left where that would be another function")


if __name__ == "__main__":
    main()
