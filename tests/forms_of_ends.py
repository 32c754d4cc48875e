# SPDX-License-Identifier: Apache-2.0
"""Where folding of constants ends, and what their numbers may be (folded_forms.py)."""

import numpy as np

from fold_net import Net

TINY = np.finfo(np.float32).tiny  # the least normal number
FORMS = {}


def form(function):
    FORMS[function.__name__] = function
    return function


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
