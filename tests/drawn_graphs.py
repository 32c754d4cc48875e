# SPDX-License-Identifier: Apache-2.0
"""The graphs in a workload: inner values have types and shapes, as onnx.shape_inference finds them or `?`, ops say what
their attributes mean, and the graph is that of the model that ran; the same for any number of threads and in a worker."""

import json

import harness

harness.need("onnx", "numpy")

import numpy as np  # noqa: E402
import onnx  # noqa: E402

MOST_BYTES = 4000  # that an op may take


def dtype_of(element):
    known = {onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.DOUBLE: "float64", onnx.TensorProto.BOOL: "boolean"}
    return known.get(element) or np.dtype(onnx.helper.tensor_dtype_to_np_dtype(element)).name


def inferred(path):
    """Of each inner value and output its type and extents: a number, a name or None."""
    model = onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True)
    found = {}
    for value in [*model.graph.value_info, *model.graph.output]:
        tensor = value.type.tensor_type
        shape = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in tensor.shape.dim]
        found[value.name] = (dtype_of(tensor.elem_type), shape if tensor.HasField("shape") else None)
    return found


def extents(shape):
    if shape == "?":
        return None
    return [int(dim) if dim.lstrip("-").isdigit() else None if dim == "?" else dim
            for dim in shape[1:-1].split(",") if dim]


def differs(ours, theirs):
    if ours is None or theirs is None:
        return False
    # Names that inference makes up itself stand for anything.
    named = [isinstance(b, str) and not b.startswith("unk__") for b in theirs]
    return len(ours) != len(theirs) or any(a is not None and b is not None and a != b and
                                           (isinstance(b, int) and isinstance(a, int) or name and isinstance(a, str))
                                           for a, b, name in zip(ours, theirs, named))


def is_whole(shape):
    return shape is not None and None not in shape


def compare(graph, path, what, least):
    """`least`: the share of the values known to shape inference that must be known as well."""
    expected = inferred(path)
    values = [value for value in graph["values"] + graph["outputs"] if value["name"] in expected]
    wrong = [(value, expected[value["name"]]) for value in values
             if differs(extents(value["shape"]), expected[value["name"]][1]) or
             value["dtype"] not in ("?", expected[value["name"]][0])]
    harness.check(not wrong, f"{what}: nothing is told that shape inference denies: {wrong[:3]}")
    whole = [value for value in values if is_whole(expected[value["name"]][1])]
    known = [value for value in whole if is_whole(extents(value["shape"])) and value["dtype"] != "?"]
    harness.check(len(known) >= least * len(whole), f"{what}: {len(known)} of {len(whole)} values are known whole")


def check_ops(graph, what):
    kinds = {"conv": "convolution", "matmul": "matrix_product", "gemm": "matrix_product", "max_pool": "pool",
             "transpose": "permutation", "softmax": "axis_choice", "concat": "axis_choice", "quantize": "coding"}
    odd = [op["op"] for op in graph["ops"] if op["kind"] in kinds and (op["roles"] or {}).get("is") != kinds[op["kind"]]]
    harness.check(not odd, f"{what}: ops say what their inputs and attributes mean: {odd[:3]}")
    largest = max(len(json.dumps(op, indent=2)) for op in graph["ops"])
    harness.check(largest <= MOST_BYTES, f"{what}: an op takes {largest} bytes at most")


def graphs_of(sandbox, result):
    return {name: harness.stored(sandbox.workload(result["workload"]) / name)
            for name in ("graph.json", "graph_quantized.json")}


def demo(sandbox):
    model, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    int8 = sandbox.path / "digits.int8.onnx"
    result = sandbox.json("quantize", model, "-o", int8, "--data", data, "--diagnose", "--threads", 2)
    compared = sandbox.json("evaluate", int8, "--against", model, "--data", data, "--metric", "top1")
    graph = sandbox.record(compared["workload"], "graph.json")
    harness.check(graph["as_in_file"], "what is evaluated is the file")
    compare(graph, model, "demo", 1)
    check_ops(graph, "demo")
    conv = next(op for op in graph["ops"] if op["kind"] == "conv")
    harness.check(conv["roles"]["operands"]["weight"] == 1 and conv["roles"]["groups"] == 1 and
                  conv["roles"]["window"]["pads"] == [1, 1, 1, 1], f"a Conv tells its window: {conv['roles']}")
    quantized = sandbox.record(result["workload"], "graph_quantized.json")
    compare(quantized, int8, "quantized demo", 1)
    check_ops(quantized, "quantized demo")
    again = {"one thread": ("--threads", 1), "a worker": ("--threads", 2, "--isolate")}
    for what, options in again.items():
        other = sandbox.json("quantize", model, "-o", int8, "--data", data, "--diagnose", *options)
        harness.check(graphs_of(sandbox, other) == graphs_of(sandbox, result), f"graphs are the same with {what}")


def which_graph(sandbox):
    """A model in older operators runs in newer ones: the record is of these."""
    older = onnx.load(harness.DEMO / "digits.onnx")
    older.opset_import[0].version = 11
    path = sandbox.path / "older.onnx"
    onnx.save(older, path)
    data = harness.DEMO / "digits.npz"
    result = sandbox.json("quantize", path, "-o", sandbox.path / "older.int8.onnx", "--data", data, "--diagnose")
    ran = sandbox.record(result["workload"], "graph.json")
    harness.check(not ran["as_in_file"], "the graph in newer operators is not that of the file")
    rows = {row["op"]["id"] for row in result["diagnosis"]["activations"]}
    drawn = {op["op"] for op in ran["ops"]} | {value["name"] for value in ran["inputs"]}
    harness.check(rows <= drawn, f"whatever was diagnosed is an op or an input of the graph: {rows - drawn}")


def real(sandbox):
    if not harness.TESTDATA.is_dir():
        print(f"without real models ({harness.TESTDATA})")
        return
    for name, least in SHARES.items():
        path = harness.TESTDATA / name
        result = sandbox.json("profile", path, "--iterations", 1)
        graph = sandbox.record(result["workload"], "graph.json")
        compare(graph, path, path.name, least)
        check_ops(graph, path.name)


# The roles of a reduction do not say its axes, so extents behind a ReduceMean are open.
SHARES = {
    "models/mobilenet_v1_0.25_224.onnx": 1,
    "models/squeezenet1.1.onnx": 1,
    "models/kwt1.onnx": 0.6,
    "foreign/kwt1_ort_qdq.onnx": 1,
    "foreign/squeezenet1.1_inc_qoperator.onnx": 1,
}


def main():
    sandbox = harness.Sandbox()
    demo(sandbox)
    which_graph(sandbox)
    real(sandbox)


main()
