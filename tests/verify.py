# SPDX-License-Identifier: Apache-2.0
"""quantize --verify tries remedies: the gain that it tells is the one that the runtime's own outputs show."""

import json

import harness

harness.need("numpy", "onnx", "onnxruntime")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime as ort  # noqa: E402

MODEL, DATA = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
ARGUMENTS = [MODEL, "--data", DATA, "--diagnose", "--recipe", harness.PER_TENSOR]


def outputs(path):
    arrays = np.load(DATA)
    session = ort.InferenceSession(str(path))
    name = session.get_inputs()[0].name
    samples = next(arrays[key] for key in arrays.files if arrays[key].ndim > 1)
    return np.stack([session.run(None, {name: x[None]})[0].ravel() for x in samples]).astype(np.float64)


def relative_error(x, path):
    return ((x - outputs(path)) ** 2).sum() / (x * x).sum()


def net(sandbox, name, output):
    """Two layers whose output has this element type, and samples for it."""
    random = np.random.default_rng(5)
    weights = {"w1": random.normal(size=(16, 32)), "b1": random.normal(size=32), "w2": random.normal(size=(32, 4))}
    nodes = [onnx.helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], "first"), onnx.helper.make_node("Relu", ["h"], ["r"], "relu"),
             onnx.helper.make_node("MatMul", ["r", "w2"], ["m"], "second"), onnx.helper.make_node("Cast", ["m"], ["y"], "cast", to=output)]
    graph = onnx.helper.make_graph(
        nodes, name, [onnx.helper.make_tensor_value_info("x", 1, ["n", 16])], [onnx.helper.make_tensor_value_info("y", output, ["n", 4])],
        [onnx.numpy_helper.from_array(value.astype(np.float32), key) for key, value in weights.items()])
    model, data = sandbox.path / f"{name}.onnx", sandbox.path / f"{name}.npz"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), model)
    np.savez(data, x=random.normal(size=(60, 16)).astype(np.float32))
    return model, data


def shares_hold(sandbox, name, output, recipe):
    """What is told to begin at an op is what its remedy takes away, and nothing is left out."""
    model, data = net(sandbox, name, output)
    result = sandbox.json("quantize", model, "--data", data, "-o", sandbox.path / "q.onnx", "--diagnose", "--verify", "1",
                          "--recipe", recipe)
    diagnosis = result["diagnosis"]
    harness.check(diagnosis["not_compared"] == [] and len(diagnosis["activations"]) >= 4, f"{name}: all values are compared")
    first = diagnosis["findings"][0]
    low, high = first["output_share_interval"]
    least, most = first["measured_gain_interval"]
    harness.check(first["share_is_measured"] and least <= high and low <= most and first["measured_gain"] > 0.1,
                  f"  the first share, {low:.2f} to {high:.2f}, is what goes: {first['measured_gain']:.2f}")


def main():
    sandbox = harness.Sandbox()
    shares_hold(sandbox, "half", onnx.TensorProto.FLOAT16, "{}")
    shares_hold(sandbox, "double", onnx.TensorProto.DOUBLE, "{}")
    shares_hold(sandbox, "uint16", onnx.TensorProto.FLOAT, "{activation: {dtype: uint16}}")
    shares_hold(sandbox, "int16", onnx.TensorProto.FLOAT, "{activation: {dtype: int16, scheme: sym}}")
    int8, mended = sandbox.path / "int8.onnx", sandbox.path / "mended.onnx"
    result = sandbox.json("quantize", *ARGUMENTS, "-o", int8, "--verify", "2")
    x = outputs(MODEL)
    tried = [f for f in result["diagnosis"]["findings"] if f["measured_gain"] is not None]
    harness.check(tried and len(tried) <= 2, f"{len(tried)} remedies are tried")
    recipes = ["--recipe", harness.PER_TENSOR]
    for finding in tried:  # each together with those before it
        recipes += ["--recipe", json.dumps(finding["remedy"])]
        sandbox.run("quantize", MODEL, "--data", DATA, "-o", mended, *recipes)
        gain = 1 - relative_error(x, mended) / relative_error(x, int8)
        low, high = finding["measured_gain_interval"]
        harness.check(abs(gain - finding["measured_gain"]) < 1e-4, f"{finding['op']['name']}: {gain:.4f} of the error is gone")
        harness.check(low <= gain <= high <= 1, f"  within {low:.4f} to {high:.4f}")
    first = tried[0]
    harness.check(first["measured_gain"] > 0.9 and first["output_share"] > 0.9, "  as its share has promised")
    folder = sandbox.workload(result["workload"])
    stored = json.loads(harness.stored(folder / "diagnosis.json"))["findings"]
    told = [{key: value for key, value in finding.items() if key != "because"} for finding in result["diagnosis"]["findings"]]
    harness.check(stored == told, "the record has it, too, but for the sentences")
    harness.check(not any(path.is_dir() or path.suffix == ".onnx" for path in folder.iterdir()), "nothing is left behind")
    text = sandbox.run("quantize", *ARGUMENTS, "-o", int8, "--verify", "1").stdout
    harness.check(f"tried: {100 * first['measured_gain']:.0f} % of the error gone" in text, "people are told")
    harness.check(f"takes {100 * first['measured_gain']:.0f} % (" in " ".join(text.split()), "and so does the verdict")
    most = sandbox.run("quantize", *ARGUMENTS, "-o", int8, "--verify", "100").stderr
    harness.check("--verify 100: " in most and "tried, since no other one has" in most, "what has nothing to try is told")
    refused = sandbox.run("quantize", MODEL, "--data", DATA, "-o", int8, "--verify", "1", code=2)
    harness.check("--diagnose" in refused.stderr, "--verify needs --diagnose")
    plain = sandbox.json("quantize", *ARGUMENTS, "-o", int8)
    harness.check(all(f["measured_gain"] is None for f in plain["diagnosis"]["findings"]), "nothing is tried unasked")


main()
