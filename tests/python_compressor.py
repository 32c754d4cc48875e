# SPDX-License-Identifier: Apache-2.0
"""Scripts for Neural Compressor, unmodified: the story of its ONNX document on the network of the demo."""
import csv
import os
import subprocess
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx", "onnxruntime")

COMMON = f"""
import logging, os, sys, threading
import numpy as np, onnx, onnxruntime as ort
from neural_compressor import benchmark, quantization, PostTrainingQuantConfig, BenchmarkConfig
from neural_compressor.config import AccuracyCriterion, TuningCriterion
from neural_compressor.data import DataLoader
from neural_compressor.utils.constant import FP32
arrays = np.load({str(harness.DEMO / "digits.npz")!r})
class Dataset:
    def __len__(self): return len(arrays["image"])
    def __getitem__(self, at): return arrays["image"][at], int(arrays["label"][at])
calls = 0
def eval_func(model):
    global calls
    calls += 1
    assert threading.current_thread() is threading.main_thread()
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    told = session.run(None, {{session.get_inputs()[0].name: arrays["image"]}})[0]
    return float((told.argmax(1) == arrays["label"]).mean())
onnx_model = onnx.load({str(harness.DEMO / "digits.onnx")!r})
loader = DataLoader(framework="onnxruntime", dataset=Dataset(), batch_size=10)
"""


