# SPDX-License-Identifier: Apache-2.0
"""A pair of values that only a name speaks for, and the values speak against: shown apart, and no error."""

import harness

harness.need("numpy", "onnx")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

SAMPLES, SIZE, STEP = 20, 32, 0.05


def weights(source):
    return [source.normal(size=(SIZE, SIZE)).astype(np.float32) / 6 for _ in range(2)]


def save(path, nodes, constants):
    row = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", SIZE])  # noqa: E731
    graph = helper.make_graph(nodes, "net", [row("x")], [row("y")],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def reference(path, first, second):
    node = helper.make_node
    save(path, [node("MatMul", ["x", "v"], ["a"]), node("Elu", ["a"], ["b"]), node("MatMul", ["b", "w"], ["c"]),
                node("Softmax", ["c"], ["y"])], {"v": first, "w": second})


def quantized(path, first, second):
    """In which another function makes a value of the same name."""
    node = helper.make_node
    nodes = [node("MatMul", ["x", "v"], ["a"]), node("Neg", ["a"], ["n"]),
             node("LayerNormalization", ["n", "one"], ["b"]), node("MatMul", ["b_dq", "w_dq"], ["c"]),
             node("DequantizeLinear", ["w_q", "w_scale"], ["w_dq"]), node("Softmax", ["c_dq"], ["y"])]
    for name in ("b", "c"):
        nodes += [node("QuantizeLinear", [name, "scale", "zero"], [f"{name}_q"]),
                  node("DequantizeLinear", [f"{name}_q", "scale", "zero"], [f"{name}_dq"])]
    order = [0, 1, 2, 6, 7, 4, 3, 8, 9, 5]
    save(path, [nodes[i] for i in order],
         {"v": first, "one": np.ones(SIZE, np.float32), "scale": np.float32(STEP), "zero": np.uint8(128),
          "w_q": np.round(second / 0.005).astype(np.int8), "w_scale": np.float32(0.005)})


def main():
    sandbox, source = harness.Sandbox(), np.random.default_rng(0)
    first, second = weights(source)
    x = source.normal(size=(SAMPLES, SIZE)).astype(np.float32)
    np.savez(sandbox.path / "data.npz", x=x)
    reference(sandbox.path / "float.onnx", first, second)
    quantized(sandbox.path / "int8.onnx", first, second)
    arguments = ["diagnose", "float.onnx", "int8.onnx", "--data", "data.npz"]
    result = sandbox.json(*arguments)
    suspects = result["suspects"]
    harness.check([row["value"] for row in suspects] == ["b"], f"one suspect: {suspects}")
    a = x @ first
    elu = np.where(a > 0, a, np.expm1(a))[0]
    n = -a[0]
    norm = (n - n.mean()) / np.sqrt(n.var() + 1e-5)
    codes = np.clip(np.round(norm / np.float32(STEP)), -128, 127) * np.float32(STEP)
    expected = np.corrcoef(elu, codes)[0, 1]
    harness.check(abs(suspects[0]["correlation"] - expected) < 1e-4,
                  f"its correlation on the first sample is {suspects[0]['correlation']:.5f}, NumPy's {expected:.5f}")
    rows = {row["value"]: row for row in result["activations"]}
    harness.check("b" not in rows and set(rows) >= {"a", "c", "y"}, f"the errors are those of {sorted(rows)}")
    harness.check(all(row["elements"] == SAMPLES * SIZE for row in rows.values()) and result["samples"] == SAMPLES,
                  "all samples are counted once, the first batch included")
    harness.check(rows["c"]["cosine"] < 0.5, "what is computed from it is confirmed by its weight, so it is an error")
    record = sandbox.record(result["workload"], "pairing.json")
    harness.check(record["suspects"] == suspects, "pairing.json has the suspects")
    text = sandbox.run(*arguments).stdout
    harness.check("1 suspect pair, probably wrong and not among the errors: b with b_q" in text, "they are listed")
    one, many = (sandbox.json(*arguments, "--batch-size", size)["activations"] for size in (1, 7))
    harness.check(one == many, "any batch size gives the same rows")


main()
