# SPDX-License-Identifier: Apache-2.0
"""How well shares of the outputs' error predict what one op in float gains.

usage: single_fallbacks.py QUANTLENS [MODEL ...]     (mobilenet_v1_0.75, kwt1, minilm_l6)

Of each model 30 ops are drawn whose return to float changes the plan. Predicted: the shares of the codes and weights
that this plan no longer has. Real: the fall of the outputs' mean squared error, and of their mean KL divergence (cosine
distance for embeddings), over 200 samples that calibration did not see. What one half of these samples says of the other
is the limit of any prediction: where single ops gain less than chance, it is far below 1.
"""

import json
import pathlib
import random
import re
import subprocess
import sys

import numpy as np
import onnxruntime as ort

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
import harness  # noqa: E402

DATA = harness.TESTDATA
OPS, SAMPLES, SEED = 30, 200, 5


def mobilenet(sandbox):
    images = [x[None] for x, _ in harness.mobilenet_images(100 + SAMPLES)][100:]
    return DATA / "models/mobilenet_v1_0.75_224.onnx", harness.imagenet(sandbox), [{"input": x} for x in images]


def kwt(_):
    audio = np.load(DATA / "speech/kwt1_400.npz")["audio"][100:100 + SAMPLES]
    return DATA / "models/kwt1.onnx", DATA / "speech/kwt1_400.npz", [{"audio": x[None]} for x in audio]


def minilm(_):
    test = np.load(DATA / "text/minilm_stsb_test_400.npz")
    keys = ("input_ids", "attention_mask", "token_type_ids")
    feeds = [{key: test[key][i:i + 1] for key in keys} for i in range(SAMPLES)]
    return DATA / "models/minilm_l6_v2.onnx", DATA / "text/minilm_stsb_dev_400.npz", feeds


MODELS = {"mobilenet_v1_0.75": mobilenet, "kwt1": kwt, "minilm_l6": minilm}


def outputs(path, feeds):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(str(path), options)
    return np.stack([session.run(None, feed)[-1].ravel() for feed in feeds]).astype(np.float64)


def divergence(x, y):
    """Of each sample: KL of probabilities or of logits' softmax; of embeddings 1 - cosine."""
    if np.allclose((x * x).sum(1), 1, atol=1e-3):
        return 1 - (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    if np.allclose(x.sum(1), 1, atol=1e-3) and (x >= 0).all():
        p, q = np.maximum(x, 1e-9), np.maximum(y, 1e-9)
        return (p * np.log(p / q)).sum(1)
    logs = [v - v.max(1, keepdims=True) for v in (x, y)]
    p, q = (v - np.log(np.exp(v).sum(1, keepdims=True)) for v in logs)
    return (np.exp(p) * (p - q)).sum(1)


class Plan:
    def __init__(self, folder):
        plan = json.loads(harness.stored(folder / "plan.json"))
        self.ops = [op["op"]["name"] for op in plan["ops"] if op["quantized"]]
        self.codes = {(a["value"], use["op"], use["input"]) for a in plan["activations"] for use in a["uses"]}
        self.weights = {weight["weight"] for weight in plan["weights_quantized"]}


class Shares:
    """Of what begins at a value: how much its codes make, how much its op's weight."""

    def __init__(self, folder):
        diagnosis = json.loads(harness.stored(folder / "diagnosis.json"))
        self.codes, by_op = {}, {}
        for row in diagnosis["activations"]:
            if row["output_share"] is None:
                continue
            codes, weight = row["rounding_mse"] + row["clipping_mse"], row["weight_mse"] + row["other_mse"]
            if codes + weight > 0:
                self.codes[row["value"]] = row["output_share"] * codes / (codes + weight)
                by_op[row["op"]["id"]] = row["output_share"] * weight / (codes + weight)
        self.weights = {row["weight"]: by_op.get(row["op"]["id"], 0) for row in diagnosis["weights"]}

    def predicted(self, before, after):
        uses = {}
        for value, _, _ in before.codes:
            uses[value] = uses.get(value, 0) + 1
        gone = sum(self.codes.get(code[0], 0) / uses[code[0]] for code in before.codes - after.codes)
        return gone + sum(self.weights.get(weight, 0) for weight in before.weights - after.weights)


class Quantizer:
    def __init__(self, program, sandbox, model, data):
        self.program, self.sandbox, self.model, self.data = program, sandbox, model, data

    def run(self, out, *arguments):
        command = [self.program, "quantize", self.model, "--data", self.data, "--limit", 100, "-o", out, "--output", "json",
                   "--quiet", *arguments]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=self.sandbox.environment, check=True)
        return self.sandbox.workload(json.loads(done.stdout)["workload"])


def spearman(x, y):
    """Ties share their mean rank."""
    ranks = [np.array([(v < one).sum() + (v == one).sum() / 2 for one in v]) for v in (np.array(x), np.array(y))]
    return np.corrcoef(*ranks)[0, 1]


def measure(program, name):
    sandbox = harness.Sandbox()
    model, data, feeds = MODELS[name](sandbox)
    quantizer, out = Quantizer(program, sandbox, model, data), sandbox.path / "q.onnx"
    folder = quantizer.run(out, "--diagnose")
    before, shares = Plan(folder), Shares(folder)
    x, y = outputs(model, feeds), outputs(out, feeds)
    errors = [((x - y) ** 2).sum(1), divergence(x, y)]
    names = sorted(before.ops)
    random.Random(SEED).shuffle(names)
    predicted, gains, seen = [], [], set()
    for op in names:
        recipe = json.dumps({"op_name_dict": {re.escape(op): "fp32"}})
        after = Plan(quantizer.run(out, "--ranges", folder / "statistics.bin", "--recipe", recipe))
        gone = (frozenset(before.codes - after.codes), frozenset(before.weights - after.weights))
        if gone in seen or not any(gone):
            continue
        seen.add(gone)
        y = outputs(out, feeds)
        predicted.append(shares.predicted(before, after))
        gains.append([errors[0] - ((x - y) ** 2).sum(1), errors[1] - divergence(x, y)])
        if len(gains) == OPS:
            break
    gains = np.array(gains)  # op, figure, sample
    for figure, text in enumerate(("mean squared error", "divergence")):
        gain = gains[:, figure]
        halves = [gain[:, 0::2].mean(1), gain[:, 1::2].mean(1)]
        share = gain.mean(1) / errors[figure].mean()
        print(f"{name}: {len(gain)} ops, {text}: gains of {100 * share.min():.1f} to {100 * share.max():.1f} %; Spearman "
              f"predicted to real {spearman(predicted, gain.mean(1)):.2f}, one half of the samples to the other "
              f"{spearman(*halves):.2f}; op of most gain has rank "
              f"{1 + int((np.array(predicted) > predicted[int(share.argmax())]).sum())} of the predicted", flush=True)


for chosen in sys.argv[2:] or MODELS:
    measure(sys.argv[1], chosen)
