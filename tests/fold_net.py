# SPDX-License-Identifier: Apache-2.0
"""A small graph that grows at its end, for forms in which constants stand around an op (folded_forms.py)."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


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
