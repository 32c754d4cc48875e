# SPDX-License-Identifier: Apache-2.0
"""Small models by every approach: what ONNX Runtime answers is what NumPy says that the codes mean."""

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

NUMBERS = np.random.default_rng(0)
CLOSE = 2e-6  # of the largest answer: sums of floats in another order
STEPS = 127 if harness.has_vnni() else 63  # of int8 weights on each side of 0


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def normal(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


def save(sandbox, name, nodes, x_shape, weights, outputs=("y",), opset=17, inputs=()):
    """A model whose weights are named by `weights`."""
    initializers = [numpy_helper.from_array(value, key) for key, value in weights.items()]
    graph = helper.make_graph(nodes, "g", [floats("x", *x_shape), *inputs],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, None) for output in outputs],
                              initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    path = sandbox.path / name
    onnx.save(model, path)
    return path


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def quantized(sandbox, path, approach, recipe="{}"):
    out = path.with_suffix(f".{approach}.onnx")
    result = sandbox.json("quantize", path, "--approach", approach, "-o", out, "--recipe", recipe)
    return out, result


def types(path):
    return [node.op_type for node in onnx.load(path).graph.node]


def plan_of(sandbox, result):
    return {op["op"]["id"]: op for op in sandbox.record(result["workload"], "plan.json")["ops"]}


def as_dynamic(x):
    """What DynamicQuantizeLinear makes of x, dequantized."""
    low, high = min(x.min(), 0), max(x.max(), 0)
    scale = np.float32((high - low) / np.float32(255))
    zero = np.clip(np.rint(-low / scale), 0, 255)
    codes = np.clip(np.rint(x / scale) + zero, 0, 255)
    return (codes.astype(np.float64) - zero) * np.float64(scale)


def as_codes(weight, axis, steps=STEPS):
    """Symmetric codes, one scale for each index of `axis` (None: one), dequantized."""
    others = tuple(i for i in range(weight.ndim) if i != axis) if axis is not None else None
    scale = (np.abs(weight).max(axis=others, keepdims=True) / steps).astype(np.float32)
    return np.rint(weight / scale).astype(np.float64) * scale.astype(np.float64)


def difference(answer, wanted):
    return np.abs(answer - wanted).max() / np.abs(wanted).max()


def check_products(sandbox):
    x, w, bias = normal(5, 24), normal(24, 10), normal(10)
    cases = {
        "matmul": ([helper.make_node("MatMul", ["x", "w"], ["y"])], {"w": w}, as_codes(w, 1), 0),
        "gemm": ([helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)], {"w": w.T.copy(), "b": bias},
                 as_codes(w, 1), bias),
        "gemm_row": ([helper.make_node("Gemm", ["x", "w", "b"], ["y"])], {"w": w, "b": bias.reshape(1, 10)},
                     as_codes(w, 1), bias),
        "gemm_plain": ([helper.make_node("Gemm", ["x", "w"], ["y"])], {"w": w}, as_codes(w, 1), 0),
    }
    for name, (nodes, weights, meant, added) in cases.items():
        path = save(sandbox, f"{name}.onnx", nodes, ("n", 24), weights)
        out, result = quantized(sandbox, path, "dynamic")
        harness.check(result["ops_quantized"] == 1 and types(out)[:2] == ["DynamicQuantizeLinear", "MatMulInteger"],
                      f"{name}: becomes MatMulInteger")
        off = difference(run(out, {"x": x})[0], as_dynamic(x) @ meant + added)
        harness.check(off < CLOSE, f"{name}: as NumPy has it ({off:.1e})")
        float_off = difference(run(path, {"x": x})[0], run(out, {"x": x})[0])
        harness.check(1e-4 < float_off < 0.03, f"{name}: near the float model ({float_off:.4f})")


