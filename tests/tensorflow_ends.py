# SPDX-License-Identifier: Apache-2.0
"""--inputs and --outputs of TensorFlow models: every verb looks at what lies between them, alone; the file that is written is
whole and runs from its own input as well; ONNX models are refused in one sentence."""
import json
import os
import sys

import graphdefs
import harness
from tensorflow_runs import runtime

import numpy as np

DIGITS, SAMPLES = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
ENDS = ["--inputs", "act"]


def refused(sandbox, code, words, *arguments):
    done = sandbox.run(*arguments, code=code)
    told = [line for line in done.stderr.splitlines() if line.startswith("quantlens: ")]
    harness.check(len(told) == 1 and all(word in told[0] for word in words),
                  f"{arguments[0]}: {words} in one sentence: {done.stderr}")


def onnx_models(sandbox):
    for verb, more in {"quantize": [DIGITS, "-o", "no.onnx"], "diagnose": [DIGITS, DIGITS], "tune": [DIGITS, "--metric", "top1"],
                       "profile": [DIGITS], "evaluate": [DIGITS, "--metric", "top1"], "benchmark": [DIGITS],
                       "calibrate": [DIGITS, "-o", "no.bin"]}.items():
        refused(sandbox, 1, ["digits.onnx", "are run whole", "--inputs"], verb, *more, "--data", SAMPLES, "--inputs", "image")


def files(sandbox):
    """The network, samples of its input, and samples of the value in its middle."""
    dice = np.random.default_rng(0)
    net = sandbox.path / "net.pb"
    net.write_bytes(graphdefs.graph(graphdefs.network()))
    labels = dice.integers(0, 3, 60)
    np.savez(sandbox.path / "image.npz", image=dice.uniform(-1, 1, (60, 8, 8, 1)).astype(np.float32), label=labels)
    np.savez(sandbox.path / "act.npz", act=dice.uniform(0, 6, (60, 8, 8, 4)).astype(np.float32), label=labels)
    return net, sandbox.path / "image.npz", sandbox.path / "act.npz"


def quantized(sandbox, net, image, act):
    int8 = sandbox.path / "int8.pb"
    asked = [net, *ENDS, "--data", act, "--metric", "top1"]
    told = sandbox.json("quantize", *asked, "-o", int8, "--diagnose")
    again = sandbox.json("evaluate", int8, *ENDS, "--data", act, "--metric", "top1")
    harness.check(again["value"] == told["quantized"]["value"], f"the written file scores what was told: {again['value']}")
    counts = sandbox.json("inspect", int8)["op_counts"]
    harness.check(counts["Conv2D"] == 1 and counts["_FusedQuantizedDepthwiseConv2D"] == 1 and counts["_QuantizedMatMul"] == 1,
                  f"what is before the input stays as it is, what is behind it is int8: {counts}")
    rows = [row["op"]["name"] for row in told["diagnosis"]["activations"]]
    harness.check(rows and "conv" not in rows and "each" in rows, f"what is before it is not compared: {rows}")
    kept = sandbox.record(told["workload"], "workload.json")
    harness.check((kept["inputs"], kept["outputs"]) == (["act"], []), "the run says its ends")
    whole = sandbox.json("evaluate", int8, "--data", image, "--metric", "top1", "--against", net)
    harness.check(whole["samples"] == 60, "the file runs from its own input as well")
    return int8


