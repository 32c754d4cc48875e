# SPDX-License-Identifier: Apache-2.0
"""Models of old operators compute the same after they are converted to opset 13, op by op.

Each small model is quantized with a recipe that keeps every op in float, so that what is written is the converted model;
both are run by ONNX Runtime, or, where it no longer knows the old operators, by hand in NumPy.
"""

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NUMBERS = np.random.default_rng(0)
X = NUMBERS.standard_normal([1, 4, 6, 6]).astype(np.float32)
STAYS = 'op_type_dict: {".*": {activation: {dtype: fp32}}}\n'


def model(opset, nodes, weights=(), elem=TensorProto.FLOAT):
    """From x to y, the last node's output."""
    inputs = [helper.make_tensor_value_info("x", elem, [1, 4, 6, 6])]
    arrays = [numpy_helper.from_array(array, name) for name, array in weights]
    if opset < 9:  # weights had to be inputs
        inputs += [helper.make_tensor_value_info(a.name, a.data_type, list(a.dims)) for a in arrays]
    outputs = [helper.make_tensor_value_info("y", elem, None)]
    graph = helper.make_graph(nodes, "old", inputs, outputs, arrays)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=3 if opset < 9 else 6)


def op(kind, inputs="x", output="y", **attributes):
    return helper.make_node(kind, inputs.split(), output.split(), name=f"my_{kind}_{output.split()[0]}", **attributes)


def f32(*values):
    return np.array(values, np.float32)


SCALES_UP = f32(1, 1, 2, 3)
SCALES_DOWN = f32(1, 1, 0.5, 0.5)

# What ONNX Runtime still runs in the old form.
RUN_BOTH = {
    "clip_6": model(10, [op("Clip", min=-0.5, max=0.25)]),
    "clip_6_below": model(10, [op("Clip", min=0.1)]),
    "clip_6_above": model(10, [op("Clip", max=0.1)]),
    "pad_2": model(10, [op("Pad", pads=[0, 0, 1, 0, 0, 0, 2, 1], value=1.5)]),
    "pad_2_reflect": model(10, [op("Pad", pads=[0, 0, 1, 1, 0, 0, 2, 1], mode="reflect")]),
    "slice_1": model(9, [op("Slice", starts=[1, -3], ends=[3, 100], axes=[1, 3])]),
    "slice_1_plain": model(9, [op("Slice", starts=[0, 1], ends=[1, 3])]),
    "split_2": model(12, [op("Split", "x", "a b", axis=1, split=[1, 3]), op("Identity", "b", "y")]),
    "split_even": model(12, [op("Split", "x", "a b", axis=1), op("Add", "a b", "y")]),
    "squeeze": model(12, [op("Squeeze", axes=[0])]),
    "squeeze_all": model(12, [op("Squeeze")]),
    "unsqueeze": model(12, [op("Unsqueeze", axes=[0, 3])]),
    "reduce_sum": model(12, [op("ReduceSum", axes=[1, -1], keepdims=0)]),
    "reduce_sum_all": model(12, [op("ReduceSum")]),
    "softmax_1": model(12, [op("Softmax", axis=1)]),
    "softmax_default": model(9, [op("Softmax")]),
    "softmax_last": model(12, [op("Softmax", axis=3)]),
    "log_softmax_2": model(12, [op("LogSoftmax", axis=2)]),
    "hardmax_1": model(12, [op("Hardmax", axis=1)]),
    "dropout": model(9, [op("Dropout", ratio=0.7)]),
    "dropout_12": model(11, [op("Dropout", "x", "y mask", ratio=0.7)]),
    "upsample_7": model(7, [op("Upsample", scales=[1.0, 1.0, 2.0, 3.0], mode="nearest")]),
    "upsample_9": model(9, [op("Upsample", "x s", mode="nearest")], [("s", SCALES_UP)]),
    "upsample_9_linear": model(9, [op("Upsample", "x s", mode="linear")], [("s", SCALES_UP)]),
    "resize_10": model(10, [op("Resize", "x s", mode="nearest")], [("s", SCALES_UP)]),
    "resize_10_down": model(10, [op("Resize", "x s", mode="nearest")], [("s", SCALES_DOWN)]),
    "resize_10_linear": model(10, [op("Resize", "x s", mode="linear")], [("s", SCALES_DOWN)]),
    "top_k_1": model(9, [op("TopK", "x", "y indices", k=3, axis=2)]),
    "scatter": model(10, [op("Scatter", "x i u", axis=2)],
                     [("i", np.zeros([1, 4, 1, 6], np.int64)), ("u", np.ones([1, 4, 1, 6], np.float32))]),
    "batch_norm_7": model(7, [op("BatchNormalization", "x s b m v", epsilon=1e-3, spatial=1)],
                          [("s", f32(1, 2, 3, 4)), ("b", f32(1, 0, -1, 2)), ("m", f32(0, 1, 0, 1)), ("v", f32(1, 2, 1, 3))]),
    "sum_two": model(9, [op("Sum", "x x")]),
    "sum_three": model(9, [op("Sum", "x x x")]),
    "prelu_9": model(9, [op("PRelu", "x s")], [("s", f32(0.1, 0.2, 0.3, 0.4).reshape(4, 1, 1))]),
    "unchanged": model(9, [op("Conv", "x w")], [("w", NUMBERS.standard_normal([2, 4, 3, 3]).astype(np.float32))]),
}

