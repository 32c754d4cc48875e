# SPDX-License-Identifier: Apache-2.0
"""Cross-layer equalization from the command line to the file: what ONNX Runtime says of the edited float models."""

import hashlib
import pathlib

import harness

harness.need("numpy", "onnx", "onnxruntime")

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

RANDOM = np.random.default_rng(5)


def weight(name, *shape, wide=(), times=200):
    """Its `wide` first indices are that many times as wide as the others."""
    values = RANDOM.normal(size=shape).astype(np.float32)
    values[list(wide)] *= times
    return numpy_helper.from_array(values, name)


def save(path, nodes, weights, inputs, outputs, kind=TensorProto.FLOAT):
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", kind, inputs)],
                              [helper.make_tensor_value_info("y", kind, outputs)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)


def convs(path, between):
    """Conv, batch norm, `between`, depthwise Conv, Relu, Conv to two readers."""
    vectors = {"scale": RANDOM.uniform(0.5, 2, 8), "shift": RANDOM.normal(size=8), "mean": RANDOM.normal(size=8),
               "variance": RANDOM.uniform(0.5, 2, 8), "b2": RANDOM.normal(size=8)}
    if between == "Clip":
        vectors.update(zero=np.array(0.0), six=np.array(6.0))
    vectors["scale"][3] = 300
    weights = [weight("w1", 8, 3, 3, 3), weight("w2", 8, 1, 3, 3, wide=[5]), weight("w3", 4, 8, 1, 1),
               weight("w4", 4, 8, 1, 1)]
    weights += [numpy_helper.from_array(v.astype(np.float32), k) for k, v in vectors.items()]
    inputs = ["n", "zero", "six"] if between == "Clip" else ["n"]
    save(path, [helper.make_node("Conv", ["x", "w1"], ["c"], "first", pads=[1] * 4),
                helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["n"], "norm"),
                helper.make_node(between, inputs, ["r"], "between"),
                helper.make_node("Conv", ["r", "w2", "b2"], ["d"], "depthwise", group=8, pads=[1] * 4),
                helper.make_node("Relu", ["d"], ["rd"], "relu"),
                helper.make_node("Conv", ["rd", "w3"], ["e"], "left"), helper.make_node("Conv", ["rd", "w4"], ["f"], "right"),
                helper.make_node("Add", ["e", "f"], ["y"], "sum")], weights, ["N", 3, 8, 8], ["N", 4, 8, 8])


def dense(path, dtype=np.float32):
    weights = [weight("w1", 16, 6, wide=[2, 9]), weight("b1", 16), weight("w2", 16, 5, wide=[2, 9], times=0.005)]
    for one in weights:
        one.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(one).astype(dtype), one.name))
    save(path, [helper.make_node("Gemm", ["x", "w1", "b1"], ["g"], "first", transB=1),
                helper.make_node("LeakyRelu", ["g"], ["r"], "between", alpha=0.1),
                helper.make_node("MatMul", ["r", "w2"], ["y"], "second")], weights, ["N", 6], ["N", 5],
         TensorProto.FLOAT if dtype == np.float32 else TensorProto.FLOAT16)


class Net:
    """A model, its data, and what the command makes of it."""

    def __init__(self, sandbox, name, build, shape):
        self.sandbox, self.model, self.data = sandbox, sandbox.path / f"{name}.onnx", sandbox.path / f"{name}.npz"
        build(self.model)
        self.samples = RANDOM.normal(size=(64, *shape)).astype(np.float32)
        np.savez(self.data, x=self.samples)

    def quantize(self, wish, *options, granularity="per_tensor"):
        recipe = f"{{weight: {{granularity: {granularity}}}, recipes: {{cross_layer_equalization: {wish}}}}}"
        done = self.sandbox.run("quantize", self.model, "-o", self.sandbox.path / "int8.onnx", "--data", self.data,
                                "--recipe", recipe, "--output", "json", *options)
        self.notes = done.stderr
        return harness.json.loads(done.stdout)

    def edited(self, result):
        return self.sandbox.workload(result["workload"]) / result["float_edit"]["model"]

    def run(self, path):
        return onnxruntime.InferenceSession(str(path)).run(None, {"x": self.samples})[0].astype(np.float64)


def decibels(exact, other):
    return 10 * np.log10((exact**2).sum() / max(((exact - other) ** 2).sum(), 1e-300))


def names(path):
    return [(node.op_type, node.name, list(node.output)) for node in onnx.load(path).graph.node]


def exact(net, title, least_gain):
    result = net.quantize("true")
    edited = net.edited(result)
    onnx.checker.check_model(onnx.load(edited))
    before, after = net.run(net.model), net.run(edited)
    error = np.abs(after - before).max() / np.abs(before).max()
    harness.check(error < 1e-5, f"{title}: the edited model's outputs differ by {error:.1e} of the greatest")
    harness.check(names(edited) == names(net.model), "  its ops and values keep their names and order")
    said = result["float_edit"]["outputs"][0]
    harness.check(result["float_edit"]["exact"] and said["output"] == "y" and result["float_edit"]["samples"] == 64,
                  "  it is called exact, and was compared over all samples")
    harness.check(abs(said["sqnr_db"] - decibels(before, after)) < 3 and said["cosine"] > 0.999999,
                  f"  {said['sqnr_db']:.0f} dB at the output, which is what NumPy finds ({decibels(before, after):.0f})")
    plain = net.quantize("false")
    harness.check("float_edit" not in plain, "  without the option nothing is edited")
    worse = decibels(before, net.run(net.sandbox.path / "int8.onnx"))
    net.quantize("true")
    better = decibels(before, net.run(net.sandbox.path / "int8.onnx"))
    harness.check(better > worse + least_gain, f"  per-tensor int8 gains {better - worse:.1f} dB ({worse:.1f} to {better:.1f})")
    net.quantize("true", "--format", "qoperator")
    operators = decibels(before, net.run(net.sandbox.path / "int8.onnx"))
    harness.check(operators > worse + least_gain, f"  so do integer operators ({operators:.1f})")


