# SPDX-License-Identifier: Apache-2.0
"""The faults: each damages one op of a file and says which names and which rules stand for it."""

import numpy as np
import onnx
from faults.edit import ACTIVATIONS

WEIGHT = {"changed_weight", "weight_scales"}
RANGE = {"clipped_range", "wasted_range"}


# ---- scales and zero points
def change_values(m, change, alone):
    node, writes, reads = m.pick(m.values())
    names = m.value_names(node.output[0] if node.op_type != "QuantizeLinear" else node.input[0])
    names = names.union(*[m.names(mover) for mover in m.movers(node.output[0])])
    for place in (reads if alone else writes + reads):
        for position, array in change(m, *place).items():
            m.set(place[0], position, array)
    return names


def factor(m):
    by = np.float32(m.rng.choice((0.5, 2)))
    return lambda m, node, scale, zero: {scale: m.array(node.input[scale]) * by}


def offset(m):
    by = m.rng.choice((-8, 8))

    def change(m, node, scale, zero):
        if len(node.input) <= zero or not node.input[zero]:
            raise LookupError("no zero point")
        old = m.array(node.input[zero])
        limits = np.iinfo(old.dtype)
        signed = by if np.all((old.astype(int) + by >= limits.min) & (old.astype(int) + by <= limits.max)) else -by
        return {zero: (old.astype(int) + signed).astype(old.dtype)}
    return change


def scale_both(m):
    """Codes of twice the scale reach beyond the bounds of a Clip that they stood for: that is told as `changed_op`. They do
    not belong to the bias behind them any more: that is told as `unequal_codes`."""
    return (change_values(m, factor(m), alone=False),
            RANGE | {"rounding", "outlier_activation", "outlier_channel", "changed_op", "unequal_codes"})


def scale_read(m):
    return change_values(m, factor(m), alone=True), {"unequal_codes"}


def zero_both(m):
    """Codes of a Relu's result that reach below zero have lost it: that is told as `changed_op`, with the zero point."""
    return change_values(m, offset(m), alone=False), RANGE | {"changed_op", "shifted_codes"}


def zero_read(m):
    return change_values(m, offset(m), alone=True), {"unequal_codes"}


def exchanged(m):
    """The two data inputs of an Add, Mul, Sub or Div: their scales where the order does not matter, else themselves."""
    found = []
    for node in m.graph.node:
        if node.op_type in ("QLinearAdd", "QLinearMul"):
            found.append(node)
        if node.op_type in ("Add", "Mul", "Sub", "Div", "MatMul") and len(node.input) == 2:
            makers = [m.maker.get(name) for name in node.input]
            if node.op_type in ("Sub", "Div"):
                if all(name in m.maker or name in m.inputs for name in node.input) and not any(map(m.constant, node.input)):
                    found.append(node)
            elif all(d is not None and d.op_type == "DequantizeLinear" and d.input[0] not in m.weights for d in makers):
                found.append(node)
    node = m.pick(found)
    if node.op_type in ("Sub", "Div"):
        node.input[0], node.input[1] = node.input[1], node.input[0]
        return m.names(node), {"changed_op"}
    if node.op_type.startswith("QLinear"):
        for a, b in ((1, 4), (2, 5)):
            node.input[a], node.input[b] = node.input[b], node.input[a]
        return m.names(node), {"unequal_codes"}
    makers = [m.maker[name] for name in node.input]
    if any(len(d.input) != 3 for d in makers):
        raise LookupError("no zero points")
    if m.array(makers[0].input[2]).dtype != m.array(makers[1].input[2]).dtype:
        raise LookupError("codes of two types")
    for own, other, side in ((makers[0], makers[1], 0), (makers[1], makers[0], 1)):
        copy = onnx.NodeProto()
        copy.CopyFrom(own)
        copy.name, copy.output[0] = own.name + f"_{side}", own.output[0] + f"_{side}"
        copy.input[1], copy.input[2] = other.input[1], other.input[2]
        node.input[side] = copy.output[0]
        m.graph.node.insert(list(m.graph.node).index(node), copy)
    m.prune()
    return m.names(node), {"unequal_codes"}