def check_weights(sandbox):
    x, w = normal(3, 4, 24), normal(4, 24, 10)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    path = save(sandbox, "batched.onnx", nodes, (3, 4, 24), {"w": w[0]})
    for recipe, meant in (("{weight: {granularity: per_tensor}}", as_codes(w[0], None)),
                          ("{weight: {dtype: uint8}}", as_codes(w[0], 1, 127))):
        out, _ = quantized(sandbox, path, "dynamic", recipe)
        off = difference(run(out, {"x": x})[0], as_dynamic(x) @ meant)
        harness.check(off < CLOSE, f"{recipe}: as NumPy has it ({off:.1e})")
    out, _ = quantized(sandbox, path, "dynamic", "{weight: {scheme: asym, dtype: uint8}}")
    low, high = np.minimum(w[0].min(0), 0), np.maximum(w[0].max(0), 0)
    scale = ((high.astype(np.float64) - low) / 255).astype(np.float32)
    zero = np.rint(-low / scale.astype(np.float64))
    meant = (np.clip(np.rint(w[0] / scale) + zero, 0, 255) - zero) * scale.astype(np.float64)
    off = difference(run(out, {"x": x})[0], as_dynamic(x) @ meant)
    harness.check(off < CLOSE, f"asym: a zero point for each column, as NumPy has it ({off:.1e})")
    out, _ = quantized(sandbox, path, "dynamic", "{reduce_range: true}")
    codes = [numpy_helper.to_array(t) for t in onnx.load(out).graph.initializer if t.data_type == TensorProto.INT8]
    harness.check(max(np.abs(c.astype(int)).max() for c in codes) == 63, "reduce_range: weights have 7 bits")

    x = normal(4, 3, 24)
    path = save(sandbox, "cube.onnx", nodes, (4, 3, 24), {"w": w})
    out, _ = quantized(sandbox, path, "dynamic")
    off = difference(run(out, {"x": x})[0], as_dynamic(x) @ as_codes(w, None))
    harness.check(off < CLOSE, f"a weight of three dimensions has one scale, as NumPy has it ({off:.1e})")


def check_shared(sandbox):
    x, w = normal(3, 8), normal(8, 8)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Gemm", ["x", "w"], ["b"], transB=1),
             helper.make_node("Gemm", ["x", "w"], ["c"]), helper.make_node("Sum", ["a", "b", "c"], ["y"])]
    path = save(sandbox, "shared.onnx", nodes, (3, 8), {"w": w})
    out, _ = quantized(sandbox, path, "dynamic")
    made = types(out)
    harness.check(made.count("DynamicQuantizeLinear") == 1 and made.count("MatMulInteger") == 3,
                  "a value that three ops read is quantized once")
    stored = [t for t in onnx.load(out).graph.initializer if t.data_type == TensorProto.INT8]
    harness.check(len(stored) == 2, "a weight is stored once for each way it lies")
    meant = as_dynamic(x) @ (2 * as_codes(w, 1) + as_codes(w.T, 1))
    off = difference(run(out, {"x": x})[0], meant)
    harness.check(off < CLOSE, f"shared weights: as NumPy has it ({off:.1e})")


def check_convolutions(sandbox):
    def float_conv(nodes, x, weights):
        path = save(sandbox, "plain.onnx", nodes, x.shape, weights)
        return run(path, {"x": x.astype(np.float32)})[0]

    for name, x, w, attributes in (
            ("conv", normal(2, 6, 9, 9), normal(8, 6, 3, 3), {"pads": [1] * 4, "strides": [2, 2]}),
            ("depthwise", normal(1, 6, 9, 9), normal(6, 1, 3, 3), {"group": 6, "auto_pad": "SAME_UPPER"}),
            ("conv1d", normal(2, 6, 20), normal(8, 6, 3), {"dilations": [2]})):
        nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)]
        weights = {"w": w, "b": normal(w.shape[0])}
        path = save(sandbox, f"{name}.onnx", nodes, x.shape, weights)
        out, result = quantized(sandbox, path, "dynamic")
        harness.check("ConvInteger" in types(out) and any("ConvInteger takes" in n for n in result["notes"]),
                      f"{name}: becomes ConvInteger, and its price is told")
        meant = float_conv(nodes, as_dynamic(x), dict(weights, w=as_codes(w, 0).astype(np.float32)))
        off = difference(run(out, {"x": x})[0], meant)
        harness.check(off < 10 * CLOSE, f"{name}: as the float op has it on the same numbers ({off:.1e})")

    x, w = normal(2, 3, 8, 8), normal(4, 3, 3, 3)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"]),
             helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["y"])]
    norm = {"s": normal(4), "b": normal(4), "m": normal(4), "v": np.abs(normal(4)) + 1}
    path = save(sandbox, "folded.onnx", nodes, x.shape, {"w": w, **norm})
    out, _ = quantized(sandbox, path, "dynamic")
    off = difference(run(path, {"x": x})[0], run(out, {"x": x})[0])
    harness.check("BatchNormalization" not in types(out) and 1e-4 < off < 0.03, f"batch norm is folded ({off:.4f})")


