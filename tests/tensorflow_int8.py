# SPDX-License-Identifier: Apache-2.0
"""Graphs quantized for TensorFlow, run by TensorFlow itself: each int8 op gives the codes that integer arithmetic gives, and
MobileNets keep their accuracy."""
import os
import pathlib
import subprocess
import sys
import tempfile

import graphdefs
import harness
from graphdefs import field, floats, integers, node, numbers

PLANNER = os.environ.get("QUANTLENS_PLAN_GRAPH")
if not PLANNER:
    harness.skip("QUANTLENS_PLAN_GRAPH does not name the program plan_graph")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    import tensorflow as tf
except ImportError:
    harness.skip("this Python has no tensorflow; pip install tensorflow-cpu")
import numpy as np  # noqa: E402

tf1 = tf.compat.v1
T = graphdefs.T
KERNELS = {"_FusedQuantizedConv2D", "_FusedQuantizedDepthwiseConv2D", "_QuantizedMatMul"}


def load(path):
    graph = tf1.GraphDef()
    graph.ParseFromString(pathlib.Path(path).read_bytes())
    return graph


class Session:
    def __init__(self, path):
        graph = tf.Graph()
        with graph.as_default():
            tf1.import_graph_def(load(path), name="")
        self.session = tf1.Session(graph=graph, config=tf1.ConfigProto(intra_op_parallelism_threads=2))

    def run(self, values, feed):
        return self.session.run([f"{value}:0" for value in values], {f"{name}:0": data for name, data in feed.items()})


