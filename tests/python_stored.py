# SPDX-License-Identifier: Apache-2.0
"""The Python package over stored runs: a report in one file, the server, and the demo."""
import json
import os
import pathlib
import shutil
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


def compared(sandbox, broken, mended):
    """As the command line has it: texts, tables, files, and the gate."""
    told = quantlens.compare(mended, broken, fail_on="worse", progress=False)
    sandbox.run("compare", mended.id, broken.id, "--fail-on", "worse", code=3)
    harness.check(len(told.missed) == 1 and "is worse than" in told.missed[0], f"what is worse misses it: {told.missed}")
    harness.check(not quantlens.compare(broken, broken, fail_on="worse", progress=False).missed, "one that is not does not")
    said = sandbox.run("compare", mended.id, broken.id, "--output", "markdown").stdout
    harness.check(told.to_markdown().splitlines()[:8] == said.splitlines()[:8], "Markdown is that of the command line")
    tables = told.tables()
    harness.check(len(tables["ops"]["verdict"]) == len(told.ops) and tables["worse"], f"tables are {', '.join(tables)}")
    harness.need("pandas")
    harness.check(len(told.to_pandas("worse")) == told.record.counts.worse, "pandas has them")
    said = refusal(lambda: told.to_pandas("none"), LookupError)
    harness.check("worse" in said, said)
    said = refusal(lambda: broken.histograms(3), quantlens.UsageError)
    harness.check(said.startswith("histograms: values=3"), said)
    page = told._repr_html_()
    harness.check(page.startswith("<p><b>") and "Worse in B" in page and "<details>" in page, "a notebook shows it")
    for ending in (".html", ".md", ".json", ".csv"):
        mine, theirs = sandbox.path / f"mine{ending}", sandbox.path / f"theirs{ending}"
        made = quantlens.compare(broken, mended, output=mine, progress=False)
        harness.check(made.output == str(mine), f"compare writes {mine.name}")
        sandbox.run("compare", broken.id, mended.id, "-o", theirs)
        if ending == ".html":  # it says when it was made
            harness.check(all(one.id in mine.read_text(encoding="utf-8") for one in (broken, mended)), "with both runs")
        else:
            harness.check(mine.read_bytes() == theirs.read_bytes(), "as the command line does")
    said = refusal(lambda: quantlens.compare(broken, mended, output=sandbox.path / "a.pdf", progress=False), quantlens.UsageError)
    harness.check("output=" in said and " -o" not in said, said)


def named_in_any_way(sandbox, broken, mended):
    """A run is itself, its id, the beginning of it, its folder, its record, or "last"."""
    workspace = sandbox.path / "workspace"
    for name in (broken, broken.folder, pathlib.Path(broken.folder)):
        harness.check(quantlens.open_run(name).id == broken.id, f"{type(name).__name__} names a run")
    for name in (broken.id, quantlens.workloads(workspace=workspace)[0], "last"):
        found = quantlens.open_run(name, workspace=workspace)
        harness.check(found.id == broken.id, f"{type(name).__name__} names a run of a workspace")
    pairs = ([broken, mended], (broken.folder, mended.folder))
    written = [quantlens.report(pair, output=sandbox.path / "pair.html", progress=False).path for pair in pairs]
    text = pathlib.Path(written[0]).read_text(encoding="utf-8")
    harness.check(broken.id in text and mended.id in text, "a report of a list has both runs")
    said = refusal(lambda: quantlens.report([broken, mended, broken]), quantlens.UsageError)
    harness.check(said.startswith("report: run="), said)
    model = sandbox.run("export", broken.id, "--as", "netron", "--model", "reference", "-o", "theirs.onnx")
    made = quantlens.export(broken, "netron", sandbox.path / "mine.onnx", model="reference", progress=False)
    harness.check(pathlib.Path(made).read_bytes() == (sandbox.path / "theirs.onnx").read_bytes(), model.stdout.strip())


