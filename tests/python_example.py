# SPDX-License-Identifier: Apache-2.0
"""The example with the predecessor's flags, on real networks and images."""
import csv
import subprocess
import sys

import harness

PACKAGE = harness.python_package()
data = harness.need_testdata()
SCRIPT = harness.SOURCE / "examples" / "onnx_image_recognition" / "main.py"
IMAGES = ["--dataset_location", data / "imagenet" / "images", "--label_path", data / "imagenet" / "val.txt"]
NETWORKS = {"mobilenet_v1_0.25_224": ["--mean", "127.5", "127.5", "127.5", "--std", "127.5", "127.5", "127.5", "--label_offset", "1"],
            "squeezenet1.1": ["--crop", "227", "--color", "bgr", "--mean", "0", "0", "0", "--std", "1", "1", "1"]}


def ran(sandbox, *arguments):
    done = subprocess.run([sys.executable, "-B", str(SCRIPT), *map(str, arguments)], cwd=sandbox.path, capture_output=True, text=True,
                          env=dict(sandbox.environment, PYTHONPATH=PACKAGE), timeout=400, check=False)
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode} of {arguments}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main():
    sandbox = harness.Sandbox()
    for name, options in NETWORKS.items():
        model = data / "models" / f"{name}.onnx"
        common = [*IMAGES, *options, "--limit", 100]
        told = ran(sandbox, "--model_path", model, *common, "--tune", "--diagnose", "--output_model", f"{name}.int8.onnx", "--quant_format", "QDQ")
        for title in ("Mixed Precision Statistics", "Activations summary", "Weights summary"):
            harness.check(title in told, f"{name}: {title}")
        newest = max((sandbox.path / "nc_workspace").iterdir(), key=lambda one: one.stat().st_mtime)
        with open(newest / "weights_table.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        harness.check(len(rows) > 20 and float(rows[0]["MSE"]) >= float(rows[-1]["MSE"]), f"{len(rows)} rows of weights, the worst first")
        told = ran(sandbox, "--model_path", f"{name}.int8.onnx", *common, "--benchmark", "--mode", "accuracy")
        harness.check("top1: 0." in told, told.strip().splitlines()[0])
        told = ran(sandbox, "--model_path", f"{name}.int8.onnx", *common, "--benchmark", "--mode=performance", "--diagnose")
        harness.check("Profiling" in told and "Throughput: " in told, told.strip().splitlines()[-1])


main()