def check_recurrent(sandbox):
    hidden, size = 12, 10
    for directions in (1, 2):
        weights = {"w": normal(directions, 4 * hidden, size), "r": normal(directions, 4 * hidden, hidden),
                   "b": normal(directions, 8 * hidden)}
        node = helper.make_node("LSTM", ["x", "w", "r", "b"], ["y", "h", "c"], hidden_size=hidden,
                                direction="bidirectional" if directions == 2 else "forward")
        path = save(sandbox, f"lstm{directions}.onnx", [node], (7, 3, size), weights, ("y", "h", "c"))
        x = normal(7, 3, size)
        wanted = run(path, {"x": x})
        for recipe in ("{}", "{weight: {granularity: per_tensor, scheme: asym}}"):
            out, _ = quantized(sandbox, path, "dynamic", recipe)
            worst = max(np.abs(a - b).max() for a, b in zip(run(out, {"x": x}), wanted))
            harness.check(types(out) == ["DynamicQuantizeLSTM"] and 0 < worst < 12.7 / STEPS,
                          f"LSTM of {directions} directions, {recipe}: near the float op ({worst:.4f})")
        codes = onnx.load(out).graph.initializer
        harness.check(sum(t.data_type == TensorProto.INT8 for t in codes) == 4, "its weights are int8")
        out, result = quantized(sandbox, path, "dynamic", "{weight: {scheme: asym}}")
        harness.check(any("are symmetric" in note for note in result["notes"]), "what its kernel lacks is told")


def check_left_alone(sandbox):
    w = normal(8, 8)
    nan = w.copy()
    nan[3, 3] = np.nan
    nodes = [helper.make_node("MatMul", ["x", "nan"], ["a"]), helper.make_node("MatMul", ["w", "a"], ["b"]),
             helper.make_node("MatMul", ["b", "a"], ["c"]), helper.make_node("MatMul", ["c", "v"], ["d"]),
             helper.make_node("Gemm", ["a", "w"], ["e"], transA=1), helper.make_node("Cast", ["e"], ["half"], to=10),
             helper.make_node("MatMul", ["half", "w16"], ["f"]), helper.make_node("Relu", ["d"], ["y"])]
    path = save(sandbox, "left.onnx", nodes, (8, 8), {"w": w, "nan": nan, "v": normal(8), "w16": w.astype(np.float16)})
    out, result = quantized(sandbox, path, "dynamic")
    reasons = {op: entry["reason"] for op, entry in plan_of(sandbox, result).items()}
    harness.check(result["ops_quantized"] == 0 and "MatMulInteger" not in types(out), "nothing is quantized")
    for op, words in (("a", "NaN"), ("b", "on the left"), ("c", "at run time"), ("d", "dimensions"), ("e", "transA"),
                      ("f", "float16"), ("y", "no form")):
        harness.check(words in reasons[op], f"reason: {reasons[op]}")
    done = sandbox.run("quantize", path, "--approach", "dynamic", "-o", out)
    harness.check("no op could be quantized" in done.stderr, "and that is told")
    run(out, {"x": normal(8, 8)})

    path = save(sandbox, "relu.onnx", [helper.make_node("Relu", ["x"], ["y"])], (4,), {})
    out, result = quantized(sandbox, path, "dynamic")
    harness.check(run(out, {"x": normal(4)})[0].shape == (4,), "a model without any weight is written, too")
    kept, result = quantized(sandbox, sandbox.path / "matmul.onnx", "dynamic", "{op_type_dict: {MatMul: fp32}}")
    harness.check(types(kept) == ["MatMul"], "the recipe keeps an op in float")
    done = sandbox.run("quantize", path, code=2)
    harness.check("--approach dynamic" in done.stderr, "calibration without samples ends in a sentence")
    done = sandbox.run("quantize", path, "--approach", "dynamic", "--diagnose", code=2)
    harness.check("--data" in done.stderr, "so does a diagnosis without samples")
    done = sandbox.run("quantize", path, "--recipe", "{approach: sometimes}", code=2)
    harness.check("approach cannot be 'sometimes'" in done.stderr, "and an approach that there is none")


