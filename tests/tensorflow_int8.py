# SPDX-License-Identifier: Apache-2.0
"""Graphs quantized for TensorFlow, run by TensorFlow itself: each int8 op gives the codes that integer arithmetic gives, and
MobileNets keep their accuracy."""
import json
import pathlib

import graphdefs
import harness
from graphdefs import field, floats, integers, node, numbers

tf = harness.tensorflow()
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


class Written:
    """What `quantize --diagnose` made of a model at level fast, by these samples, and what its run keeps of it."""

    def __init__(self, sandbox, model, out, data, *more, level="fast"):
        np.savez(sandbox.path / "data.npz", **data)
        done = sandbox.run("quantize", model, "--data", sandbox.path / "data.npz", "-o", out, "--accuracy-level", level,
                           "--diagnose", "--output", "json", *more)
        workload = json.loads(done.stdout)["workload"]
        plan, pairing = (sandbox.record(workload, f"{name}.json") for name in ("plan", "pairing"))
        calibrated = (sandbox.workload(workload) / "ranges.json").is_file()  # else no op wants a range
        ranges = sandbox.record(workload, "ranges.json") if calibrated else {"values": []}
        self.left = {one["op"]["id"]: one["reason"] for one in plan["ops"] if not one["quantized"]}
        self.ranges = {one["value"]: (one["min"], one["max"]) for one in ranges["values"]}
        self.changes = [(one["op"]["id"], one["rule"]) for one in pairing["changes"]]
        self.values = {one["reference"]: (one["quantized"], one["side"], one["confirmed"]) for one in pairing["pairs"]}
        self.weights = {one["reference"]: one["quantized"] for one in pairing["weights"]}
        self.notes = done.stderr

    def check_pairs(self):
        harness.check(not self.changes, f"nothing computes otherwise {self.changes or ''}")
        harness.check(all(row[2] for row in self.values.values()), "all pairs are confirmed by both files")


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


def check_small(sandbox):
    random = draw(3)
    bytes_, w = small_network(random)
    model, out = sandbox.path / "small.pb", sandbox.path / "small.int8.pb"
    model.write_bytes(bytes_)
    image = random(4, 9, 9, 3)
    written = Written(sandbox, model, out, {"image": image[:2]})
    written.check_pairs()
    ranges, left, values, weights = written.ranges, written.left, written.values, written.weights
    harness.check(sorted(ranges) == ["conv/act", "each/gain", "fc/act", "image", "mix/act", "pool"],
                  f"ranges are asked for what int8 ops read and give: {sorted(ranges)}")
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
    sides = {"image": ("image/quantize", "q_output"), "pool": ("pool/quantize", "q_output")}
    sides |= {value: (f"{value}/int8", "integer_output") for value in ("conv/act", "each/gain", "mix/act", "fc/act")}
    harness.check({value: values[value][:2] for value in sides} == sides,
                  f"codes are paired with the values that they stand for: {values}")
    harness.check(len(weights) == 5, f"and weights with theirs: {weights}")
    return model, image, w


def check_bias_correction(sandbox, model, image, w):
    """What rounding a weight adds to the mean of a channel is taken from its bias, by the means of the channels that it reads."""
    out = sandbox.path / "corrected.pb"
    Written(sandbox, model, out, {"image": image}, "--recipe", "{activation: {algorithm: minmax}}", level="default")
    nodes = {one.name: one for one in load(out).node}
    act, gain, pool, fc = Session(model).run(["conv/act", "each/gain", "pool", "fc/act"], {"image": image})
    for value, weight, bias, axes, mean in [
            ("conv/act", w["w1"], w["b1"], (0, 1, 2), image.mean((0, 1, 2))[:, None]),
            ("each/gain", w["w2"], w["b2"], (0, 1, 3), act.mean((0, 1, 2))[:, None]),
            ("mix/act", w["w3"], 0, (0, 1, 2), gain.mean((0, 1, 2))[:, None]),
            ("fc/act", w["w4"], w["b4"], (0,), pool.mean(0)[:, None])]:
        codes, scale = weight_codes(weight, axes)
        error = codes * (scale.reshape(-1, 1) if value == "each/gain" else scale) - weight
        wanted = bias - (error * mean).sum(axes)
        made = tf.make_ndarray(nodes[nodes[f"{value}/int8"].input[2]].attr["value"].tensor)
        harness.check(np.allclose(made, wanted, atol=1e-5), f"the bias of what makes {value} is corrected")
        harness.check(np.abs(wanted - bias).max() > 1e-4, "by what counts")
    harness.check(fc.min() == 0, "behind a Relu")


