# SPDX-License-Identifier: Apache-2.0
"""SmoothQuant from the command line to the file: what ONNX Runtime says of the edited float models."""

import harness

harness.need("numpy", "onnx", "onnxruntime")

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

RANDOM = np.random.default_rng(7)
WIDE = [3, 17]


def build(path):
    """Three products of one value with two outlying channels, one of another value, a reader that is no product."""
    weights = {"q": RANDOM.normal(size=(32, 32)), "k": RANDOM.normal(size=(32, 32)), "last": RANDOM.normal(size=(32, 8)),
               "bias": RANDOM.normal(size=32), "gain": np.where(np.isin(np.arange(32), WIDE), 80, 1)}
    weights = [numpy_helper.from_array(v.astype(np.float32), k) for k, v in weights.items()]
    nodes = [helper.make_node("Mul", ["x", "gain"], ["v"], "outliers"),
             helper.make_node("MatMul", ["v", "q"], ["vq"], "query"), helper.make_node("Add", ["vq", "bias"], ["qb"], "bias"),
             helper.make_node("MatMul", ["v", "k"], ["vk"], "key"), helper.make_node("Tanh", ["v"], ["t"], "reader"),
             helper.make_node("Add", ["qb", "vk"], ["s"], "sum"), helper.make_node("Add", ["s", "t"], ["r"], "residual"),
             helper.make_node("MatMul", ["r", "last"], ["y"], "last")]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 5, 32])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 5, 8])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


class Net:
    def __init__(self, sandbox):
        self.sandbox, self.model, self.data = sandbox, sandbox.path / "net.onnx", sandbox.path / "net.npz"
        build(self.model)
        self.samples = RANDOM.normal(size=(64, 5, 32)).astype(np.float32)
        np.savez(self.data, x=self.samples)

    def quantize(self, recipes, *options):
        done = self.sandbox.run("quantize", self.model, "-o", "int8.onnx", "--data", self.data, "--recipe",
                                f"{{recipes: {recipes}}}", "--output", "json", *options)
        self.notes = done.stderr
        return harness.json.loads(done.stdout)

    def edited(self, result):
        return self.sandbox.workload(result["workload"]) / result["float_edit"]["model"]

    def run(self, path):
        return onnxruntime.InferenceSession(str(path)).run(None, {"x": self.samples})[0].astype(np.float64)

    def decibels(self, path):
        exact = self.run(self.model)
        return 10 * np.log10((exact**2).sum() / ((exact - self.run(path)) ** 2).sum())

    def effects(self, result):
        effects = self.sandbox.record(result["workload"], "plan.json")["effects"]
        return {one["op"]["name"]: one["gain_db"] for one in effects if one["algorithm"] == "smooth_quant"}


def exact(net):
    plain = net.quantize("{smooth_quant: false}")
    harness.check("float_edit" not in plain, "without the option nothing is edited")
    worse = net.decibels(net.sandbox.path / "int8.onnx")
    result = net.quantize("{smooth_quant: true}")
    better = net.decibels(net.sandbox.path / "int8.onnx")
    harness.check(better > worse + 3, f"int8 gains {better - worse:.1f} dB ({worse:.1f} to {better:.1f})")
    model = onnx.load(net.edited(result))
    onnx.checker.check_model(model)
    before, after = net.run(net.model), net.run(net.edited(result))
    error = np.abs(after - before).max() / np.abs(before).max()
    harness.check(error < 1e-5 and result["float_edit"]["exact"], f"the edited model differs by {error:.1e} of the greatest")
    harness.check(set(net.effects(result)) == {"query", "key"}, f"of the outliers' readers, not of others: {net.effects(result)}")
    muls = [node for node in model.graph.node if node.op_type == "Mul" and node.name != "outliers"]
    readers = [node.name for node in model.graph.node if muls[0].output[0] in node.input]
    harness.check(len(muls) == 1 and readers == ["query", "key"], "both read one Mul, the Tanh reads what it read")
    factor = next(numpy_helper.to_array(one) for one in model.graph.initializer if one.name == muls[0].input[1])
    others = np.delete(factor, WIDE)
    harness.check(factor[WIDE].max() < 0.3 * others.min(), f"the outliers shrink ({factor[WIDE]} beside {others.min():.2f})")
    net.quantize("{smooth_quant: true}", "--format", "qoperator")
    operators = net.decibels(net.sandbox.path / "int8.onnx")
    harness.check(operators > worse + 3, f"so do integer operators ({operators:.1f})")


def alphas(net):
    gains = {alpha: net.effects(net.quantize(f"{{smooth_quant: true, smooth_quant_args: {{alpha: {alpha}}}}}"))["query"]
             for alpha in ["auto", "0.5", "0.7", "[0.5, 0.7]"]}
    harness.check(gains["auto"] >= gains["[0.5, 0.7]"] == max(gains["0.5"], gains["0.7"]), f"of alphas the best: {gains}")


def levels(net):
    for level, is_edited in [("fast", False), ("default", False), ("best", True)]:
        result = net.quantize("{}", "--accuracy-level", level)
        harness.check(("float_edit" in result) == is_edited, f"{level}: {'smoothed' if is_edited else 'not smoothed'}")
    harness.check("float_edit" not in net.quantize("{smooth_quant: false}", "--accuracy-level", "best"), "the recipe wins")


def with_equalization(net):
    result = net.quantize("{smooth_quant: true, cross_layer_equalization: true}", "--diagnose")
    harness.check(net.effects(result) and result["diagnosis"]["paired"] > 5, "equalization may be asked for as well")


def ranges(net):
    net.sandbox.run("calibrate", net.model, "--data", net.data, "-o", "s.bin")
    for recipe in ["{accuracy_level: best}", "{recipes: {smooth_quant: true}}"]:
        done = net.sandbox.run("quantize", net.model, "--ranges", "s.bin", "-o", "r.onnx", "--recipe", recipe, code=None)
        if "best" in recipe:
            harness.check(done.returncode == 0 and "no MatMul is smoothed" in done.stderr, "given ranges, best does without")
        else:
            harness.check(done.returncode == 2 and "--ranges and recipes.smooth_quant exclude each other" in done.stderr,
                          "given ranges, the option itself is refused")


def main():
    net = Net(harness.Sandbox())
    exact(net)
    alphas(net)
    levels(net)
    with_equalization(net)
    ranges(net)


main()