# ---- weights
def some(m, count):
    take = max(2, int(count * m.rng.choice((0.1, 0.3, 0.6))))
    return m.rng.sample(range(count), min(take, count))


def channels_swapped(m):
    weight = m.pick([w for w in m.weighted() if w.read()[0].shape[0] > 1])
    codes, scale, dtype = weight.read()
    chosen = some(m, codes.shape[0])
    codes[chosen] = codes[np.roll(chosen, 1)]
    if scale.size > 1 and m.rng.random() < 0.5:
        scale[chosen] = scale[np.roll(chosen, 1)]
        weight.write_scale(scale)
    weight.write(codes, dtype)
    return m.names(weight.op), WEIGHT


def channels_negated(m):
    weight = m.pick(m.weighted())
    codes, _, dtype = weight.read()
    zero = np.broadcast_to(weight.zero(), codes.shape[:1]).reshape(-1, *[1] * (codes.ndim - 1))
    chosen = some(m, codes.shape[0])
    codes[chosen] = (2 * zero - codes)[chosen]
    weight.write(codes, dtype)
    return m.names(weight.op), WEIGHT


def kernel_flipped(m):
    weight = m.pick([w for w in m.weighted() if w.read()[0].ndim == 4 and w.read()[0].shape[-1] > 1])
    codes, _, dtype = weight.read()
    weight.write(codes[..., ::-1, ::-1], dtype)
    return m.names(weight.op), WEIGHT


def kernel_transposed(m):
    def is_square(codes):
        return codes.shape[-1] == codes.shape[-2] > 1
    weight = m.pick([w for w in m.weighted() if is_square(w.read()[0])])
    codes, _, dtype = weight.read()
    weight.write(np.swapaxes(codes, -1, -2), dtype)
    return m.names(weight.op), WEIGHT


def weight_times(m):
    weight = m.pick(m.weighted())
    codes, scale, dtype = weight.read()
    if m.rng.random() < 0.5:
        weight.write_scale(scale * np.float32(1.1))
    else:
        weight.write(np.round((codes - weight.zero().reshape(-1, *[1] * (codes.ndim - 1))) * 1.1).astype(np.int64)
                     + weight.zero().reshape(-1, *[1] * (codes.ndim - 1)), dtype)
    return m.names(weight.op), WEIGHT


def wrapped(m):
    weight = m.pick(m.weighted())
    codes, scale, dtype = weight.read()
    zero = weight.zero().reshape(-1, *[1] * (codes.ndim - 1))
    wide = np.round((codes - zero) * 1.5).astype(np.int64) + zero
    least = np.iinfo(dtype).min
    weight.write((wide - least) % 256 + least, dtype)
    weight.write_scale(scale / np.float32(1.5))
    return m.names(weight.op), WEIGHT


def pruned(m):
    weight = m.pick(m.weighted())
    codes, _, dtype = weight.read()
    zero = weight.zero().reshape(-1, *[1] * (codes.ndim - 1))
    far = np.abs(codes - zero)
    bound = np.quantile(far, m.rng.choice((0.5, 0.7, 0.9)))
    weight.write(np.where(far <= bound, zero, codes), dtype)
    return m.names(weight.op), WEIGHT


def three_bits(m):
    weight = m.pick(m.weighted())
    codes, _, dtype = weight.read()
    zero = weight.zero().reshape(-1, *[1] * (codes.ndim - 1))
    step = np.abs(codes - zero).max() / 3
    weight.write(np.round(np.round((codes - zero) / step) * step).astype(np.int64) + zero, dtype)
    return m.names(weight.op), WEIGHT


