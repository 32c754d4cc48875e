# SPDX-License-Identifier: Apache-2.0
"""The Python package over stored runs: a report in one file, the server, and the demo."""
import json
import os
import pathlib
import sys
import urllib.request

import harness
from serving import open_context

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quantlens  # noqa: E402
from onnx import numpy_helper  # noqa: E402


def refusal(call, kind):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"nothing was refused by {call}")


def reports(sandbox, broken, mended):
    workspace = sandbox.path / "workspace"
    page = quantlens.report(broken, mended, output=sandbox.path / "both.html", progress=False)
    text = pathlib.Path(page.path).read_text(encoding="utf-8")
    harness.check(broken.id in text and mended.id in text and not page.missed, f"both runs are in one file of {len(text)} characters")
    told = sandbox.run("report", broken.id, "-o", "program.md", "--fail-below", "20", code=3)
    made = quantlens.report(broken.id, output=sandbox.path / "package.md", fail_below=20, workspace=workspace, progress=False)
    same = (sandbox.path / "program.md").read_bytes() == (sandbox.path / "package.md").read_bytes()
    harness.check(same, "the package writes what the program writes")
    harness.check(len(made.missed) == 1 and made.missed[0] in told.stderr, f"and names the gate that was missed: {made.missed[0]}")
    both = quantlens.report(broken, mended, output=sandbox.path / "gates.html", max_loss=0.01, progress=False)
    harness.check([one.split(":")[0] for one in both.missed] == [broken.id], "of two runs, the one that missed it")
    said = refusal(lambda: quantlens.report(broken, output=sandbox.path / "report.pdf"), quantlens.UsageError)
    harness.check("report.pdf" in said and not (sandbox.path / "report.pdf").exists(), said)
    said = refusal(lambda: quantlens.report("none-such", workspace=workspace), quantlens.Error)
    harness.check("none-such" in said, said)


def histograms(broken):
    """Counts as NumPy has them, of the weights, which are at hand."""
    stored = {one.name: numpy_helper.to_array(one) for one in onnx.load(harness.DEMO / "digits.onnx").graph.initializer}
    told = broken.histograms()
    outputs = [one.tag for one in told if one.tag.endswith("/Output")]
    harness.check(len(outputs) > 5, f"activations have histograms: {outputs}")
    pairing = json.loads(pathlib.Path(broken.folder, "pairing.json").read_text(encoding="utf-8"))
    as_stored = {one["reference"] for one in pairing["weights"] if not one["folded"]} & set(stored)
    weights = [one for one in told if one.reference_name in as_stored]
    for one in weights:
        counted, _ = np.histogram(stored[one.reference_name].astype(np.float64), bins=[*one.reference.edges[:-1], np.inf])
        harness.check(np.array_equal(counted, one.reference.counts), f"{one.tag}: counts between its edges are NumPy's")
        harness.check(sum(one.quantized.counts) == stored[one.reference_name].size, "and all its elements have codes")
    harness.check(weights, f"of {len(weights)} weights into which nothing is folded")
    sides = [sum(one.reference.counts) == sum(one.quantized.counts) for one in told if one.quantized]
    harness.check(all(sides) and len(sides) > 10, f"both sides of {len(sides)} tensors have as many elements")
    only = broken.histograms([weights[0].reference_name])
    harness.check([one.tag for one in only] == [weights[0].tag], "one can be asked for")
    harness.check("<svg" in only[0]._repr_html_(), "a picture is made of it")
    page = broken._repr_html_()
    harness.check(page.count("fill-opacity") == 3, "a notebook shows those of the three worst values")


def served(sandbox, run):
    workspace = sandbox.path / "workspace"
    with quantlens.serve(workspace=workspace, roots=[sandbox.path]) as server:
        address, _, token = server.url.partition("?token=")
        harness.check(address.startswith("https://") and token, "serve tells where it is, and the token")
        asked = urllib.request.Request(f"{address.rstrip('/')}/api/v1/workloads", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, context=open_context(), timeout=60) as answer:
            harness.check(run.id in answer.read().decode(), "and has the run")
    harness.check(server._process.returncode == 0, "it ends with its block")
    said = refusal(lambda: quantlens.serve(options=["--no-such"]), quantlens.Failed)
    harness.check("--no-such" in said, said)


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_PROGRAM"] = harness.program()
    workspace = sandbox.path / "workspace"
    broken, mended = quantlens.demo(folder=harness.DEMO, workspace=workspace, progress=False)
    harness.check(broken.findings[0].rule == "spread_weight" and not mended.findings[:1] or mended.findings[0].rule != "spread_weight",
                  f"the demo breaks a model and mends it: {broken.accuracy.quantized.value} and {mended.accuracy.quantized.value}")
    harness.check(broken.accuracy.quantized.value < 0.9 < mended.accuracy.quantized.value, "as the accuracies say")
    histograms(broken)
    reports(sandbox, broken, mended)
    served(sandbox, broken)


main()
