# SPDX-License-Identifier: Apache-2.0
"""Every Python snippet of the predecessors' documents runs, after what a document leaves open is filled in."""
import re
import subprocess
import sys

import harness

PACKAGE = harness.python_package()
DOCUMENTS = harness.TESTDATA.parent / "reference" / "originals"
if not DOCUMENTS.is_dir():
    harness.skip(f"the documents are absent ({DOCUMENTS})")
harness.need("numpy", "onnx", "onnxruntime", "pandas")

# What the documents leave open: model, data, imports that they forget.
BEFORE = f"""
import os
import numpy as np, onnx, onnxruntime
from neural_compressor import PostTrainingQuantConfig, BenchmarkConfig, quantization
from neural_compressor.data import DataLoader
arrays = np.load({str(harness.DEMO / "digits.npz")!r})
class IncDataset:
    def __init__(self, dataset, model): self.dataset = dataset
    def __len__(self): return len(self.dataset["image"])
    def __getitem__(self, at): return self.dataset["image"][at], self.dataset["label"][at]
def eval_func(model):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    told = session.run(None, {{"image": arrays["image"]}})[0]
    return float((told.argmax(1) == arrays["label"]).mean())
eval = eval_func
eval_dataset, input_model, output_model = arrays, {str(harness.DEMO / "digits.onnx")!r}, "saved/int8.onnx"
onnx_model = model = onnx.load(input_model)
calib_dataset = IncDataset(eval_dataset, model)
dataloader = DataLoader(framework="onnxruntime", dataset=calib_dataset)
display = print
"""
SUBSTITUTIONS = [(", ...)", ")")]  # "and other options"
# Of each document: how many snippets it has, and which are shown by others.
DOCUMENT_SNIPPETS = {"1-tensorflow-step-by-step.md": 2, "2-onnx-step-by-step.md": 5, "3-diagnosis.md": 3, "4-neural-insights-article.md": 2}
NOT_PYTHON = {"5-tensorboard.md": "its code is of the predecessor's own classes, shown in parts: pseudo-code"}
AFTER_FIT = "assert q_model is not None and q_model.model is not None"


def snippets_of(text):
    """Fenced ones, and in the article, which has no fences, from the import to the line of `fit`."""
    fenced = [re.sub(r"^```\w*\n|```$", "", block) for block in re.findall(r"```(?:python|py)\n.*?```", text, re.S)]
    return fenced or re.findall(r"^from neural_compressor import .*?^q_model = [^\n]*$", text, re.S | re.M)


def ran(sandbox, name, script):
    path = sandbox.write(name, script)
    done = subprocess.run([sys.executable, "-B", "-m", "quantlens", "run-script", str(path)], cwd=sandbox.path, capture_output=True, text=True,
                          env=dict(sandbox.environment, PYTHONPATH=PACKAGE), timeout=300, check=False)
    harness.check(done.returncode == 0, f"{name} runs" + ("" if done.returncode == 0 else f":\n{script}\n{done.stderr[-2000:]}"))
    return done.stdout


def main():
    sandbox = harness.Sandbox()
    for document, count in DOCUMENT_SNIPPETS.items():
        snippets = snippets_of((DOCUMENTS / document).read_text(encoding="utf-8"))
        harness.check(len(snippets) == count, f"{document} has {len(snippets)} snippets")
        together = ""
        for at, snippet in enumerate(snippets, start=1):
            for old, new in SUBSTITUTIONS:
                snippet = snippet.replace(old, new)
            together += snippet + ("\n" + AFTER_FIT if "quantization.fit" in snippet else "") + "\n"
            # Those of a document go on from each other: the tables of one are read by the next.
            if document.startswith("2-"):
                continue
            ran(sandbox, f"{document[:1]}_{at}.py", BEFORE + together)
            together = ""
        if together:
            told = ran(sandbox, f"{document[:1]}.py", BEFORE + together)
            for title in ("Activations summary", "Weights summary", "Min-Max data range"):
                harness.check(title in told, f"{document}: {title} is shown")
            harness.check((sandbox.path / "saved" / "int8.onnx").exists(), f"{document}: the model is saved")
    for document, why in NOT_PYTHON.items():
        print(f"left out {document}: {why}")


main()
