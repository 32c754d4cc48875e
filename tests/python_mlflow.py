# SPDX-License-Identifier: Apache-2.0
"""Runs in MLflow: what was asked, what came out and the tables are there."""
import csv
import json
import os
import pathlib
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy")
try:
    import mlflow
except ImportError:
    harness.skip("this Python has no mlflow; pip install mlflow-skinny")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import quantlens  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
BROKEN = {"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}}


def artefacts(run):
    return pathlib.Path(mlflow.artifacts.download_artifacts(run_id=run.info.run_id))


def diagnosed(client, data):
    run = quantlens.quantize(MODEL, data, output="int8.onnx", recipe=BROKEN, diagnose=True, metric="top1", progress=False,
                             callbacks=[quantlens.mlflow.log_run])
    logged = client.search_runs([client.get_experiment_by_name("digits").experiment_id])
    harness.check(len(logged) == 1 and logged[0].info.status == "FINISHED", "a run is logged, and ended")
    first = logged[0]
    harness.check(first.data.tags["quantlens.quantize"] == run.id, "it names the run of quantlens")
    params, metrics = first.data.params, first.data.metrics
    harness.check(params["quantize.recipe.weight.granularity"] == "per_tensor" and params["quantize.metric"] == "top1",
                  "what was asked is a parameter")
    harness.check(metrics["accuracy"] == run.accuracy.quantized.value
                  and metrics["accuracy_difference"] == run.accuracy.difference,
                  f"accuracy {metrics['accuracy']} and its difference {metrics['accuracy_difference']} are metrics")
    worst = min(one.sqnr_db for one in run.diagnosis.activations)
    harness.check(metrics["worst_sqnr_db"] == worst, f"so is the worst SQNR, {worst:.1f} dB")
    harness.check(metrics["ops_quantized"] == 22 and metrics["ops_float"] == 1, "so are the ops that are int8")
    below = artefacts(first) / "quantize"
    with open(below / "activations.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    harness.check([one["OP name"] for one in rows] == run.tables()["activations"]["OP name"], "the tables are artefacts")
    harness.check((below / "recipe.json").read_bytes() == pathlib.Path(run.folder, "recipe.json").read_bytes(),
                  "so is the recipe")
    harness.check(run.verdict in (below / "report.md").read_text(encoding="utf-8"), "so is a report, with the verdict")
    return run


def several_in_one(client, run, data):
    with mlflow.start_run(run_name="mine") as mine:
        tuned = quantlens.tune(MODEL, data, "top1", output="tuned.onnx", max_trials=2, progress=False,
                               callbacks=[quantlens.mlflow.log_run])
        quantlens.benchmark(MODEL, run.output, rounds=1, iterations=20, progress=False, callbacks=[quantlens.mlflow.log_run])
        harness.check(mlflow.active_run().info.run_id == mine.info.run_id, "a run that is active goes on")
    told = client.get_run(mine.info.run_id)
    metrics = told.data.metrics
    harness.check(metrics["goal_reached"] == tuned.study.reached and metrics["trials"] == len(tuned.study.trials),
                  "a search is logged")
    harness.check(metrics["latency_ms_batch_1"] > 0 and metrics["other_latency_ms_batch_1"] > 0,
                  "so are the times of a benchmark, beside it")
    harness.check("tune.recipe.approach" in told.data.params and "benchmark.reference_model" in told.data.params,
                  "each verb has its parameters")
    harness.check({one.name for one in artefacts(told).iterdir()} == {"tune", "benchmark"}, "and its artefacts")


def others(client, run, data):
    """Every verb that makes a run."""
    for other in (quantlens.evaluate(run.output, data, "top1", against=MODEL, progress=False),
                  quantlens.diagnose(MODEL, run.output, data[0], progress=False), quantlens.judge(run, progress=False),
                  quantlens.calibrate(MODEL, data[0], output="statistics.bin", progress=False),
                  quantlens.profile(MODEL, run.output, data[0], iterations=20, machine=False, scaling=False, progress=False)):
        logged = client.get_run(quantlens.mlflow.log_run(other))
        harness.check(logged.data.tags[f"quantlens.{other.run.verb}"] == other.id,
                      f"{other.run.verb} is logged: {len(logged.data.metrics)} metrics")


def words_of_recipes(client, data):
    """Ops are named by regular expressions, which are no names of parameters."""
    asked = {".*[f]c.*": {"weight": {"granularity": "per_tensor"}}, "(unknown)?": "fp32"}
    run = quantlens.quantize(MODEL, data[0], output="named.onnx", recipe={"op_name_dict": asked}, name="named", progress=False)
    logged = client.get_run(quantlens.mlflow.log_run(run))
    harness.check(set(json.loads(logged.data.params["quantize.recipe.op_name_dict"])) == set(asked),
                  "those of ops are one parameter")
    harness.check(logged.info.run_name == "named", "a run that is logged later has its name")


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    os.chdir(sandbox.path)
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # a data base needs more packages
    mlflow.set_tracking_uri((sandbox.path / "mlruns").as_uri())
    mlflow.set_experiment("digits")
    arrays = np.load(harness.DEMO / "digits.npz")
    data = (arrays["image"][:200], arrays["label"][:200])
    client = mlflow.MlflowClient()
    run = diagnosed(client, data)
    several_in_one(client, run, data)
    words_of_recipes(client, data)
    others(client, run, data)


main()
