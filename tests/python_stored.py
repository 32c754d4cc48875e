# SPDX-License-Identifier: Apache-2.0
"""The Python package over stored runs: a report in one file, the server, and the demo."""
import os
import pathlib
import ssl
import sys
import urllib.request

import harness

PACKAGE = harness.python_package()
harness.need("numpy")
sys.path.insert(0, PACKAGE)

import quantlens  # noqa: E402


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


def served(sandbox, run):
    workspace = sandbox.path / "workspace"
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with quantlens.serve(workspace=workspace, roots=[sandbox.path]) as server:
        address, _, token = server.url.partition("?token=")
        harness.check(address.startswith("https://") and token, "serve tells where it is, and the token")
        asked = urllib.request.Request(f"{address.rstrip('/')}/api/v1/workloads", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, context=trusting, timeout=60) as answer:
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
    reports(sandbox, broken, mended)
    served(sandbox, broken)


main()