C = f32(1, 2, 3, 4)
# What it no longer runs: the result by NumPy.
BY_HAND = {
    "clip_double": (model(10, [op("Cast", "x", "d", to=TensorProto.DOUBLE), op("Relu", "d", "r"),
                              op("Clip", "r", "c", max=0.3), op("Cast", "c", "y", to=TensorProto.FLOAT)]),
                    np.minimum(np.maximum(X, 0), 0.3)),
    "add_6_axis": (model(6, [op("Add", "x c", broadcast=1, axis=1)], [("c", C)]), X + C.reshape(4, 1, 1)),
    "mul_6_negative_axis": (model(6, [op("Mul", "x c", broadcast=1, axis=-3)], [("c", C)]), X * C.reshape(4, 1, 1)),
    "sub_6_suffix": (model(6, [op("Sub", "x c", broadcast=1)], [("c", f32(1, 2, 3, 4, 5, 6))]), X - f32(1, 2, 3, 4, 5, 6)),
    "prelu_6": (model(6, [op("PRelu", "x c")], [("c", C)]), np.where(X < 0, X * C.reshape(4, 1, 1), X)),
    "prelu_6_one": (model(6, [op("PRelu", "x c")], [("c", f32(0.5))]), np.where(X < 0, X * 0.5, X)),
    "gemm_6": (model(6, [op("Flatten", "x", "f"), op("Gemm", "f w c", broadcast=1, transB=1)],
                     [("w", np.eye(4, 144, dtype=np.float32)), ("c", C)]), X.reshape(1, 144)[:, :4] + C),
    "dropout_6": (model(6, [op("Dropout", is_test=1)]), X),
}

# No equal in opset 13: nothing is converted, a note names the op, and the file stays as it was.
LEFT = {
    "dropout_mask": (model(9, [op("Dropout", "x", "d m"), op("Cast", "m", "y", to=1)]), "gives its mask away"),
    "in_a_body": (model(10, [helper.make_node("If", ["c"], ["y"], name="branch", then_branch=helper.make_graph(
        [op("Clip", min=0.0)], "then", [], [helper.make_tensor_value_info("y", 1, None)]), else_branch=helper.make_graph(
            [op("Relu")], "else", [], [helper.make_tensor_value_info("y", 1, None)]))], [("c", np.array(True))]),
                  "lies in the body of another"),
    "grows_and_shrinks": (model(10, [op("Resize", "x s", mode="nearest")], [("s", f32(1, 1, 2, 0.5))]),
                          "makes one axis longer and another shorter"),
}


def run(source):
    session = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
    return session.run(["y"], {"x": X})[0]


def convert(sandbox, name, source):
    path, output = sandbox.path / f"{name}.onnx", sandbox.path / f"{name}.13.onnx"
    onnx.save(source, str(path))
    done = sandbox.run("quantize", path, "--data", sandbox.path / "data.npz", "--recipe", sandbox.path / "stays.yaml",
                       "-o", output)
    return str(path), str(output), done.stderr


def main():
    onnxruntime.set_default_logger_severity(3)
    sandbox = harness.Sandbox()
    sandbox.write("stays.yaml", STAYS)
    np.savez(sandbox.path / "data.npz", x=X)
    cases = [(name, source, None) for name, source in RUN_BOTH.items()]
    cases += [(name, source, expected) for name, (source, expected) in BY_HAND.items()]
    for name, source, expected in cases:
        path, output, stderr = convert(sandbox, name, source)
        assert "converted from opset" in stderr, f"{name}: {stderr}"
        written = onnx.load(output)
        assert written.opset_import[0].version == 13, name
        right = run(path) if expected is None else expected
        np.testing.assert_allclose(run(output), right, rtol=1e-6, atol=1e-6, err_msg=name)
        ours = {node.name for node in source.graph.node}
        assert ours <= {node.name for node in written.graph.node}, f"{name}: a node lost its name"
    for name, (source, problem) in LEFT.items():
        path, output, stderr = convert(sandbox, name, source)
        assert problem in stderr, f"{name}: {stderr}"
        assert onnx.load(output).opset_import[0].version == source.opset_import[0].version, name
        np.testing.assert_array_equal(run(output), run(path), err_msg=name)


if __name__ == "__main__":
    main()