def ran(sandbox, name, script, code=0):
    path = sandbox.write(name, COMMON + script)
    done = subprocess.run([sys.executable, "-B", "-m", "quantlens", "run-script", str(path), "--flag"], cwd=sandbox.path, capture_output=True,
                          text=True, env=dict(sandbox.environment, PYTHONPATH=PACKAGE), timeout=300, check=False)
    if done.returncode != code:
        raise AssertionError(f"exit code {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done


def newest_workspace(sandbox):
    return max((sandbox.path / "nc_workspace").iterdir(), key=lambda one: one.stat().st_mtime)


def diagnosed(sandbox):
    script = """
assert sys.argv[1:] == ["--flag"]
config = PostTrainingQuantConfig(approach="static", quant_format="QOperator", quant_level=1, diagnosis=True,
                                 op_type_dict={"Conv": {"weight": {"granularity": ["per_tensor"]}}}, recipes={"fast_bias_correction": False})
q_model = quantization.fit(onnx_model, config, eval_func=eval_func, calib_dataloader=loader)
print("calls", calls, "accuracy", eval_func(q_model), "ops", len(q_model.graph.node), type(q_model.model).__name__, bool(q_model.q_config))
q_model.save("out/broken.onnx")
"""
    told = ran(sandbox, "diagnose.py", script).stdout
    for title in ("Mixed Precision Statistics", "Activations summary", "Weights summary"):
        harness.check(title in told, f"{title} is printed")
    harness.check("calls 2 " in told, "the eval function scored both models, and on the calling thread")
    with open(newest_workspace(sandbox) / "activations_table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    harness.check(rows and list(rows[0])[:4] == ["OP name", "MSE", "Activation min", "Activation max"], f"{len(rows)} rows of CSV")
    errors = [float(row["MSE"]) for row in rows]
    harness.check(errors == sorted(errors, reverse=True), "sorted by MSE, the greatest first")
    harness.check((newest_workspace(sandbox) / "weights_table.csv").exists(), "and the weights")
    harness.check((sandbox.path / "out" / "broken.onnx").exists() and "ModelProto" in told, "the model was saved")


def mended(sandbox):
    script = """
config = PostTrainingQuantConfig(approach="static", quant_format="QDQ", op_name_dict={"/block\\\\d/conv/Conv": FP32})
q_model = quantization.fit(onnx_model, config, calib_dataloader=loader)
print("float convs", sum(node.op_type == "Conv" for node in q_model.graph.node), "accuracy", eval_func(q_model))
"""
    told = ran(sandbox, "mend.py", script).stdout
    harness.check("accuracy 0.99" in told, f"with the blocks in float: {told.strip().splitlines()[-1]}")


def tuned(sandbox):
    script = """
config = PostTrainingQuantConfig(accuracy_criterion=AccuracyCriterion(tolerable_loss=0.02), tuning_criterion=TuningCriterion(max_trials=4))
q_model = quantization.fit(onnx_model, config, eval_func=eval_func, calib_dataloader=loader)
print("reached", q_model.run.study.reached, calls > 1)
unreachable = PostTrainingQuantConfig(accuracy_criterion=AccuracyCriterion(tolerable_loss=-0.5), tuning_criterion=TuningCriterion(max_trials=2))
q_model = quantization.fit(onnx_model, unreachable, eval_func=eval_func, calib_dataloader=loader)
print("missed", q_model.run.study.reached, os.path.exists(q_model.model_path))
assert PostTrainingQuantConfig().tuning_criterion.max_trials == 100
"""
    done = ran(sandbox, "tune.py", script)
    harness.check("reached True True" in done.stdout, "a search meets its goal")
    harness.check("missed False True" in done.stdout, "a goal that is missed gives the best model, not None")


def resumed(sandbox):
    """A search goes on with what an earlier process tried, which the predecessor's folder or file names."""
    script = """
from neural_compressor import set_resume_from, set_workspace
set_workspace("first")
if RESUMED: set_resume_from(RESUMED)
config = PostTrainingQuantConfig(accuracy_criterion=AccuracyCriterion(tolerable_loss=-0.5),
                                 tuning_criterion=TuningCriterion(max_trials=TRIALS))
q_model = quantization.fit(onnx_model, config, eval_func=eval_func, calib_dataloader=loader)
print("calls", calls, "trials", len(q_model.run.study.trials), q_model.run.id)
"""
    def told(resumed, trials):
        done = ran(sandbox, "resume.py", script.replace("RESUMED", repr(resumed)).replace("TRIALS", str(trials)))
        words = done.stdout.strip().splitlines()[-1].split()
        return int(words[1]), int(words[3]), words[4]

    calls, trials, run = told(None, 2)
    for given in ("./first/", "first/history.snapshot", run):
        again = told(given, trials + 1)
        harness.check(again[2] == run and again[1] == trials + 1 and again[0] < calls,
                      f"resumed from {given}: {again} after {(calls, trials)}")
        trials += 1
    done = ran(sandbox, "other.py", script.replace("RESUMED", "'first'").replace("TRIALS", "9")
               .replace("eval_func=eval_func", "eval_func=lambda model: eval_func(model)"), code=1)
    harness.check("another metric" in done.stderr, f"another eval function is told apart: {done.stderr.strip().splitlines()[-1]}")
    sandbox.write("not.snapshot", "[]")
    done = ran(sandbox, "none.py", script.replace("RESUMED", "'not.snapshot'").replace("TRIALS", "9"), code=1)
    harness.check("BadInput: not.snapshot" in done.stderr.splitlines()[-1], done.stderr.strip().splitlines()[-1])


def in_odd_folders(sandbox):
    """A temporary folder with a long name, and a workspace that cannot be made."""
    (sandbox.path / ("t" * 120)).mkdir()
    told = ran(sandbox, "long.py", f"""
import tempfile
tempfile.tempdir = {str(sandbox.path / ("t" * 120))!r}
config = PostTrainingQuantConfig(diagnosis=True)
quantization.fit(onnx_model, config, eval_func=eval_func, calib_dataloader=loader)
print("calls", calls)
""")
    harness.check("calls 2" in told.stdout, "an eval function works where the temporary folder has a long name")
    sandbox.write("a_file", "x")
    done = ran(sandbox, "unmade.py", """
from neural_compressor import set_workspace
set_workspace("a_file/below")
quantization.fit(onnx_model, PostTrainingQuantConfig(), calib_dataloader=loader)
""", code=1)
    harness.check("IoError: a_file/below: cannot be made" in done.stderr.splitlines()[-1], done.stderr.strip().splitlines()[-1])


def timed(sandbox):
    script = """
config = BenchmarkConfig(warmup=2, iteration=10, diagnosis=True)
benchmark.fit(onnx_model, config, b_dataloader=loader)
"""
    told = ran(sandbox, "time.py", script).stdout
    for words in ("Profiling", "Batch size = 10", "Latency: ", "Throughput: "):
        harness.check(words in told, f"{words} is printed")
    told = ran(sandbox, "iterations.py", """
from quantlens import open_run, workloads
benchmark.fit(onnx_model, BenchmarkConfig(warmup=2, iteration=30, diagnosis=True), b_dataloader=loader)
print("runs", next(open_run(one.id).profile.reference.wall.runs for one in workloads() if one.verb == "profile"))
""").stdout
    harness.check("runs 30" in told, f"as many runs as iteration says: {told.strip().splitlines()[-1]}")
    told = ran(sandbox, "instances.py", """
config = BenchmarkConfig(warmup=2, iteration=10, cores_per_instance=1, num_of_instance=2)
run = benchmark.fit(onnx_model, config, b_dataloader=loader)
print("instances", len(run.benchmark.results[0].instances))
""").stdout
    harness.check("instances 2" in told and "Throughput: " in told, "several instances are processes of their own")
    harness.check((newest_workspace(sandbox) / "profiling_table.csv").read_text().startswith("Node name,Total execution time [us]"),
                  "profiling_table.csv begins as the predecessor's")


def errors_are_raised(sandbox):
    done = ran(sandbox, "raises.py", """
def fails(model): raise RuntimeError("no licence")
quantization.fit(onnx_model, PostTrainingQuantConfig(diagnosis=True), eval_func=fails, calib_dataloader=loader)
""", code=1)
    harness.check("RuntimeError: no licence" in done.stderr, f"an eval function that raises: {done.stderr.strip().splitlines()[-1]}")
    for returned in ("float('nan')", "None", "'high'", "[]"):
        done = ran(sandbox, "figures.py", f"""
quantization.fit(onnx_model, PostTrainingQuantConfig(diagnosis=True), eval_func=lambda model: {returned}, calib_dataloader=loader)
""", code=1)
        harness.check("UsageError: eval_func: returned" in done.stderr.splitlines()[-1], done.stderr.strip().splitlines()[-1])
    for made in ("PostTrainingQuantConfig(inputs=5)", "PostTrainingQuantConfig(approach=3)",
                 "PostTrainingQuantConfig(excluded_precisions=3)", "PostTrainingQuantConfig(tuning_criterion=3)",
                 "AccuracyCriterion(tolerable_loss='x')",
                 "set_random_seed('x')",
                 "TuningCriterion(max_trials='a')", "TuningCriterion(strategy='nope')", "TuningCriterion(timeout=-1)",
                 "TuningCriterion(objective=[])", "TuningCriterion(strategy='no\\npe')"):
        done = ran(sandbox, "made.py", f"from neural_compressor import set_random_seed\n{made}", code=1)
        last = done.stderr.strip().splitlines()[-1]
        harness.check("UsageError: " in last, f"{made}: {last}")
    for arguments, words in (('approach="statik"', "statik"), ('quant_level=2', "quant_level"), ('device="gpu"', "'cpu'")):
        done = ran(sandbox, "wrong.py", f"quantization.fit(onnx_model, PostTrainingQuantConfig({arguments}), calib_dataloader=loader)", code=1)
        harness.check("UsageError" in done.stderr and words in done.stderr.splitlines()[-1], done.stderr.strip().splitlines()[-1])
    done = subprocess.run([sys.executable, "-B", "-m", "quantlens", "run-script", "none.py"], capture_output=True, text=True, check=False,
                          env=dict(sandbox.environment, PYTHONPATH=PACKAGE))
    harness.check(done.returncode == 1 and "none.py: no such file" in done.stderr, done.stderr.strip())


def main():
    sandbox = harness.Sandbox()
    diagnosed(sandbox)
    mended(sandbox)
    tuned(sandbox)
    resumed(sandbox)
    in_odd_folders(sandbox)
    timed(sandbox)
    errors_are_raised(sandbox)


main()
