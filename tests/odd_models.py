# SPDX-License-Identifier: Apache-2.0
"""Models and pairs of models that are odd, but not wrong: what cannot be done is said, what can be done is done."""

import os
import signal
import subprocess
import time

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NUMBERS = np.random.default_rng(0)


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def weight(name, *shape):
    return numpy_helper.from_array(NUMBERS.standard_normal(shape).astype(np.float32), name)


def save(sandbox, name, nodes, inputs, outputs, weights, sparse=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights, sparse_initializer=sparse)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = sandbox.path / name
    onnx.save(model, path)
    return path


def two_layers(sandbox, name, batch="n"):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "first"), helper.make_node("Relu", ["a"], ["b"], "relu"),
             helper.make_node("MatMul", ["b", "w2"], ["y"], "second")]
    return save(sandbox, name, nodes, [floats("x", batch, 6)], [floats("y", batch, 4)],
                [weight("w", 6, 8), weight("w2", 8, 4)])


def runs(path, x):
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"x": x})


def check_infinite_errors(sandbox):
    model = two_layers(sandbox, "a.onnx")
    quantized = sandbox.path / "a.q.onnx"
    sandbox.run("quantize", model, "--data", "random", "-o", quantized)
    broken = onnx.load(quantized)
    for tensor in broken.graph.initializer:
        if tensor.name == "b_scale":
            tensor.CopyFrom(numpy_helper.from_array(np.full(numpy_helper.to_array(tensor).shape, np.nan, np.float32),
                                                    "b_scale"))
    onnx.save(broken, sandbox.path / "nan.onnx")
    both = ("diagnose", model, sandbox.path / "nan.onnx", "--data", "random", "--limit", "4")
    done = sandbox.run(*both, "--fail-below", "20", code=3)
    harness.check("hold NaN or infinities" in done.stdout, "values that are not finite are named")
    rows = sandbox.json(*both)["activations"]
    harness.check({row["sqnr_db"] for row in rows if row["elements"] == 0} == {"-inf"}, "they are no perfect match")


def check_models_that_share_nothing(sandbox):
    first, second = two_layers(sandbox, "b.onnx"), two_layers(sandbox, "c.onnx")
    done = sandbox.run("diagnose", first, second, "--data", "random", "--limit", "4", "--fail-below", "20", code=3)
    harness.check("The outputs keep" in done.stdout, "outputs of one name are compared, whatever makes them")
    more = save(sandbox, "d.onnx", [helper.make_node("Exp", ["x"], ["one"], "e"), helper.make_node("Abs", ["x"], ["two"], "t")],
                [floats("x", "n", 6)], [floats("one", "n", 6), floats("two", "n", 6)], [])
    done = sandbox.run("diagnose", first, more, "--data", "random", "--limit", "4", "--fail-below", "20", code=3)
    harness.check("nothing was compared" in done.stderr, "models that share nothing miss every goal")


def check_fixed_batches(sandbox):
    model = two_layers(sandbox, "eight.onnx", batch=8)
    data = sandbox.path / "data.npz"
    np.savez(data, x=NUMBERS.standard_normal((103, 6)).astype(np.float32))
    output = sandbox.path / "eight.q.onnx"
    done = sandbox.run("quantize", model, "--data", data, "-o", output, "--diagnose")
    harness.check("batches of exactly 8" in done.stderr, "samples that fill no batch are left out, and said")
    harness.check(runs(output, np.zeros([8, 6], np.float32))[0].shape == (8, 4), "a model of eight stays one")
    done = sandbox.run("quantize", model, "--data", data, "--limit", "5", "-o", output, code=1)
    harness.check("there are only 5" in done.stderr, "too few samples are counted")


def check_sparse_weights(sandbox):
    values = helper.make_tensor("w", TensorProto.FLOAT, [3], [1.0, 2.0, 3.0])
    sparse = helper.make_sparse_tensor(values, helper.make_tensor("w_at", TensorProto.INT64, [3], [1, 5, 9]), [6, 4])
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "sparse"), helper.make_node("MatMul", ["a", "w2"], ["y"], "dense")]
    model = save(sandbox, "sparse.onnx", nodes, [floats("x", 1, 6)], [floats("y", 1, 4)], [weight("w2", 4, 4)], [sparse])
    output = sandbox.path / "sparse.q.onnx"
    result = sandbox.json("quantize", model, "--data", "random", "-o", output)
    plan = {op["op"]["name"]: op for op in sandbox.record(result["workload"], "plan.json")["ops"]}
    harness.check("sparse" in plan["sparse"]["reason"] and plan["dense"]["quantized"], "a sparse weight keeps one op in float")
    runs(output, np.zeros([1, 6], np.float32))