def events(sandbox):
    """As --tensorboard and the recipe's key write them."""
    model, data, workspace = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz", sandbox.path / "workspace"
    found = lambda folder: sorted(one.parent.name for one in sandbox.path.joinpath(folder).rglob("events*"))  # noqa: E731
    asked = {"metric": "top1", "limit": 50, "workspace": workspace, "progress": False}
    run = quantlens.quantize(model, data, output="events.onnx", recipe={"tensorboard": True}, **asked)
    harness.check(len(found("runs/eval")) == 2 and run.diagnosis is not None, f"a recipe writes {found('runs/eval')}")
    quantlens.quantize(model, data, output="events.onnx", tensorboard="mine", tensorboard_tags="together", **asked)
    harness.check("together" in found("mine/eval"), f"so does the option, into its folder: {found('mine/eval')}")
    quantlens.diagnose(model, "events.onnx", data, tensorboard=pathlib.Path("diagnosed"), **asked)
    harness.check(len(found("diagnosed/eval")) == 2, "diagnose has it, too")
    foreign = sandbox.path / "foreign" / "eval" / "tune_1" / "events.out.tfevents.1.host"
    foreign.parent.mkdir(parents=True)
    foreign.write_text("x")
    before = len(quantlens.workloads(workspace=workspace))
    said = refusal(lambda: quantlens.diagnose(model, "events.onnx", data, tensorboard="foreign", limit=50, workspace=workspace,
                                              progress=False), quantlens.UsageError)
    harness.check("another program" in said and len(quantlens.workloads(workspace=workspace)) == before,
                  f"events of others are refused before the work: {said}")
    shutil.rmtree("runs")
    quantlens.tune(model, data, **asked, output="tuned.onnx", recipe="{tensorboard: true}", max_trials=1)
    harness.check(len(found("runs/eval")) == 2, f"and tune: {found('runs/eval')}")
    over = {"accuracy_level": "fast", "tensorboard": False}
    for recipe, words in ((run, "a run"), (run.id, "its id"), (run.folder, "its folder"), ("events.onnx", "a quantized model")):
        again = quantlens.quantize(model, data, output="again.onnx", recipe=[recipe, over], **asked)
        harness.check(again.plan is not None, f"{words} is a recipe, over which others are laid")
    coarse = {"weight": {"granularity": "per_tensor"}}
    both = quantlens.quantize(model, data, output="both.onnx", recipe=[coarse, {"accuracy_level": "fast"}], **asked)
    kept = json.loads(pathlib.Path(both.folder, "recipe.json").read_text(encoding="utf-8"))
    harness.check(kept["weight"]["granularity"] == "per_tensor" and kept["accuracy_level"] == "fast", "of two recipes both count")
    by_words = quantlens.quantize(model, data, output="words.onnx", recipe=coarse, approach="dynamic", format="qdq",
                                  accuracy_level="fast", target="avx2", **asked)
    kept = json.loads(pathlib.Path(by_words.folder, "recipe.json").read_text(encoding="utf-8"))
    harness.check(kept["approach"] == "dynamic" and kept["target"] == "avx2", "options of quantize win over the recipe")
    alone = quantlens.quantize(model, data, output="alone.onnx", isolate=True, isolate_timeout="60", **asked)
    harness.check(alone.accuracy.quantized.samples == 50, "models run in a process of their own")
    timed = quantlens.benchmark(model, rounds=1, iterations=5, instances="1", cores_per_instance=1, workspace=workspace,
                                progress=False)
    harness.check(len(timed.benchmark.results[0].instances) == 1, "or in several that are timed")


def goals(sandbox, broken, mended):
    """What is missed is told as a list of sentences, where the command line ends with 3."""
    model, data, workspace = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz", sandbox.path / "workspace"
    for bound, code in ((200, 3), ("-200", 0)):
        run = quantlens.diagnose(model, mended.output, data, fail_below=bound, limit=20, workspace=workspace, progress=False)
        sandbox.run("judge", run.id, "--fail-below", bound, code=code)
        judged = quantlens.judge(run, fail_below=bound, workspace=workspace, progress=False)
        harness.check(len(run.missed) == len(judged.missed) == (code == 3), f"fail_below={bound!r}: {run.missed}")
    tuned = quantlens.tune(model, data, "top1", max_loss=-0.5, max_trials=1, limit=50, output="missed.onnx", workspace=workspace,
                           progress=False)
    harness.check(tuned.missed == [tuned.verdict] and not tuned.study.reached, f"so is the goal of a search: {tuned.missed}")


def histograms(broken):
    """Counts as NumPy has them, of the weights, which are at hand."""
    stored = {one.name: numpy_helper.to_array(one) for one in onnx.load(harness.DEMO / "digits.onnx").graph.initializer}
    told = broken.histograms()
    outputs = [one.tag for one in told if one.tag.endswith("/Output")]
    harness.check(len(outputs) > 5, f"activations have histograms: {outputs}")
    pairing = json.loads(harness.stored(pathlib.Path(broken.folder, "pairing.json")))
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
    os.chdir(sandbox.path)
    workspace = sandbox.path / "workspace"
    broken, mended = quantlens.demo(folder=harness.DEMO, workspace=workspace, progress=False)
    harness.check(broken.findings[0].rule == "spread_weight" and not mended.findings[:1] or mended.findings[0].rule != "spread_weight",
                  f"the demo breaks a model and mends it: {broken.accuracy.quantized.value} and {mended.accuracy.quantized.value}")
    harness.check(broken.accuracy.quantized.value < 0.9 < mended.accuracy.quantized.value, "as the accuracies say")
    histograms(broken)
    reports(sandbox, broken, mended)
    compared(sandbox, broken, mended)
    named_in_any_way(sandbox, broken, mended)
    goals(sandbox, broken, mended)
    events(sandbox)
    served(sandbox, broken)


main()