def records(net):
    result = net.quantize("true", "--diagnose")
    sandbox = net.sandbox
    workload = sandbox.record(result["workload"], "workload.json")
    models = {model["role"]: model for model in workload["models"]}
    edited = pathlib.Path(models["edited"]["path"])
    digest = hashlib.sha256(edited.read_bytes()).hexdigest()
    harness.check(models["edited"]["sha256"] == digest and edited.parent == sandbox.workload(result["workload"]),
                  "the workload has the edited model, and its hash")
    harness.check(sandbox.record(result["workload"], "ranges.json")["model"] == digest,
                  "the ranges are said to be the edited model's")
    harness.check(sandbox.record(result["workload"], "float_edit.json") == result["float_edit"],
                  "float_edit.json is what --output json prints")
    effects = sandbox.record(result["workload"], "plan.json")["effects"]
    gains = {one["op"]["name"]: one["gain_db"] for one in effects if one["algorithm"] == "cross_layer_equalization"}
    harness.check(set(gains) == {"first", "depthwise", "left", "right"} and gains["first"] > 6,
                  f"the plan says what each op gained: {gains}")
    harness.check("the diagnosis compares with the edited float model" in net.notes, "a note says what is compared")
    rows = {row["op"]["name"]: row["sqnr_db"] for row in result["diagnosis"]["activations"]}
    harness.check(set(rows) >= {"first", "depthwise"} and min(rows.values()) > 10,
                  f"and no op looks broken for its channels' other scales: {rows}")
    for reference, is_told in [(net.model, True), (edited, False)]:
        done = sandbox.run("diagnose", reference, "int8.onnx", "--data", net.data)
        harness.check(("made from an edited float model" in done.stderr) == is_told,
                      f"diagnose {'tells' if is_told else 'is silent'} of the edited model, given {reference.name}")
    statistics = sandbox.workload(result["workload"]) / "statistics.bin"
    done = sandbox.run("quantize", net.model, "--ranges", statistics, "-o", "other.onnx", code=None)
    harness.check(done.returncode != 0 and "of another model" in done.stderr, "its statistics do not pass for the original's")


def approximate(net):
    result = net.quantize("true")
    harness.check("1 pair of ops with a Relu6 or the like in between left out" in net.notes and
                  result["float_edit"]["exact"], "behind a Relu6, exact edits are made, and the other one is named")
    result = net.quantize("approximate")
    harness.check(not result["float_edit"]["exact"] and "an approximation" in net.notes,
                  f"an approximation is called so ({result['float_edit']['outputs'][0]['sqnr_db']:.1f} dB)")
    before, after = net.run(net.model), net.run(net.edited(result))
    said = result["float_edit"]["outputs"][0]
    cosine = (before * after).sum() / np.sqrt((before**2).sum() * (after**2).sum())
    harness.check(abs(said["sqnr_db"] - decibels(before, after)) < 0.01 and abs(said["cosine"] - cosine) < 1e-6 and
                  abs(said["max_abs_error"] - np.abs(before - after).max()) < 1e-4, "and its figures are NumPy's")
    text = net.sandbox.run("quantize", net.model, "-o", "int8.onnx", "--data", net.data, "--recipe",
                           "{recipes: {cross_layer_equalization: approximate}}").stdout
    harness.check("edited float model, an approximation: " in text and "cross layer equalization: " in text and
                  "against the original over 64 samples" in text, "all of it is printed")


def refusals(net, sandbox):
    recipe = "{recipes: {cross_layer_equalization: true}}"
    ranges = sandbox.write("ranges.json", '{"values": [{"value": "x", "min": -1, "max": 1}]}')
    for command, said in [(["quantize", net.model, "--ranges", ranges], "--ranges"),
                          (["calibrate", net.model, "-o", "s.bin", "--data", net.data], "quantlens calibrate")]:
        done = sandbox.run(*command, "--recipe", recipe, code=2)
        harness.check(f"{said} and recipes.cross_layer_equalization exclude each other" in done.stderr,
                      f"{said} is refused")
    done = sandbox.run("quantize", net.model, "--data", net.data, "--recipe",
                       "{recipes: {cross_layer_equalization: aproximate}}", code=2)
    harness.check("did you mean 'approximate'" in done.stderr, "a misspelt word is told")


def without_effect(sandbox):
    net = Net(sandbox, "half", lambda path: dense(path, np.float16), (6,))
    np.savez(net.data, x=net.samples.astype(np.float16))
    net.samples = net.samples.astype(np.float16)
    result = net.quantize("true")
    harness.check("has no effect: no ops with float32 weights" in net.notes and "float_edit" not in result,
                  "a model of half precision is left alone, which a note says")


def main():
    sandbox = harness.Sandbox()
    relu = Net(sandbox, "relu", lambda path: convs(path, "Relu"), (3, 8, 8))
    exact(relu, "convolutions with a batch norm", 10)
    exact(Net(sandbox, "dense", dense, (6,)), "Gemm and MatMul", 10)
    records(relu)
    approximate(Net(sandbox, "relu6", lambda path: convs(path, "Clip"), (3, 8, 8)))
    refusals(relu, sandbox)
    without_effect(sandbox)


main()
