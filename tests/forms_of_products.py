# SPDX-License-Identifier: Apache-2.0
"""Constants around Gemms and MatMuls, as exporters leave them (folded_forms.py)."""

import numpy as np

from fold_net import Net

FORMS = {}


def form(function):
    FORMS[function.__name__] = function
    return function


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
