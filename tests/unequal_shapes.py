# SPDX-License-Identifier: Apache-2.0
"""Pairs whose shapes turn out unequal only when they are run: listed, in no table, and the run goes on."""

import harness

harness.need("numpy", "onnx")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

SAMPLES, SIZE, SHORT, LARGE = 20, 32, 24, 13
LIMIT = np.float32(50)  # a larger value than this makes "b" and "s" of the quantized model short
CUT = ("b", "s", "turned")


def save(path, nodes, constants):
    info = helper.make_tensor_value_info
    row = lambda name: info(name, TensorProto.FLOAT, ["N", SIZE])  # noqa: E731
    graph = helper.make_graph(nodes, "net", [row("x")],
                              [row("y"), *(info(name, TensorProto.FLOAT, None) for name in ("b", "s", "turned"))],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def reference(path, first, second):
    node = helper.make_node
    save(path, [node("MatMul", ["x", "v"], ["a"]), node("Elu", ["a"], ["b"]), node("Transpose", ["b"], ["turned"]),
                node("Softsign", ["a"], ["s"]), node("MatMul", ["a", "w"], ["c"]), node("Softmax", ["c"], ["y"])],
         {"v": first, "w": second})


def quantized(path, first, second):
    """In which other functions make "b" and "s", cut off where an input is large."""
    node = helper.make_node
    save(path, [node("MatMul", ["x", "v"], ["a"]), node("ReduceMax", ["x"], ["largest"], keepdims=0),
                node("Less", ["largest", "limit"], ["is_small"]), node("Or", ["is_small", "begin"], ["kept"]),
                node("Tanh", ["a"], ["t"]), node("Compress", ["t", "kept"], ["b"], axis=1),
                node("Transpose", ["b"], ["turned"]),
                node("Neg", ["a"], ["n"]), node("Compress", ["n", "kept"], ["s"], axis=1),
                node("QuantizeLinear", ["a", "scale", "zero"], ["a_q"]),
                node("DequantizeLinear", ["a_q", "scale", "zero"], ["a_dq"]),
                node("MatMul", ["a_dq", "w"], ["c"]), node("Softmax", ["c"], ["y"])],
         {"v": first, "w": second, "limit": LIMIT, "begin": np.arange(SIZE) < SHORT, "scale": np.float32(0.5),
          "zero": np.int8(0)})


def diagnosed(sandbox, *options):
    result = sandbox.json("diagnose", "float.onnx", "int8.onnx", "--data", "data.npz", *options)
    pairing = sandbox.record(result["workload"], "pairing.json")
    for field in ("not_compared", "suspects"):
        harness.check(result[field] == pairing[field], f"{options}: pairing.json has the same {field}")
    return result, pairing


def check_dropped(sandbox, batch, x, first):
    """With batches of this size."""
    result, _ = diagnosed(sandbox, "--batch-size", batch)
    missed = {row["value"]: row["reason"] for row in result["not_compared"]}
    harness.check(sorted(missed) == sorted(CUT), f"batches of {batch}: what is not compared: {missed}")
    rows = {row["value"]: row for row in result["activations"]}
    harness.check(not set(rows) & set(CUT) and set(rows) >= {"a", "c", "y"}, f"rows: {sorted(rows)}")
    harness.check(all(row["elements"] == SAMPLES * SIZE for row in rows.values()) and result["samples"] == SAMPLES,
                  "all others are counted over all samples, once")
    shapes = f"has shape [{min(batch, SAMPLES)},{SIZE}] and 'b' of the quantized model [{min(batch, SAMPLES)},{SHORT}]"
    harness.check(shapes in missed["b"] and shapes in missed["turned"], f"names and shapes: {missed}")
    harness.check(result["suspects"] == [], f"what is dropped is no suspect: {result['suspects']}")
    a = (x @ first).astype(np.float64)
    error = np.mean((a - np.clip(np.round(a / 0.5), -128, 127) * 0.5) ** 2)
    harness.check(abs(rows["a"]["mse"] / error - 1) < 1e-5, f"MSE of a: {rows['a']['mse']}, NumPy's {error}")
    return result["activations"]


def main():
    sandbox, source = harness.Sandbox(), np.random.default_rng(0)
    first, second = (source.normal(size=(SIZE, SIZE)).astype(np.float32) / 6 for _ in range(2))
    x = source.normal(size=(SAMPLES, SIZE)).astype(np.float32)
    reference(sandbox.path / "float.onnx", first, second)
    quantized(sandbox.path / "int8.onnx", first, second)

    np.savez(sandbox.path / "data.npz", x=x)
    result, pairing = diagnosed(sandbox)
    rows = {row["value"] for row in result["activations"]}
    harness.check(result["not_compared"] == [] and {"b", "turned"} <= rows, f"without large inputs all fit: {rows}")
    of_s = next((row["sqnr_db"] for row in result["activations"] if row["value"] == "s"), None)
    harness.check(of_s is not None and of_s < 3 and result["suspects"] == [],
                  f"and an output of one name is no suspect, however unlike it is: {of_s} {result['suspects']}")
    moved = next(pair for pair in pairing["pairs"] if pair["reference"] == "turned")
    harness.check(moved["same_as"] is not None, "a row may be that of another one, only moved")

    x[LARGE, 0] = 2 * LIMIT
    np.savez(sandbox.path / "data.npz", x=x)
    tables = [check_dropped(sandbox, batch, x, first) for batch in (1, 7, 100)]
    harness.check(tables[0] == tables[1] == tables[2], "any batch size gives the same rows")
    here, _ = diagnosed(sandbox)
    there, _ = diagnosed(sandbox, "--isolate", "--threads", 2)
    for field in ("activations", "not_compared", "suspects"):
        harness.check(here[field] == there[field], f"a worker gives the same {field}")
    text = sandbox.run("diagnose", "float.onnx", "int8.onnx", "--data", "data.npz").stdout
    harness.check("3 values not compared: b (" in text and f"[1,{SHORT}])" in text, "they are listed")


main()