def plan(model, *arguments):
    done = subprocess.run([PLANNER, model, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


def ranges_of(model, feeds):
    """The extremes of the values that the plan asks for."""
    values = plan(model)
    session = Session(model)
    least, most = [float("inf")] * len(values), [float("-inf")] * len(values)
    for feed in feeds:
        for i, value in enumerate(session.run(values, feed)):
            least[i], most[i] = min(least[i], value.min()), max(most[i], value.max())
    return {value: (float(a), float(b)) for value, a, b in zip(values, least, most)}


def write(model, ranges, out, *recipe):
    listed = out.with_suffix(".ranges")
    listed.write_text("".join(f"{value} {a!r} {b!r}\n" for value, (a, b) in ranges.items()))
    return dict(line.split(" ", 1) for line in plan(model, listed, out, *recipe))


def pairs(model, quantized):
    """What stands for what: values by the reference's name, each with its side and whether it is confirmed; weights."""
    rows = [line.split() for line in plan(model, "--pair", quantized)]
    changes = [row[1:3] for row in rows if row[0] == "change"]
    harness.check(not changes, f"nothing computes otherwise {changes or ''}")
    return {row[1]: row[2:] for row in rows if row[0] == "value"}, {row[1]: row[2] for row in rows if row[0] == "weight"}


def scale_of(span, signed):
    return max(abs(span[0]), abs(span[1])) / 127 if signed else span[1] / 255


def codes_of(floats_, scale, signed):
    return np.clip(np.rint(floats_ / np.float32(scale)), *((-127, 127) if signed else (0, 255)))


def weight_codes(weight, axes):
    scale = np.abs(weight).max(axis=axes, keepdims=True) / 127
    return np.rint(weight / scale), scale.reshape(-1)


def convolve(codes, weight, stride=1, depthwise=False, padding="SAME"):
    """Sums of products of codes, exact in doubles."""
    op = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d
    return op(codes.astype(np.float64), weight.astype(np.float64), [1, stride, stride, 1], padding).numpy()


def is_rounded(got, real, scale, low, high):
    """Whether these are the codes next to real values: at most half a step away, but for a float's precision."""
    wanted = np.clip(real / scale, low, high)
    return np.abs(got - wanted).max() <= 0.5 + 1e-3 and len(np.unique(got)) > 8


def draw(seed):
    generator = np.random.default_rng(seed)
    return lambda *shape: generator.normal(size=shape).astype(np.float32)


def constant(name, array):
    return node(name, "Const", value=floats(list(array.shape), array.reshape(-1).tolist()), dtype=field(6, graphdefs.FLOAT))


def strides(number):
    return {**T, "strides": numbers([1, number, number, 1]), "padding": field(2, "SAME")}


def small_network(random):
    """A convolution with a spelled-out batch normalization and Relu6, a depthwise one with a bias and a Mul behind, one with
    neither, and products: in the forms that frozen graphs have."""
    w1, w2, w3, w4 = random(3, 3, 3, 8) * 0.3, random(3, 3, 8, 1) * 0.3, random(1, 1, 8, 12) * 0.3, random(12, 5) * 0.3
    w5 = random(6, 5) * 0.3
    variance, mean, beta, bias, gain = np.abs(random(8)) + 0.5, random(8), random(8), random(8), np.abs(random(8)) + 0.5
    b4, b5 = random(5), random(6)
    nodes = [
        node("image", "Placeholder", dtype=field(6, graphdefs.FLOAT), shape=graphdefs.shape([-1, 9, 9, 3])),
        constant("w1", w1), node("w1/read", "Identity", ["w1"], **T), constant("variance", variance), constant("mean", mean),
        constant("beta", beta), constant("epsilon", np.float32(0.001)),
        node("bn/add", "Add", ["variance", "epsilon"], **T), node("bn/root", "Rsqrt", ["bn/add"], **T),
        node("bn/shift", "Mul", ["mean", "bn/root"], **T), node("bn/sub", "Sub", ["beta", "bn/shift"], **T),
        node("conv", "Conv2D", ["image", "w1/read"], **strides(2)),
        node("bn/mul", "Mul", ["conv", "bn/root"], **T), node("bn", "Add", ["bn/mul", "bn/sub"], **T),
        node("conv/act", "Relu6", ["bn"], **T),
        constant("w2", w2), constant("bias", bias), constant("gain", gain),
        node("each", "DepthwiseConv2dNative", ["conv/act", "w2"], **strides(1)),
        node("each/bias", "BiasAdd", ["each", "bias"], **T), node("each/gain", "Mul", ["each/bias", "gain"], **T),
        constant("w3", w3), node("mix", "Conv2D", ["each/gain", "w3"], **strides(1)), node("mix/act", "Relu", ["mix"], **T),
        node("pool/axes", "Const", value=integers([2], [1, 2]), dtype=field(6, graphdefs.INT32)),
        node("pool", "Mean", ["mix/act", "pool/axes"], **T, Tidx=field(6, graphdefs.INT32)),
        constant("w4", w4), constant("b4", b4), node("fc", "MatMul", ["pool", "w4"], **T),
        node("fc/bias", "BiasAdd", ["fc", "b4"], **T), node("fc/act", "Relu", ["fc/bias"], **T),
        constant("w5", w5), constant("b5", b5),
        node("last", "MatMul", ["fc/act", "w5"], **T, transpose_b=field(5, 1)), node("scores", "Add", ["last", "b5"], **T),
        node("done", "NoOp", ["^last", "^bn/mul"]),
    ]
    factor = 1 / np.sqrt(variance + np.float32(0.001))
    folded = {"w1": w1 * factor, "b1": beta - mean * factor, "w2": w2 * gain[:, None], "b2": bias * gain, "w3": w3, "w4": w4,
              "b4": b4, "w5": w5.T, "b5": b5}
    return graphdefs.graph(nodes), folded


def check_small(folder):
    random = draw(3)
    bytes_, w = small_network(random)
    model, out = folder / "small.pb", folder / "small.int8.pb"
    model.write_bytes(bytes_)
    image = random(4, 9, 9, 3)
    ranges = ranges_of(model, [{"image": image[:2]}])
    harness.check(sorted(ranges) == ["conv/act", "each/gain", "fc/act", "image", "mix/act", "pool"],
                  f"ranges are asked for what int8 ops read and give: {sorted(ranges)}")
    left = write(model, ranges, out)
    harness.check(set(left) <= {"bn/add", "bn/root", "bn/shift", "bn/sub", "w1/read", "pool"}, f"the rest is float: {left}")
    kinds = [one.op for one in load(out).node]
    harness.check([kinds.count(kernel) for kernel in sorted(KERNELS)] == [2, 1, 2] and "Rsqrt" not in kinds,
                  "each has its kernel, and what was folded is gone")
    session = Session(out)
    q, c1, c2, c3, mean, p, c4, scores = session.run(
        ["image/quantize", "conv/act/int8", "each/gain/int8", "mix/act/int8", "mix/act", "pool/quantize", "fc/act/int8",
         "scores"], {"image": image})
    scale = {value: scale_of(span, value in ("image", "each/gain")) for value, span in ranges.items()}
    harness.check(np.array_equal(q.astype(int), codes_of(image, scale["image"], True)), "the input becomes codes around 0")

    def layer(name, got, real, span):
        low = -128 if got.dtype == np.int8 else 0
        harness.check(is_rounded(got.astype(float), real, scale[span], low, 127 if low else 255), f"{name} is exact")

    codes, s = weight_codes(w["w1"], (0, 1, 2))
    layer("a convolution with its batch normalization and Relu6", c1,
          convolve(q.astype(float), codes, 2) * scale["image"] * s + w["b1"], "conv/act")
    codes, s = weight_codes(w["w2"], (0, 1, 3))
    layer("a depthwise convolution with a bias and a factor", c2,
          convolve(c1.astype(float), codes, depthwise=True) * scale["conv/act"] * s + w["b2"], "each/gain")
    codes, s = weight_codes(w["w3"], (0, 1, 2))
    layer("a convolution of signed codes without a bias", c3,
          convolve(c2.astype(float), codes) * scale["each/gain"] * s, "mix/act")
    harness.check(np.array_equal(mean, (c3.astype(np.float32) * np.float32(255 * np.float32(scale["mix/act"]) / 255)).astype(
        np.float32)) or np.allclose(mean, c3.astype(float) * scale["mix/act"], rtol=1e-6), "floats keep their name")
    codes, s = weight_codes(w["w4"], (0,))
    layer("a product with a bias and Relu", c4, p.astype(float) @ codes * scale["pool"] * s + w["b4"], "fc/act")
    codes, s = weight_codes(w["w5"], (0,))
    wanted = c4.astype(float) @ codes * scale["fc/act"] * s + w["b5"]
    harness.check(np.allclose(scores, wanted, rtol=1e-5, atol=1e-6), "the last product gives floats")
    plain = Session(model).run(["scores"], {"image": image})[0]
    error = 10 * np.log10((plain**2).sum() / ((plain - scores)**2).sum())
    harness.check(error > 20, f"and they are those of the float graph: {error:.1f} dB")
    values, weights = pairs(model, out)
    harness.check({value: values[value][:2] for value in ("image", "conv/act", "each/gain", "mix/act", "pool", "fc/act")} == {
        "image": ["image/quantize", "q_output"], "conv/act": ["conv/act/int8", "integer_output"],
        "each/gain": ["each/gain/int8", "integer_output"], "mix/act": ["mix/act/int8", "integer_output"],
        "pool": ["pool/quantize", "q_output"], "fc/act": ["fc/act/int8", "integer_output"]},
        f"codes are paired with the values that they stand for: {values}")
    harness.check(all(row[2] == "confirmed" for row in values.values()), f"all of which the files confirm: {values}")
    harness.check(len(weights) == 5, f"and weights with theirs: {weights}")
    return model, ranges


def check_recipes(folder, model, ranges):
    """Ops that a recipe keeps in float get what was folded into them, and the same results."""
    names = "{op_name_dict: {conv: fp32, fc: fp32, last: fp32, each: fp32, mix: fp32}}"
    out = folder / "float.pb"
    left = write(model, ranges, out, names)
    harness.check({"conv", "fc", "each"} <= set(left) and not KERNELS & {one.op for one in load(out).node},
                  "a recipe keeps ops in float")
    image = draw(9)(2, 9, 9, 3)
    plain, edited = (Session(path).run(["scores"], {"image": image})[0] for path in (model, out))
    harness.check(np.allclose(plain, edited, rtol=1e-4, atol=1e-5), "whose folded graph computes the same")
    out = folder / "mixed.pb"
    write(model, ranges, out, "{op_name_dict: {each: fp32}, weight: {granularity: per_tensor}}")
    mixed = Session(out).run(["scores"], {"image": image})[0]
    error = 10 * np.log10((plain**2).sum() / ((plain - mixed)**2).sum())
    harness.check(error > 15, f"int8 and float ops in turn, one scale a weight: {error:.1f} dB")


def branching_network(random):
    """What only moves codes, a sum in float, a batch normalization in one op, two readers of one value, dilations."""
    def op(kind, name, *inputs, **attributes):
        return node(name, kind, inputs, **T, **attributes)

    def ints(name, *values):
        return node(name, "Const", value=integers([len(values)], values), dtype=field(6, graphdefs.INT32))

    index = {"Index": field(6, graphdefs.INT32)}
    valid = {"strides": numbers([1, 2, 2, 1]), "padding": field(2, "VALID")}
    same = {"strides": numbers([1, 1, 1, 1]), "padding": field(2, "SAME")}
    pads = node("pads", "Const", value=integers([4, 2], [0, 0, 1, 0, 0, 1, 0, 0]), dtype=field(6, graphdefs.INT32))
    return graphdefs.graph([
        node("image", "Placeholder", dtype=field(6, graphdefs.FLOAT), shape=graphdefs.shape([-1, 12, 12, 3])), pads,
        op("Pad", "padded", "image", "pads", Tpaddings=field(6, graphdefs.INT32)),
        constant("w1", random(3, 3, 3, 8) * 0.3), op("Conv2D", "stem", "padded", "w1", **valid),
        constant("gain", np.abs(random(8)) + 0.5), constant("beta", random(8)), constant("mean", random(8)),
        constant("variance", np.abs(random(8)) + 0.5),
        node("norm", "FusedBatchNormV3", ["stem", "gain", "beta", "mean", "variance"], **T, U=field(6, graphdefs.FLOAT),
             is_training=field(5, 0)),
        op("Relu", "stem/act", "norm"),
        op("MaxPool", "pooled", "stem/act", ksize=numbers([1, 3, 3, 1]), strides=numbers([1, 2, 2, 1]), padding=field(2, "SAME")),
        constant("w2", random(3, 3, 8, 8) * 0.2), constant("b2", random(8)),
        op("Conv2D", "wide", "pooled", "w2", dilations=numbers([1, 2, 2, 1]), **same), op("BiasAdd", "wide/bias", "wide", "b2"),
        constant("w3", random(1, 1, 8, 8) * 0.3), op("Conv2D", "short", "pooled", "w3", **same),
        op("AddV2", "sum", "wide/bias", "short"), op("Relu6", "sum/act", "sum"),
        constant("w4", random(1, 1, 8, 4) * 0.3), op("Conv2D", "small", "sum/act", "w4", **same),
        op("Relu", "small/act", "small"),
        op("Identity", "kept", "small/act"), ints("begin", 0, 0, 0, 0), ints("end", 1024, 2, 3, 4), ints("steps", 1, 1, 1, 1),
        op("StridedSlice", "cut", "kept", "begin", "end", "steps", **index), ints("flat/shape", -1, 24),
        op("Reshape", "flat", "cut", "flat/shape", Tshape=field(6, graphdefs.INT32)),
        constant("w5", random(24, 5) * 0.3), constant("b5", random(1)), op("MatMul", "last", "flat", "w5"),
        op("Add", "scores", "last", "b5")])


def check_branches(folder):
    random = draw(5)
    model, out = folder / "branches.pb", folder / "branches.int8.pb"
    model.write_bytes(branching_network(random))
    image = random(4, 12, 12, 3)
    left = write(model, ranges_of(model, [{"image": image}]), out)
    harness.check(left == {"sum": "AddV2 has no integer form here", "sum/act": "Relu6 has no integer form here"},
                  f"a sum and what follows is float, all else is not: {left}")
    graph = load(out)
    on_codes = {one.name: one.op for one in graph.node if one.attr["T"].type in (11, 12) and not one.op.startswith(("Q", "Deq"))}
    harness.check(on_codes == {"padded/int8": "Pad", "kept/int8": "Identity", "cut/int8": "StridedSlice", "flat/int8": "Reshape"},
                  f"codes are moved as they are: {on_codes}")
    ops = [one.op for one in graph.node]
    harness.check([ops.count(op) for op in ("QuantizedMaxPool", "MaxPool", "QuantizeV2", "Dequantize")] == [1, 0, 2, 2],
                  "and become floats where the sum reads them alone")
    plain, quantized = (Session(path).run(["scores"], {"image": image})[0] for path in (model, out))
    error = 10 * np.log10((plain**2).sum() / ((plain - quantized)**2).sum())
    harness.check(error > 25, f"the results are those of the float graph: {error:.1f} dB")
    values, weights = pairs(model, out)
    is_whole = all(row[2] == "confirmed" for row in values.values()) and len(weights) == 5
    harness.check(is_whole and values["pooled"][0] == "pooled/int8", f"all of it is paired: {values}")


def images(count):
    for pixels, label in harness.mobilenet_images(count):
        yield pixels.transpose(1, 2, 0)[None], label + 1


def top1(model, output, samples):
    session = Session(model)
    return sum(session.run([output], {"input": data})[0].argmax() == label for data, label in samples) / len(samples)


def check_mobilenet(folder, width, least):
    model = harness.TESTDATA / "models" / f"mobilenet_v1_{width}_224.pb"
    samples = list(images(500))
    ranges = ranges_of(model, ({"input": data} for data, _ in samples[::10]))
    out = folder / f"{width}.pb"
    left = write(model, ranges, out)
    graph = load(out)
    kernels = [one.op for one in graph.node if one.op in KERNELS]
    harness.check(len(kernels) == 28, f"MobileNet {width}: all 28 convolutions are int8; float: {sorted(set(left.values()))}")
    harness.check(sum(one.op == "QuantizeV2" for one in graph.node) <= 2, "codes go from one to the next")
    values, weights = pairs(model, out)
    sides = [row[1] for row in values.values()]
    harness.check(sides.count("integer_output") >= 28 and len(weights) == 28, f"28 values and weights are paired: {sides}")
    harness.check(all(row[2] == "confirmed" for row in values.values()), "and confirmed by both files")
    share = out.stat().st_size / model.stat().st_size
    harness.check(share < 0.32, f"the file has {share:.2f} of the bytes")
    output = "MobilenetV1/Predictions/Reshape_1"
    plain, quantized = (top1(path, output, samples) for path in (model, out))
    harness.check(quantized >= least, f"top1 {plain:.1%} -> {quantized:.1%}, at least {least:.1%}")


def main():
    with tempfile.TemporaryDirectory(prefix="quantlens-test-") as name:
        folder = pathlib.Path(name)
        check_recipes(folder, *check_small(folder))
        check_branches(folder)
        if not harness.TESTDATA.is_dir():
            print("left out the MobileNets: the test data are absent")
            return
        try:
            import PIL  # noqa: F401
        except ImportError:
            print("left out the MobileNets: this Python has no pillow")
            return
        check_mobilenet(folder, "0.25", 0.524)
        check_mobilenet(folder, "0.75", 0.754)


main()
sys.exit(0)
