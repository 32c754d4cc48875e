# SPDX-License-Identifier: Apache-2.0
"""Constants around Convs and ConvTransposes, as exporters leave them (folded_forms.py)."""

import numpy as np
from onnx import TensorProto, helper

from fold_net import Net

FORMS = {}


def form(function):
    FORMS[function.__name__] = function
    return function


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