def check_automatic(sandbox):
    """What static quantization cannot do is done dynamically."""
    hidden = 6
    nodes = [helper.make_node("MatMul", ["x", "m"], ["a"], "static"),
             helper.make_node("LSTM", ["a", "w", "r"], ["b"], "recurrent", hidden_size=hidden),
             helper.make_node("Squeeze", ["b", "axes"], ["c"]),
             helper.make_node("MatMul", ["c", "n"], ["y"], "last")]
    weights = {"m": normal(5, 4), "w": normal(1, 4 * hidden, 4), "r": normal(1, 4 * hidden, hidden),
               "n": normal(hidden, 3), "axes": np.array([1])}
    path = save(sandbox, "automatic.onnx", nodes, (7, 2, 5), weights)
    out = sandbox.path / "automatic.q.onnx"
    result = sandbox.json("quantize", path, "--approach", "auto", "--data", "random", "-o", out)
    forms = {op["op"]["name"]: op["form"] for op in plan_of(sandbox, result).values()}
    harness.check((forms["static"], forms["recurrent"], forms["last"]) == ("static", "dynamic", "static"),
                  f"auto: static where it can be, dynamic where not ({forms})")
    made = types(out)
    harness.check("DynamicQuantizeLSTM" in made and "QuantizeLinear" in made, "both are in the file")
    x = NUMBERS.uniform(-1, 1, (7, 2, 5)).astype(np.float32)
    off = difference(run(out, {"x": x})[0], run(path, {"x": x})[0])
    harness.check(off < 0.1, f"auto: near the float model ({off:.3f})")


def unpacked(codes, bits):
    if bits == 8:
        return codes
    return np.stack([codes & 15, codes >> 4], -1).reshape(*codes.shape[:-1], -1)


def in_blocks(path):
    """What the weights in blocks of a file mean, by name: an independent reading of them."""
    model = onnx.load(path)
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    meant = {}
    for node in model.graph.node:
        if node.op_type not in ("MatMulNBits", "GatherBlockQuantized"):
            continue
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        bits, size = attributes["bits"], attributes["block_size"]
        name, scale = (node.input[1], node.input[2]) if node.op_type == "MatMulNBits" else (node.input[0], node.input[2])
        scales = stored[scale]
        lines, blocks = scales.shape
        codes = unpacked(stored[name].reshape(lines, -1), bits).reshape(lines, blocks, size).astype(np.float64)
        zeros = 2.0 ** (bits - 1)
        if len(node.input) > 3 and node.input[3]:
            zeros = unpacked(stored[node.input[3]], bits)[:, :blocks, None]
        values = ((codes - zeros) * scales[..., None].astype(np.float64)).reshape(lines, -1)
        length = attributes.get("K", values.shape[1])
        meant[name] = (values[:, :length], scales, size, attributes)
    return meant


def rounded(lines, bits, size, symmetric):
    """Rounding to the nearest, by NumPy: the plain algorithm."""
    count = -(-lines.shape[1] // size)
    padded = np.zeros((lines.shape[0], count * size), np.float32)
    padded[:, :lines.shape[1]] = lines
    blocks = padded.reshape(lines.shape[0], count, size)
    top, middle = 2 ** bits - 1, 2 ** (bits - 1)
    if symmetric:
        furthest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)
        scale, zero = (furthest / np.float32(-middle)).astype(np.float32), np.float32(middle)
    else:
        low, high = np.minimum(blocks.min(-1, keepdims=True), 0), np.maximum(blocks.max(-1, keepdims=True), 0)
        scale = high / np.float32(top) - low / np.float32(top)
        zero = np.clip(np.rint(-low / scale), 0, top)
    codes = np.clip(np.rint(blocks / scale) + zero, 0, top).astype(np.float64)
    return ((codes - zero) * scale).reshape(lines.shape[0], -1)[:, :lines.shape[1]]