def check_sequence_outputs(sandbox):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "first"),
             helper.make_node("SplitToSequence", ["a"], ["parts"], "split", axis=1)]
    parts = helper.make_tensor_sequence_value_info("parts", TensorProto.FLOAT, None)
    model = save(sandbox, "parts.onnx", nodes, [floats("x", 1, 6)], [parts, floats("a", 1, 4)], [weight("w", 6, 4)])
    output = sandbox.path / "parts.q.onnx"
    result = sandbox.json("quantize", model, "--data", "random", "--limit", "4", "-o", output, "--diagnose")
    harness.check(result["ops_quantized"] == 1, "an output that is no tensor is in nobody's way")
    harness.check(len(runs(output, np.zeros([1, 6], np.float32))) == 2, "and stays")


def check_counts_of_ops(sandbox):
    """Exporters write constants as nodes and compute shapes: constants are counted nowhere, all else everywhere."""
    shape = numpy_helper.from_array(np.array([-1, 2, 3], np.int64))
    scale = numpy_helper.from_array(np.array(2, np.float32))
    nodes = [helper.make_node("Constant", [], ["sizes"], "sizes", value=shape),
             helper.make_node("Constant", [], ["two"], "two", value=scale),
             helper.make_node("Shape", ["x"], ["of_x"], "shape"),
             helper.make_node("MatMul", ["x", "w"], ["a"], "first"), helper.make_node("Pow", ["a", "two"], ["b"], "power"),
             helper.make_node("Reshape", ["b", "sizes"], ["y"], "reshape")]
    model = save(sandbox, "constants.onnx", nodes, [floats("x", "n", 6)],
                 [floats("y", "n", 2, 3), helper.make_tensor_value_info("of_x", TensorProto.INT64, [2])], [weight("w", 6, 6)])
    told = sandbox.json("inspect", model)
    output = ["--data", "random", "-o", sandbox.path / "constants.q.onnx"]
    made = sandbox.json("quantize", model, *output)
    counts = [made["ops_quantized"], made["ops_float"]]
    harness.check(counts == [1, 3], f"four ops are counted: {counts}")
    harness.check([told["would_quantize"], sum(told["stay_float"].values())] == counts, f"by inspect, too: {told['stay_float']}")
    harness.check("1 of 4 ops would be quantized" in sandbox.run("inspect", model).stdout, "and in its text")
    harness.check("1 op in int8, 3 in float" in sandbox.run("quantize", model, *output).stdout, "and in that of quantize")
    pair = sandbox.json("compare", made["workload"], made["workload"])["a"]
    harness.check([pair["ops"], pair["ops_quantized"]] == [4, 1], f"and by compare: {pair['ops']}")


def child_of(parent):
    for _ in range(200):
        children = open(f"/proc/{parent}/task/{parent}/children").read().split()
        if children:
            return int(children[0])
        time.sleep(0.02)
    raise AssertionError("no worker was started")


