# SPDX-License-Identifier: Apache-2.0
"""A quantized ONNX file, in QDQ or QOperator form, one op of which is to be damaged."""

import numpy as np
import onnx
from onnx import numpy_helper

# (codes, scale, zero point) of inputs, and (scale, zero point) of the output, by position
CODE_INPUTS = {
    "DequantizeLinear": [(0, 1, 2)],
    "QLinearConv": [(0, 1, 2)],
    "QLinearMatMul": [(0, 1, 2), (3, 4, 5)],
    "QLinearAdd": [(0, 1, 2), (3, 4, 5)],
    "QLinearMul": [(0, 1, 2), (3, 4, 5)],
    "QLinearGlobalAveragePool": [(0, 1, 2)],
    "QLinearAveragePool": [(0, 1, 2)],
}
CODE_OUTPUT = {"QuantizeLinear": (1, 2), "QLinearConv": (6, 7), "QLinearMatMul": (6, 7), "QLinearAdd": (6, 7),
               "QLinearMul": (6, 7), "QLinearGlobalAveragePool": (3, 4), "QLinearAveragePool": (3, 4),
               "QLinearConcat": (0, 1)}
MOVES_CODES = ("MaxPool", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Identity")
ACTIVATIONS = ("Relu", "Clip", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid", "LeakyRelu", "Erf", "Gelu", "PRelu", "Elu")
FOLDED = ("Relu", "Clip", "BatchNormalization")


def code_inputs(node):
    if node.op_type == "QLinearConcat":
        return [(i, i + 1, i + 2) for i in range(2, len(node.input) - 2, 3)]
    return CODE_INPUTS.get(node.op_type, [])


class Weight:
    """Codes that an op multiplies by; `edit` gives new ones to this op alone."""

    def __init__(self, damaged, op, node, positions, axis):
        self.damaged, self.op, self.node, self.positions, self.axis = damaged, op, node, positions, axis

    def read(self):
        """Codes as int64 with channels first, scale by channel, the codes' type."""
        codes = self.damaged.array(self.node.input[self.positions[0]])
        scale = self.damaged.array(self.node.input[self.positions[1]]).reshape(-1)
        return np.moveaxis(codes.astype(np.int64), self.axis, 0), scale, codes.dtype

    def zero(self):
        at = self.positions[2]
        if len(self.node.input) <= at or not self.node.input[at]:
            return np.int64(0)
        return self.damaged.array(self.node.input[at]).astype(np.int64).reshape(-1)

    def write(self, codes, dtype):
        limits = np.iinfo(dtype)
        codes = np.moveaxis(np.clip(codes, limits.min, limits.max), 0, self.axis).astype(dtype)
        self.damaged.set(self.node, self.positions[0], codes)

    def write_scale(self, scale):
        old = self.damaged.array(self.node.input[self.positions[1]])
        self.damaged.set(self.node, self.positions[1], scale.astype(old.dtype).reshape(old.shape))


class Damaged:
    def __init__(self, path, reference, rng):
        self.model = onnx.load(path)
        self.graph = self.model.graph
        self.rng = rng
        self.weights = {i.name: i for i in self.graph.initializer}
        self.maker = {o: n for n in self.graph.node for o in n.output}
        self.readers = {}
        for node in self.graph.node:
            for position, name in enumerate(node.input):
                self.readers.setdefault(name, []).append((node, position))
        graph = onnx.load(reference, load_external_data=False).graph
        self.inputs = [i.name for i in graph.input]
        self.float_maker = {o: n for n in graph.node for o in n.output}
        self.float_nodes = {n.name: n for n in graph.node}

    # ---- constants
    def array(self, name):
        return numpy_helper.to_array(self.weights[name]).copy()

    def set(self, node, position, array):
        """This node alone reads another constant."""
        name = f"{node.input[position]}_{position}_{len(self.graph.initializer)}"
        self.graph.initializer.append(numpy_helper.from_array(np.array(array, order="C"), name))
        self.weights[name] = self.graph.initializer[-1]
        node.input[position] = name

    def constant(self, name):
        """(node, position) where a constant is stored, as floats or as codes; nothing where it is none."""
        if name in self.weights:
            return None if self.weights[name].data_type not in (1, 10) else (None, name)
        maker = self.maker.get(name)
        if maker is not None and maker.op_type == "DequantizeLinear" and maker.input[0] in self.weights:
            return (maker, name)
        return None

    def pick(self, choices):
        if not choices:
            raise LookupError("the model has no such op")
        return self.rng.choice(choices)

    # ---- names in the float model
    def names(self, node):
        """What people call the op of the float model that a node of this file computes."""
        found = None
        for output in node.output:
            for end in ("", "_quantized", "_QuantizeLinear_Input", "_DequantizeLinear_Output"):
                stem = output.removesuffix(end) if end else output
                found = found or self.float_maker.get(stem)
        found = found or self.float_nodes.get(node.name) or self.float_nodes.get(node.name.removesuffix("_quant"))
        if found is None:
            raise LookupError(f"{node.name} is no op of the float model")
        names = {found.name}
        own = self.float_nodes.get(node.name)  # it may end in what was folded into it
        if own is not None and own.op_type == node.op_type:
            names.add(own.name)
        while found is not None and found.op_type in FOLDED:
            found = self.float_maker.get(found.input[0])
            if found is not None:
                names.add(found.name)
        return names

    def value_names(self, tensor):
        """The op that makes a value, or the graph's input, and the ops on the way that only move it."""
        names = set()
        while tensor not in self.inputs:
            maker = self.maker[tensor]
            if maker.op_type not in ("QuantizeLinear", "DequantizeLinear"):
                names |= self.names(maker)
                if maker.op_type not in MOVES_CODES:
                    return names
            tensor = maker.input[0]
        return names | {tensor}

    # ---- places
    def weighted(self):
        found = []
        for node in self.graph.node:
            if node.op_type == "QLinearConv":
                found.append(Weight(self, node, node, (3, 4, 5), 0))
            if node.op_type not in ("Conv", "MatMul", "Gemm") or len(node.input) < 2:
                continue
            maker = self.maker.get(node.input[1])
            if maker is None or maker.op_type != "DequantizeLinear" or maker.input[0] not in self.weights:
                continue
            rank = len(self.weights[maker.input[0]].dims)
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            axis = 0 if node.op_type == "Conv" or transposed else rank - 1
            found.append(Weight(self, node, maker, (0, 1, 2), axis))
        return found

    def values(self):
        """(tensor of codes, [(node, scale, zero point)] that write it, the same that read it)"""
        found = []
        for node in self.graph.node:
            if node.op_type not in CODE_OUTPUT or not node.output:
                continue
            if node.op_type == "QuantizeLinear" and node.input[0] in self.weights:
                continue
            writes = [(node, *CODE_OUTPUT[node.op_type])]
            reads, waiting = [], [node.output[0]]
            while waiting:
                tensor = waiting.pop()
                for reader, position in self.readers.get(tensor, []):
                    reads += [(reader, s, z) for x, s, z in code_inputs(reader) if x == position]
                    if reader.op_type in MOVES_CODES:
                        waiting.append(reader.output[0])
            if reads:
                found.append((node, writes, reads))
        return found

    def movers(self, tensor):
        """Ops of other than Reshape's kind through which the codes of a tensor go as they are."""
        found = [n for n, _ in self.readers.get(tensor, []) if n.op_type == "MaxPool"]
        return found + [m for n in found for m in self.movers(n.output[0])]

    def prune(self):
        """Leaves out what nothing reads any more."""
        outputs = {o.name for o in self.graph.output}
        while True:
            read = {name for n in self.graph.node for name in n.input} | outputs
            dead = [n for n in self.graph.node if not any(o in read for o in n.output)]
            if not dead:
                return
            for node in dead:
                self.graph.node.remove(node)