def check_blocks(sandbox):
    """All of bits, block sizes and schemes, for lengths that blocks divide and that they do not."""
    for length in (64, 100, 300):
        x, w, bias = normal(2, 7, length), normal(length, 24), normal(24)
        product = save(sandbox, "product.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])], x.shape, {"w": w})
        gemm = save(sandbox, "gemm_blocks.onnx", [helper.make_node("Gemm", ["x", "w", "b"], ["y"], transB=1)],
                    (7, length), {"w": w.T.copy(), "b": bias})
        for bits in (4, 8):
            for size in (16, 32, 64, 128, 256):
                for scheme in ("sym", "asym"):
                    options = f"bits: {bits}, group_size: {size}, scheme: {scheme}"
                    wanted = rounded(w.T, bits, size, scheme == "sym")
                    out, _ = quantized(sandbox, product, "weight_only", f"{{weight: {{{options}, algorithm: RTN}}}}")
                    (values, scales, stored_size, attributes), = in_blocks(out).values()
                    off = difference(values, wanted)
                    answers = difference(run(out, {"x": x})[0], x.astype(np.float64) @ values.T)
                    good = stored_size == size and attributes["bits"] == bits and off < 1e-6 and answers < CLOSE
                    if bits == 4 and size == 32:
                        other, _ = quantized(sandbox, gemm, "weight_only", f"{{weight: {{{options}}}}}")
                        (tried, *_), = in_blocks(other).values()
                        answers = difference(run(other, {"x": x[0]})[0], x[0].astype(np.float64) @ tried.T + bias)
                        error = ((tried - w.T) ** 2).sum() / ((wanted - w.T) ** 2).sum()
                        good = good and answers < CLOSE and error < 0.95
                    harness.check(good, f"K {length}, {options}: codes as NumPy's, answers as X @ W ({answers:.1e})")


def check_tables(sandbox):
    table, x = normal(200, 96), np.array([[0, 199, 7], [3, -1, 3]])
    indices = helper.make_tensor_value_info("i", TensorProto.INT64, [2, 3])
    nodes = [helper.make_node("Gather", ["t", "i"], ["e"]), helper.make_node("Add", ["e", "x"], ["y"])]
    path = save(sandbox, "table.onnx", nodes, (96,), {"t": table}, inputs=[indices])
    for bits in (4, 8):
        out, _ = quantized(sandbox, path, "weight_only", f"{{weight: {{bits: {bits}, group_size: 64, scheme: asym}}}}")
        (values, _, size, _), = in_blocks(out).values()
        got = run(out, {"i": x, "x": np.zeros(96, np.float32)})[0]
        harness.check(size == 32 and np.abs(got - values[x]).max() < 1e-6 and difference(got, table[x]) < 0.1,
                      f"table of {bits} bits: rows as they are stored, in blocks that divide them")


def check_blocks_left_alone(sandbox):
    w = normal(64, 16)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("MatMul", ["x", "nan"], ["b"]),
             helper.make_node("MatMul", ["x", "cube"], ["c"]), helper.make_node("Conv", ["image", "k"], ["d"]),
             helper.make_node("Gather", ["t", "i"], ["e"]), helper.make_node("Gather", ["odd", "i"], ["f"])]
    bad = w.copy()
    bad[0, 0] = np.inf
    weights = {"w": w, "nan": bad, "cube": normal(2, 64, 16), "k": normal(4, 3, 3, 3), "t": normal(4, 16),
               "odd": normal(200, 30)}
    inputs = [floats("image", 1, 3, 8, 8), helper.make_tensor_value_info("i", TensorProto.INT64, [2])]
    path = save(sandbox, "blocks_left.onnx", nodes, (2, 3, 64), weights, tuple("abcdef"), inputs=inputs)
    out, result = quantized(sandbox, path, "weight_only")
    ops = plan_of(sandbox, result)
    harness.check([op for op, entry in ops.items() if entry["form"] == "weight_only"] == ["a"], "one op of six")
    for op, words in (("b", "infinity"), ("c", "3 dimensions"), ("d", "no form"), ("e", "small"), ("f", "30 elements")):
        harness.check(words in ops[op]["reason"], f"reason: {ops[op]['reason']}")
    done = sandbox.run("quantize", path, "--approach", "weight_only", "--recipe", "{weight: {group_size: 48}}", code=2)
    harness.check("group_size cannot be '48'" in done.stderr, "a block size that there is none ends in a sentence")
    done = sandbox.run("quantize", path, "--approach", "weight_only", "--recipe", "{weight: {bits: 3}}")
    harness.check("bits has no effect" in done.stderr, "a number of bits that there is none is told")
    out, _ = quantized(sandbox, path, "weight_only", "{activation: {dtype: int8}}")
    (_, _, _, attributes), = in_blocks(out).values()
    harness.check(attributes["accuracy_level"] == 4, "activation int8: the kernel may round its data")
    out, _ = quantized(sandbox, path, "weight_only", "{op_name_dict: {'MatMul:a': fp32}}")
    harness.check(not in_blocks(out), "the recipe keeps an op in float")