def check_interrupt_of_a_silent_worker(sandbox):
    """A worker that is stopped answers nothing; Ctrl-C ends the tool all the same, and the worker with it."""
    model = two_layers(sandbox, "long.onnx", batch=1)
    data = sandbox.write("many.yaml", "random: {count: 2000000}\n")
    recipe = sandbox.write("many_recipe.yaml", "calibration_sampling_size: 2000000\n")
    command = ["quantize", model, "--data", data, "--recipe", recipe, "-o", sandbox.path / "long.q.onnx", "--isolate"]
    tool = subprocess.Popen([harness.program(), *map(str, command)], env=sandbox.environment, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    worker = child_of(tool.pid)
    time.sleep(1)
    os.kill(worker, signal.SIGSTOP)
    os.kill(tool.pid, signal.SIGINT)
    try:
        harness.check(tool.wait(timeout=60) == 130, "Ctrl-C while a worker is silent ends the tool with 130")
    finally:
        tool.kill()
    harness.check(not os.path.exists(f"/proc/{worker}"), "and the worker")


def check_integers_among_floats(sandbox):
    """Whatever a recipe forces: shapes, positions and conditions are no data to round, though no type of theirs is written down."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "first"), helper.make_node("Relu", ["a"], ["b"], "relu"),
             helper.make_node("Shape", ["b"], ["s64"]), helper.make_node("Cast", ["s64"], ["s"], to=TensorProto.INT32),
             helper.make_node("Slice", ["s", "zero", "one"], ["rows"], "rows"),
             helper.make_node("Concat", ["rows", "halves"], ["target"], "target", axis=0),
             helper.make_node("Cast", ["target"], ["target64"], to=TensorProto.INT64),
             helper.make_node("Reshape", ["b", "target64"], ["c"], "reshape"),
             helper.make_node("TopK", ["c", "k"], ["best", "where"], "top"),
             helper.make_node("Transpose", ["where"], ["turned"], "turned", perm=[0, 2, 1]),
             helper.make_node("Less", ["best", "limit"], ["small"]),
             helper.make_node("Unsqueeze", ["small", "zero"], ["deeper"], "deeper"),
             helper.make_node("Squeeze", ["deeper", "zero"], ["mask"], "mask"),
             helper.make_node("Where", ["mask", "limit", "best"], ["kept"], "kept"),
             helper.make_node("Reshape", ["kept", "flat"], ["d"], "flatten"),
             helper.make_node("MatMul", ["d", "w2"], ["y"], "second")]
    numbers = [numpy_helper.from_array(np.array(value, kind), name) for name, value, kind in
               (("zero", [0], np.int64), ("one", [1], np.int64), ("halves", [2, 4], np.int32), ("k", [3], np.int64),
                ("limit", 0.5, np.float32), ("flat", [0, -1], np.int64))]
    turned = helper.make_tensor_value_info("turned", TensorProto.INT64, ["n", 3, 2])
    model = save(sandbox, "integers.onnx", nodes, [floats("x", "n", 6)], [floats("y", "n", 4), turned],
                 [weight("w", 6, 8), weight("w2", 6, 4), *numbers])
    quantized = sandbox.path / "integers.q.onnx"
    done = sandbox.json("quantize", model, "--data", "random", "--recipe", "{op_type_dict: {'.*': int8}}", "-o", quantized)
    x = NUMBERS.standard_normal((4, 6)).astype(np.float32)
    harness.check(runs(quantized, x)[0].shape == runs(model, x)[0].shape, "the file runs")
    rounded = {op["op"]["name"]: op["quantized"] for op in sandbox.record(done["workload"], "plan.json")["ops"]}
    harness.check(rounded["first"] and rounded["second"] and rounded["reshape"], "what is float is rounded as asked")
    left = ("rows", "target", "turned", "deeper", "mask")
    harness.check(not any(rounded[name] for name in left), f"no integers, positions or conditions: {rounded}")


def check_inputs_that_never_vary(sandbox):
    model = two_layers(sandbox, "still.onnx")
    for name, x, still in (("zeros", np.zeros((8, 6)), True), ("varied", NUMBERS.standard_normal((8, 6)), False)):
        data = sandbox.path / f"{name}.npz"
        np.savez(data, x=x.astype(np.float32))
        done = sandbox.run("quantize", model, "--data", data, "-o", sandbox.path / "still.q.onnx")
        said = "input 'x' is 0 in all samples that calibration saw" in done.stderr
        harness.check(said == still, f"an input of {name}: its codes fit no other data, which is {'' if still else 'not '}said")


def check_odd_scales(sandbox):
    """Scales that no quantizer should write are told, and judged again as they were."""
    model, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    int8, odd = sandbox.path / "digits.int8.onnx", sandbox.path / "odd_scale.onnx"
    sandbox.run("quantize", model, "-o", int8, "--data", data, "--limit", 20)
    links = [node for node in onnx.load(int8).graph.node if node.op_type == "QuantizeLinear"]
    for scale in (0, float("inf"), float("nan"), -0.05):
        for link in (links[0], links[3]):
            changed = onnx.load(int8)
            del changed.metadata_props[:]
            for weights in changed.graph.initializer:
                if weights.name == link.input[1]:
                    weights.CopyFrom(numpy_helper.from_array(np.full_like(numpy_helper.to_array(weights), scale), weights.name))
            onnx.save(changed, odd)
            told = sandbox.json("diagnose", model, odd, "--data", data, "--limit", 20)
            again = sandbox.json("judge", told["workload"])
            harness.check(told["findings"] and again["findings"] == told["findings"],
                          f"a scale of {scale} for {link.input[0]}: {len(told['findings'])} findings, judged alike")


def main():
    sandbox = harness.Sandbox()
    check_odd_scales(sandbox)
    check_inputs_that_never_vary(sandbox)
    check_infinite_errors(sandbox)
    check_models_that_share_nothing(sandbox)
    check_fixed_batches(sandbox)
    check_sparse_weights(sandbox)
    check_sequence_outputs(sandbox)
    check_counts_of_ops(sandbox)
    check_integers_among_floats(sandbox)
    check_interrupt_of_a_silent_worker(sandbox)


main()