def check_recipes(sandbox, model):
    """Ops that a recipe keeps in float get what was folded into them, and the same results."""
    names = "{op_name_dict: {conv: fp32, fc: fp32, last: fp32, each: fp32, mix: fp32}}"
    out = sandbox.path / "float.pb"
    given = {"image": draw(8)(3, 9, 9, 3)}
    left = Written(sandbox, model, out, given, "--recipe", names).left
    harness.check({"conv", "fc", "each"} <= set(left) and not KERNELS & {one.op for one in load(out).node},
                  "a recipe keeps ops in float")
    image = draw(9)(2, 9, 9, 3)
    plain, edited = (Session(path).run(["scores"], {"image": image})[0] for path in (model, out))
    harness.check(np.allclose(plain, edited, rtol=1e-4, atol=1e-5), "whose folded graph computes the same")
    out = sandbox.path / "mixed.pb"
    Written(sandbox, model, out, given, "--recipe", "{op_name_dict: {each: fp32}, weight: {granularity: per_tensor}}")
    mixed = Session(out).run(["scores"], {"image": image})[0]
    error = 10 * np.log10((plain**2).sum() / ((plain - mixed)**2).sum())
    harness.check(error > 15, f"int8 and float ops in turn, one scale a weight: {error:.1f} dB")
    asked = "{quant_format: qoperator, activation: {scheme: sym}, target: arm}"
    notes = Written(sandbox, model, sandbox.path / "asked.pb", given, "--recipe", asked).notes
    for words in ("quant_format qoperator has no effect", "activation.scheme: which 8-bit codes", "target arm: the model's"):
        harness.check(notes.count(words) == 1, f"what a recipe asks in vain is told once: {words}")


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


def check_branches(sandbox):
    random = draw(5)
    model, out = sandbox.path / "branches.pb", sandbox.path / "branches.int8.pb"
    model.write_bytes(branching_network(random))
    image = random(4, 12, 12, 3)
    written = Written(sandbox, model, out, {"image": image})
    written.check_pairs()
    left, values = written.left, written.values
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
    is_whole = len(written.weights) == 5 and values["pooled"][0] == "pooled/int8"
    harness.check(is_whole, f"all of it is paired: {values}")


def joining_network(random):
    """Concatenations as Inception has them: of Relus of several widths and a pool; of what may be negative; of a Relu6 and what
    goes on beyond 6."""
    def op(kind, name, *inputs, **attributes):
        return node(name, kind, inputs, **T, **attributes)

    def conv(name, data, size, inputs, outputs, gain, relu=None):
        nodes = [constant(f"{name}/w", random(size, size, inputs, outputs) * gain), op("Conv2D", name, data, f"{name}/w", **same),
                 constant(f"{name}/b", random(outputs)), op("BiasAdd", f"{name}/sum", name, f"{name}/b")]
        return [*nodes, op(relu, f"{name}/act", f"{name}/sum")] if relu else nodes

    def join(name, *parts):
        return node(name, "ConcatV2", [*parts, "axis"], **T, N=field(3, len(parts)), Tidx=field(6, graphdefs.INT32))

    same = {"strides": numbers([1, 1, 1, 1]), "padding": field(2, "SAME")}
    return graphdefs.graph([
        node("image", "Placeholder", dtype=field(6, graphdefs.FLOAT), shape=graphdefs.shape([-1, 8, 8, 4])),
        node("axis", "Const", value=integers([], [3]), dtype=field(6, graphdefs.INT32)),
        *conv("narrow", "image", 1, 4, 5, 0.1, "Relu"), *conv("wide", "image", 3, 4, 3, 0.4, "Relu"),
        op("MaxPool", "pooled", "narrow/act", ksize=numbers([1, 3, 3, 1]), **same),
        join("first", "narrow/act", "wide/act", "pooled"),
        *conv("signed", "first", 1, 13, 6, 0.2), *conv("plain", "first", 1, 13, 4, 0.2, "Relu"),
        join("second", "signed/sum", "plain/act"),
        *conv("bounded", "second", 1, 10, 4, 0.5, "Relu6"), *conv("free", "second", 1, 10, 4, 2.0, "Relu"),
        join("third", "bounded/act", "free/act"), *conv("last", "third", 1, 8, 4, 0.3, "Relu")])


