# SPDX-License-Identifier: Apache-2.0
"""Frozen graphs of TensorFlow are inspected without it (tensorflow_runs.py runs them); the figures of real ones are what TensorFlow 2.21 finds in them."""
import json

import graphdefs
import harness

harness.need("onnx")
import onnx  # noqa: E402

DIGITS = harness.DEMO / "digits.onnx"
# By TensorFlow: nodes by op without constants and placeholders, numbers in constants, inputs and outputs with their shapes.
REAL = {
    "mobilenet_v1_0.25_224.pb": (
        {"Identity": 138, "Mul": 81, "Add": 54, "Rsqrt": 27, "Sub": 27, "Relu6": 27, "Conv2D": 15, "DepthwiseConv2dNative": 13,
         "Reshape": 2, "AvgPool": 1, "BiasAdd": 1, "Squeeze": 1, "Softmax": 1},
        475832, "input float32 [1,224,224,3]", "MobilenetV1/Predictions/Reshape_1 float32 [1,1001]", 28),
    "mobilenet_v1_0.75_224.pb": (
        {"Add": 27, "Relu6": 27, "Conv2D": 15, "DepthwiseConv2dNative": 13, "Mul": 13, "Reshape": 2, "AvgPool": 1, "Identity": 1,
         "BiasAdd": 1, "Squeeze": 1, "Softmax": 1},
        2581845, "input float32 [1,224,224,3]", "MobilenetV1/Predictions/Reshape_1 float32 [1,1001]", 28),
    "ds_cnn_s.pb": (
        {"Identity": 47, "BiasAdd": 10, "FusedBatchNorm": 9, "Relu": 9, "Conv2D": 5, "DepthwiseConv2dNative": 4, "Reshape": 2,
         "DecodeWav": 1, "AudioSpectrogram": 1, "Mfcc": 1, "AvgPool": 1, "Squeeze": 1, "MatMul": 1, "Softmax": 1},
        24914, "wav_data string ?", "labels_softmax float32 [?,12]", 10),
}


def inspected(sandbox, path, *more):
    return json.loads(sandbox.run("inspect", path, "--output", "json", *more).stdout)


def refused(sandbox, code, words, *arguments):
    done = sandbox.run(*arguments, code=None)
    lines = done.stderr.splitlines()
    harness.check(done.returncode == code and len(lines) == 1 and all(word in lines[0] for word in words),
                  f"exit code {code} and one sentence with {words}: {done.returncode} {lines}")


def ends_of(told, side):
    return [f"{one['name']} {one['dtype']} {one['shape']}" for one in told[side]]


def of_our_own(sandbox):
    path = sandbox.path / "net.pb"
    path.write_bytes(graphdefs.graph(graphdefs.network()))
    told = inspected(sandbox, path)
    harness.check(ends_of(told, "inputs") == ["image float32 [?,8,8,1]"], "the Placeholder is the input")
    harness.check(ends_of(told, "outputs") == ["scores float32 [?,3]"], "what nobody reads is the output, and NoOp gives nothing")
    harness.check(told["version"] == "producer 1286" and len(told["notes"]) == 1 and "TensorFlow" in told["notes"][0],
                  "the version is told, and that no TensorFlow was asked")
    planned = {one["op"]["name"] for one in told["ops"] if one["quantized"]}
    harness.check({"conv", "each", "fc"} <= planned, f"convolutions and the product would be quantized: {planned}")
    shown = sandbox.run("inspect", path).stdout
    harness.check("graphdef" in shown and "producer 1286" in shown and "no TensorFlow was asked" in shown, "people are told as well")


def with_ends(sandbox):
    path = sandbox.path / "net.pb"
    told = inspected(sandbox, path, "--inputs", "act:0", "--outputs", "pool")
    harness.check(ends_of(told, "inputs") == ["act float32 [?,8,8,4]"] and ends_of(told, "outputs") == ["pool float32 [?,4]"],
                  "an inner value is the input, with what the ops make known of it")
    harness.check(set(told["op_counts"]) == {"DepthwiseConv2dNative", "Mean"}, f"what is around is gone: {told['op_counts']}")
    refused(sandbox, 1, ["'acts'", "did you mean 'act'"], "inspect", path, "--inputs", "acts")
    refused(sandbox, 2, ["'image'", "--inputs"], "inspect", path, "--inputs", "fc", "--outputs", "pool,scores")
    refused(sandbox, 2, ["is a weight"], "inspect", path, "--inputs", "conv/filter")
    model = onnx.load(DIGITS)
    inner = next(node for node in model.graph.node if node.op_type == "Relu")
    told = inspected(sandbox, DIGITS, "--inputs", inner.output[0])
    harness.check(told["inputs"][0]["name"] == inner.output[0] and "Conv" in told["op_counts"], "ONNX models can be cut, too")


def other_files(sandbox):
    network = graphdefs.graph(graphdefs.network())
    meta = graphdefs.field(1, graphdefs.field(5, "2.21")) + graphdefs.field(2, network)
    folder = sandbox.path / "saved"
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(graphdefs.field(1, 1) + graphdefs.field(2, meta))
    (sandbox.path / "graph.meta").write_bytes(meta)
    (sandbox.path / "graph.pbtxt").write_text('node {\n  name: "x"\n  op: "Placeholder"\n}\n')
    (sandbox.path / "cut.pb").write_bytes(network[:len(network) // 2])
    for name, words in {"saved": ["has no signature"], "saved/saved_model.pb": ["has no signature"],
                        "graph.meta": ["MetaGraph", "freeze"], "graph.pbtxt": ["as text", "SerializeToString"],
                        "cut.pb": ["not a sound TensorFlow graph"]}.items():
        refused(sandbox, 1, [name, *words], "inspect", sandbox.path / name)


def real_ones(sandbox, models):
    for name, (counts, numbers, first, last, products) in REAL.items():
        told = inspected(sandbox, models / name)
        harness.check(told["op_counts"] == counts, f"{name}: as many nodes of each op as TensorFlow finds")
        harness.check(told["parameters"] == numbers, f"{name}: {told['parameters']} numbers in constants")
        harness.check(ends_of(told, "inputs") == [first] and ends_of(told, "outputs") == [last], f"{name}: inputs and outputs")
        planned = [one for one in told["ops"] if one["quantized"] and one["kind"] in ("conv", "matmul")]
        harness.check(len(planned) == products, f"{name}: all {products} convolutions and products would be quantized")
    told = inspected(sandbox, models / "ds_cnn_s.pb")
    folded = [one for one in told["ops"] if one["kind"] == "batch_norm" and one["quantized"]]
    harness.check(len(folded) == 9, "ds_cnn_s.pb: all batch normalizations would be folded")
    told = inspected(sandbox, models / "ds_cnn_s.pb", "--inputs", "Mfcc")
    harness.check("DecodeWav" not in told["op_counts"] and told["inputs"][0]["name"] == "Mfcc", "ds_cnn_s.pb begins at its features")


def main():
    sandbox = harness.Sandbox()
    of_our_own(sandbox)
    with_ends(sandbox)
    other_files(sandbox)
    real_ones(sandbox, harness.need_testdata() / "models")


main()