def check_half(sandbox):
    """Ops in half: what they read and give is rounded to half, and casts stand at the borders only."""
    w, big = normal(16, 16), normal(16, 16)
    big[0, 0] = 1e5
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Softmax", ["b"], ["c"]), helper.make_node("Exp", ["c"], ["d"]),
             helper.make_node("MatMul", ["d", "big"], ["e"]), helper.make_node("Reshape", ["c", "shape"], ["f"]),
             helper.make_node("Split", ["f"], ["g", "h"], axis=0), helper.make_node("Add", ["g", "h"], ["y"])]
    weights = {"w": w, "big": big, "shape": np.array([4, 16])}
    path = save(sandbox, "half.onnx", nodes, (4, 16), weights, ("y", "b", "e"), opset=13)
    recipe = "{fallback: fp16, op_type_dict: {MatMul: {activation: {dtype: fp16}}}}"
    out, result = quantized(sandbox, path, "weight_only", recipe)
    ops = plan_of(sandbox, result)
    forms = {op: entry["form"] for op, entry in ops.items()}
    harness.check(forms == {"a": "fp16", "b": "fp16", "c": "fp16", "d": "float", "e": "float", "f": "fp16",
                            "g": "fp16", "y": "fp16"}, f"half where it can be ({forms})")
    harness.check("beyond the 65504" in ops["e"]["reason"] and "not computed in half" in ops["d"]["reason"],
                  "and the reason where not")
    made = onnx.load(out)
    casts = [node for node in made.graph.node if node.op_type == "Cast"]
    harness.check(len(casts) == 4, f"a Cast at each border ({len(casts)})")  # x; b, c, y
    stored = {t.name: t.data_type for t in made.graph.initializer}
    harness.check("w" not in stored and stored["w_fp16"] == TensorProto.FLOAT16 and stored["big"] == TensorProto.FLOAT,
                  "weights of half ops are stored in half, once")
    x = normal(4, 16)
    half = np.float16
    a = x.astype(half).astype(np.float32) @ w.astype(half).astype(np.float32)
    off = np.abs(run(out, {"x": x})[1] - np.maximum(a, 0).astype(half)).max()
    harness.check(off < 0.01, f"the answer is that of rounded numbers ({off:.1e})")
    harness.check(0 < difference(run(out, {"x": x})[0], run(path, {"x": x})[0]) < 2e-2, "near the float model's")
    table = sandbox.run("quantize", path, "--approach", "weight_only", "--recipe", recipe, "-o", out).stdout
    harness.check("FP16" in table, "the table has a column for them")

    # between integer ops, and known by its range to be too large for half
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Softmax", ["a"], ["b"]),
             helper.make_node("Mul", ["b", "many"], ["c"]), helper.make_node("Tanh", ["c"], ["d"]),
             helper.make_node("MatMul", ["d", "v"], ["y"])]
    weights = {"w": w, "v": normal(16, 8), "many": np.float32(3e5)}
    path = save(sandbox, "between.onnx", nodes, (4, 16), weights)
    out = sandbox.path / "between.q.onnx"
    np.savez(sandbox.path / "between.npz", x=normal(80, 16))
    result = sandbox.json("quantize", path, "--data", sandbox.path / "between.npz", "-o", out, "--recipe",
                          "{fallback: fp16}")
    forms = {op: entry["form"] for op, entry in plan_of(sandbox, result).items()}
    harness.check(forms == {"a": "static", "b": "fp16", "c": "float", "d": "fp16", "y": "static"},
                  f"static ops and half ops side by side ({forms})")
    answer = run(out, {"x": x})[0]
    off = difference(answer, run(path, {"x": x})[0])
    harness.check(np.isfinite(answer).all() and off < 0.1, f"and it runs ({off:.2f})")


def main():
    sandbox = harness.Sandbox()
    check_products(sandbox)
    check_weights(sandbox)
    check_shared(sandbox)
    check_convolutions(sandbox)
    check_recurrent(sandbox)
    check_left_alone(sandbox)
    check_automatic(sandbox)
    check_blocks(sandbox)
    check_tables(sandbox)
    check_blocks_left_alone(sandbox)
    check_half(sandbox)


main()