# ---- ops
def bias_zeroed(m):
    found = []
    for node in m.graph.node:
        at = {"Conv": 2, "Gemm": 2, "QLinearConv": 8}.get(node.op_type)
        if at is None or len(node.input) <= at:
            continue
        maker = m.maker.get(node.input[at])
        place = (maker, 0) if maker is not None and maker.op_type == "DequantizeLinear" else (node, at)
        if place[0].input[place[1]] in m.weights:
            found.append((node, *place))
    op, node, position = m.pick(found)
    m.set(node, position, np.zeros_like(m.array(node.input[position])))
    return m.names(op), {"lost_bias"}


def padding(m):
    found = [(n, a) for n in m.graph.node if n.op_type in ("Conv", "QLinearConv", "MaxPool", "AveragePool")
             for a in n.attribute if a.name == "pads" and any(a.ints)]
    node, attribute = m.pick(found)
    pads, half = list(attribute.ints), len(attribute.ints) // 2
    sums = [pads[i] + pads[half + i] for i in range(half)]
    begin = [0 if pads[i] else sums[i] for i in range(half)]
    attribute.ints[:] = begin + [s - b for s, b in zip(sums, begin)]
    return m.names(node), {"changed_op"}


def activation_dropped(m):
    node = m.pick([n for n in m.graph.node if n.op_type in ACTIVATIONS and n.input[0] in m.maker])
    names = m.names(node) | m.value_names(node.input[0])
    for reader in m.graph.node:
        for position, name in enumerate(reader.input):
            if name == node.output[0]:
                reader.input[position] = node.input[0]
    m.prune()
    return names, {"changed_op"}


def constants(m, in_norm):
    found = []
    for node in m.graph.node:
        if node.op_type in ("BatchNormalization", "LayerNormalization", "InstanceNormalization") and in_norm:
            found += [(node, p) for p in (1, 2) if len(node.input) > p and m.constant(node.input[p])]
        if node.op_type not in ("Mul", "Add", "Sub", "Div"):
            continue
        for p, name in enumerate(node.input):
            if m.constant(name) and is_in_norm(m, node) == in_norm:
                found.append((node, p))
    return found


def is_in_norm(m, node, steps=4):
    if node is None or steps == 0:
        return False
    if node.op_type in ("Sqrt", "Reciprocal", "Rsqrt"):
        return True
    through = ("Mul", "Add", "Sub", "Div", "QuantizeLinear", "DequantizeLinear")
    return node.op_type in through and any(is_in_norm(m, m.maker.get(n), steps - (node.op_type in ("Mul", "Add")))
                                           for n in node.input if n not in m.weights)


def change_constant(m, in_norm):
    node, position = m.pick(constants(m, in_norm))
    maker, name = m.constant(node.input[position])
    how = m.rng.choice(("times", "rolled", "negated"))
    if maker is None:
        array = m.array(name)
        array = {"times": array * array.dtype.type(1.5), "rolled": np.roll(array, 1) + array.dtype.type(array.size == 1),
                 "negated": -array}[how]
        m.set(node, position, array)
    elif how == "rolled" and m.array(maker.input[0]).size > 1:
        m.set(maker, 0, np.roll(m.array(maker.input[0]), max(1, m.array(maker.input[0]).size // 3)))
    else:
        m.set(maker, 1, m.array(maker.input[1]) * np.float32(1.5 if how == "times" else 0.6))
    return m.names(node), {"changed_op"}


def norm_constant(m):
    return change_constant(m, True)


def other_constant(m):
    return change_constant(m, False)


def preprocessing(m):
    """Of the data; the file stays as it is. Where the mean is taken off inside, that op shows it."""
    first = {n.name for n in m.float_nodes.values() if n.op_type in ("Add", "Sub", "Mul", "Div") and set(n.input) & set(m.inputs)}
    return set(m.inputs) | first, {"unlike_data"}


FAULTS = [scale_both, scale_read, zero_both, zero_read, exchanged, channels_swapped, channels_negated, kernel_flipped,
          kernel_transposed, weight_times, wrapped, pruned, three_bits, bias_zeroed, padding, activation_dropped,
          norm_constant, other_constant, preprocessing]