def check_joins(sandbox):
    model, out = sandbox.path / "joins.pb", sandbox.path / "joins.int8.pb"
    model.write_bytes(joining_network(draw(11)))
    image = draw(12)(6, 8, 8, 4)
    written = Written(sandbox, model, out, {"image": image})
    written.check_pairs()
    harness.check(list(written.left) == ["third"] and "end at 6" in written.left["third"],
                  f"codes that would have to end at 6 and go on are put together in float: {written.left}")
    session = Session(out)
    narrow, wide, pooled, first, signed, plain, second = session.run(
        [f"{value}/int8" for value in ("narrow/act", "wide/act", "pooled", "first", "signed/sum", "plain/act", "second")],
        {"image": image})
    harness.check(np.array_equal(first, np.concatenate([narrow, wide, pooled], 3)) and first.dtype == np.uint8 and
                  narrow.max() < wide.max() == first.max(), "parts are put together as codes of one scale")
    harness.check(np.array_equal(second, np.concatenate([signed, plain], 3)) and second.dtype == np.int8 and plain.min() == 0,
                  "signed ones where one part may be negative, with its Relu")
    constants = {one.name: tf.make_ndarray(one.attr["value"].tensor) for one in load(model).node if one.op == "Const"}
    scale = scale_of(written.ranges["first"], False)
    for name, got in (("narrow", narrow), ("wide", wide)):
        codes, s = weight_codes(constants[f"{name}/w"], (0, 1, 2))
        span = scale_of(written.ranges["image"], True)
        real = convolve(codes_of(image, span, True), codes) * span * s + constants[f"{name}/b"]
        harness.check(is_rounded(got.astype(float), real, scale, 0, 255), f"{name} is exact in the scale of the whole")
    codes, s = weight_codes(constants["plain/w"], (0, 1, 2))
    real = convolve(first.astype(float), codes) * scale * s + constants["plain/b"]
    harness.check(is_rounded(plain.astype(float), np.maximum(real, 0), scale_of(written.ranges["second"], True), 0, 127),
                  "and so is a Relu of signed codes")
    plain, quantized = (Session(path).run(["last/act"], {"image": image})[0] for path in (model, out))
    error = 10 * np.log10((plain**2).sum() / ((plain - quantized)**2).sum())
    harness.check(error > 25, f"the results are those of the float graph: {error:.1f} dB")
    harness.check(written.values["first"][0] == "first/int8" and written.values["second"][1] == "integer_output",
                  f"and what is put together is paired: {written.values}")


def check_mobilenet(sandbox, width, least, *more):
    model = harness.TESTDATA / "models" / f"mobilenet_v1_{width}_224.pb"
    pixels = harness.imagenet(sandbox, name="nhwc.yaml")
    pixels.write_text(pixels.read_text().replace("nchw", "nhwc"))
    out = sandbox.path / f"{width}.pb"
    told = sandbox.json("quantize", model, "--data", pixels, "-o", out, "--metric", harness.MOBILENET_METRIC, *more)
    graph = load(out)
    kernels = [one.op for one in graph.node if one.op in KERNELS]
    harness.check(len(kernels) == 28, f"MobileNet {width}: all 28 convolutions are int8")
    harness.check(sum(one.op == "QuantizeV2" for one in graph.node) <= 2, "codes go from one to the next")
    share = out.stat().st_size / model.stat().st_size
    harness.check(share < 0.32, f"the file has {share:.2f} of the bytes")
    plain, quantized = told["reference"]["value"], told["quantized"]["value"]
    harness.check(quantized >= least, f"top1 {plain:.1%} -> {quantized:.1%} {' '.join(more)}, at least {least:.1%}")
    return quantized


def main():
    sandbox = harness.Sandbox()
    model, image, weights = check_small(sandbox)
    check_bias_correction(sandbox, model, image, weights)
    check_recipes(sandbox, model)
    check_branches(sandbox)
    check_joins(sandbox)
    if not harness.TESTDATA.is_dir():
        print("left out the MobileNets: the test data are absent")
        return
    for width, least in (("0.25", 0.524), ("0.75", 0.754)):
        fast = check_mobilenet(sandbox, width, least, "--accuracy-level", "fast")
        harness.check(check_mobilenet(sandbox, width, least) > fast, "the default level keeps more than level fast")


main()
