# SPDX-License-Identifier: Apache-2.0
"""Real models by every approach that needs no samples: what accuracy, size and diagnosis come to."""

import os

import harness

harness.need("onnx", "onnxruntime", "numpy")
TESTDATA = harness.need_testdata()

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

MODELS = TESTDATA / "models"


def session(path, dump=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if dump:
        options.optimized_model_filepath = str(dump)
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def types(path):
    return [node.op_type for node in onnx.load(path).graph.node]


def ranks(values):
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


def embeddings(path, split, rows):
    data = dict(np.load(TESTDATA / "text" / f"minilm_stsb_{split}_400.npz"))
    model = session(path)
    feeds = {name: data[name][:rows] for name in ("input_ids", "attention_mask", "token_type_ids")}
    made = [model.run(["sentence_embedding"], {name: array[i:i + 1] for name, array in feeds.items()})[0]
            for i in range(len(feeds["input_ids"]))]
    return np.concatenate(made), data["label"][:rows]


def spearman(path):
    made, labels = embeddings(path, "test", None)
    if len(labels) == len(made):
        labels = labels[::2]
    return np.corrcoef(ranks((made[::2] * made[1::2]).sum(1)), ranks(labels))[0, 1]


def cosine(path, rows=100):
    wanted, _ = embeddings(MODELS / "minilm_l6_v2.onnx", "dev", rows)
    made, _ = embeddings(path, "dev", rows)
    return (wanted * made).sum(1).mean()


def top1(path, file, name, output):
    data = dict(np.load(TESTDATA / file))  # each array is decompressed once
    model = session(path)
    hits = [model.run([output], {name: data[name][i:i + 1]})[0].argmax() == label
            for i, label in enumerate(data["label"])]
    return 100 * np.mean(hits)


def quantize(sandbox, model, approach, *more):
    out = sandbox.path / f"{model}.{approach}.onnx"
    sandbox.run("quantize", MODELS / f"{model}.onnx", "--approach", approach, "-o", out, *more)
    return out, os.path.getsize(out) / os.path.getsize(MODELS / f"{model}.onnx")


def check_paired(found):
    """What the runtime fuses only where nobody looks is not looked at, and that is told."""
    unseen = [one for one in found["not_compared"] if "would change what the runtime computes" in one["reason"]]
    harness.check(len(found["weights"]) == 36 and len(found["activations"]) + len(unseen) >= 48,
                  f"all of them are paired, but for {len(unseen)} that the runtime fuses where nobody looks")
    told = [one for one in found["findings"] if one["rule"] == "observation"]
    harness.check(len(told) == (1 if unseen else 0) and all(one["severity"] == "note" for one in told),
                  "which is told, as a note: the outputs keep as much either way")


def check_minilm(sandbox):
    out, size = quantize(sandbox, "minilm_l6_v2", "dynamic")
    score, near = spearman(out), cosine(out)
    harness.check(score > 0.811 and near > 0.993 and size < 0.66,
                  f"MiniLM dynamic: {score:.4f}, cosine {near:.4f}, {size:.2f} of the size")
    dump = sandbox.path / "dump.onnx"
    session(out, dump)
    fused = types(dump)
    harness.check(fused.count("DynamicQuantizeMatMul") + fused.count("MatMulIntegerToFloat") == 36
                  and "MatMulInteger" not in fused, "ONNX Runtime computes all 36 by its fused kernels")
    data = TESTDATA / "text" / "minilm_stsb_dev_400.npz"
    both = ("diagnose", MODELS / "minilm_l6_v2.onnx")
    check_paired(sandbox.json(*both, out, "--data", data, "--limit", "2"))

    out, size = quantize(sandbox, "minilm_l6_v2", "weight_only")
    score, near = spearman(out), cosine(out)
    harness.check(score > 0.81 and near > 0.97 and size < 0.17,
                  f"MiniLM weight_only: {score:.4f}, cosine {near:.4f}, {size:.2f} of the size")
    found = sandbox.json(*both, out, "--data", data, "--limit", "2")
    check_paired(found)
    row = found["weights"][0]
    weights = {t.name: t for t in onnx.load(MODELS / "minilm_l6_v2.onnx").graph.initializer}
    model = onnx.load(out)
    stored = {t.name: t for t in model.graph.initializer}
    node = next(n for n in model.graph.node if n.op_type == "MatMulNBits" and n.input[1] == row["quantized"])
    codes = numpy_helper.to_array(stored[node.input[1]])
    codes = np.stack([codes & 15, codes >> 4], -1).reshape(*codes.shape[:2], -1).astype(float)
    meant = ((codes - 8) * numpy_helper.to_array(stored[node.input[2]])[..., None]).reshape(len(codes), -1).T
    error = ((meant - numpy_helper.to_array(weights[row["weight"]])) ** 2).mean()
    harness.check(abs(error / row["mse"] - 1) < 1e-5, f"the weights table has NumPy's error ({error:.3e})")


def check_others(sandbox):
    out, size = quantize(sandbox, "magika_v3_3", "dynamic", "--recipe", "{op_type_dict: {Conv: fp32}}")
    score = top1(out, "magika/magika_435.npz", "bytes", "target_label")
    harness.check(score > 97.4, f"Magika dynamic: {score:.2f} %, {size:.2f} of the size")
    out, size = quantize(sandbox, "kwt1", "dynamic")
    score = top1(out, "speech/kwt1_400.npz", "audio", "logits")
    harness.check(score > 96.4 and size < 0.55, f"KWT-1 dynamic: {score:.2f} %, {size:.2f} of the size")
    out, size = quantize(sandbox, "kwt1", "weight_only", "--recipe", "{weight: {bits: 8}}")
    score = top1(out, "speech/kwt1_400.npz", "audio", "logits")
    harness.check(score > 96.4, f"KWT-1 with weights of 8 bits: {score:.2f} %, {size:.2f} of the size")
    for model in ("mobilenet_v1_0.25_224", "silero_vad_16k_op15"):
        out, size = quantize(sandbox, model, "dynamic")
        session(out)
        harness.check("ConvInteger" in types(out) and size < 0.65, f"{model} dynamic: loads, {size:.2f} of the size")


def main():
    sandbox = harness.Sandbox()
    check_minilm(sandbox)
    check_others(sandbox)


main()