def other_verbs(sandbox, net, int8, act):
    told = sandbox.json("diagnose", net, int8, *ENDS, "--data", act)
    judged = sandbox.json("judge", told["workload"])
    harness.check(judged["activations"] == told["activations"] and told["paired"] > 0,
                  "a stored run is judged between its ends")
    sandbox.run("calibrate", net, *ENDS, "--data", act, "-o", "statistics.bin")
    sandbox.run("quantize", net, *ENDS, "--ranges", "statistics.bin", "-o", "ranges.pb")
    harness.check((sandbox.path / "ranges.pb").read_bytes() == int8.read_bytes(),
                  "statistics of a calibration make the same file")
    asked = ["tune", net, "--data", act, "--metric", "top1", "--max-loss", "50%", "--max-trials", "2", "-o", "tuned.pb"]
    done = sandbox.run(*asked, *ENDS, "--output", "json", code=None)
    tuned = json.loads(done.stdout)
    harness.check(done.returncode in (0, 3) and tuned["evaluations"] >= 1, "tune searches between the ends")
    refused(sandbox, 2, ["--resume", "other --inputs or --outputs"], *asked, *ENDS, "--outputs", "fc", "--resume", tuned["workload"])
    refused(sandbox, 1, ["'acts'", "did you mean 'act'"], "quantize", net, "--inputs", "acts", "--data", act)
    refused(sandbox, 2, ["needs the input 'image' as well"], "tune", net, "--inputs", "pool", "--outputs", "each,scores",
            "--data", act, "--metric", "top1")
    sandbox.json("quantize", net, "--outputs", "pool", "--data", sandbox.path / "image.npz", "-o", "front.pb")
    counts = sandbox.json("inspect", "front.pb")["op_counts"]
    harness.check(counts["MatMul"] == 1 and counts["_FusedQuantizedConv2D"] == 1,
                  f"what is behind the output stays as it is: {counts}")


def python(sandbox, net, int8, act):
    package = os.environ.get("QUANTLENS_PYTHON_PACKAGE", "")
    if not package or not os.path.isdir(os.path.join(package, "quantlens")):
        print("left out: Python, whose package was not built")
        return
    os.environ.update(QUANTLENS_WORKSPACE=sandbox.environment["QUANTLENS_WORKSPACE"], QUANTLENS_PROGRAM=harness.program())
    sys.path.insert(0, package)
    try:
        import quantlens
        from quantlens.neural_compressor import PostTrainingQuantConfig, data, quantization, set_workspace
    except ImportError as problem:
        print(f"left out: Python, whose package is for another one ({problem})")
        return
    made = sandbox.path / "python.pb"
    run = quantlens.quantize(net, np.load(act)["act"], inputs=["act"], output=made, metric=None, progress=False)
    harness.check(made.read_bytes() == int8.read_bytes() and run.output == str(made),
                  "Python makes the same file without isolate")
    set_workspace(str(sandbox.path / "nc"))
    arrays = np.load(act)
    loader = data.DataLoader("tensorflow", list(zip(arrays["act"], arrays["label"])))
    conf = PostTrainingQuantConfig(inputs=["act"], outputs=["scores"])
    fitted = quantization.fit(str(net), conf, calib_dataloader=loader)
    counts = sandbox.json("inspect", fitted.model_path)["op_counts"]
    harness.check(counts["Conv2D"] == 1 and counts["_FusedQuantizedDepthwiseConv2D"] == 1,
                  f"the predecessor's config has them: {counts}")


def keyword_spotting(sandbox):
    """DS-CNN as it is published, from its features on."""
    model = harness.need_testdata() / "models" / "ds_cnn_s.pb"
    speech = harness.TESTDATA / "speech" / "ds_cnn_400.npz"
    features = sandbox.write("features.yaml", f"npz: {{file: {speech}, inputs: {{Mfcc: Mfcc}}, label: label}}\n")
    asked = ["--inputs", "Mfcc", "--data", features, "--metric", "top1"]
    plain = ["--accuracy-level", "fast"]
    told = sandbox.json("quantize", model, *asked, *plain, "-o", "ds_cnn.pb")
    kept, of = told["quantized"]["value"], told["reference"]["value"]
    harness.check(of == 0.915 and kept >= 0.905, f"ds_cnn_s.pb from Mfcc on: {kept} of {of} is kept")
    again = sandbox.json("evaluate", "ds_cnn.pb", *asked)
    harness.check(again["value"] == kept, "the file that was written scores what was told")


def main():
    sandbox = harness.Sandbox()
    onnx_models(sandbox)
    if not runtime()["available"]:
        harness.skip(runtime()["problem"])
    net, image, act = files(sandbox)
    int8 = quantized(sandbox, net, image, act)
    other_verbs(sandbox, net, int8, act)
    python(sandbox, net, int8, act)
    keyword_spotting(sandbox)


main()
