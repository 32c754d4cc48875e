# SPDX-License-Identifier: Apache-2.0
"""Notebooks: the example runs, a run is shown as a page, and progress changes in place."""
import ast
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import sys
import time
import xml.etree.ElementTree

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.pop(0)  # IPython reads Python's own module profile, not the test of that name
sys.path.insert(0, PACKAGE)
os.environ["PYTHONPATH"] = PACKAGE

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quantlens  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from quantlens.progress import NotebookBar  # noqa: E402

NOTEBOOK = harness.SOURCE / "examples" / "notebook" / "first_steps.ipynb"
RESULTS = """
assert bad.accuracy.quantized.value < 0.9 < 0.97 < better.accuracy.quantized.value, (bad.verdict, better.verdict)
assert worst.op.name == "/block3/conv/Conv" and worst.rule == "spread_weight", worst
assert compared.record.accuracy.verdict == "better", compared.verdict
assert min(one.sqnr_db for one in better.diagnosis.activations) > min(one.sqnr_db for one in bad.diagnosis.activations) + 10
"""
SLOW = f"""
import time, numpy as np, quantlens
class Slow:
    def __len__(self):
        return COUNT
    def __getitem__(self, index):
        time.sleep(0.01)
        return np.zeros((1, 8, 8), np.float32), 0
quantlens.evaluate({str(harness.DEMO / "digits.onnx")!r}, Slow(), "top1", name="slow")
"""


def missing(*modules):
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            return module
    return None


def by_exec(cells, folder):
    """As a kernel does, with the value of a last expression shown."""
    names, shown = {}, []
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for source in cells:
            body = ast.parse(source).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            if last:
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    return shown


def example(sandbox):
    """All its cells, and what must have come out."""
    told = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [one for one in told["cells"] if one["cell_type"] == "code"]
    harness.check(all(not one["outputs"] and one["execution_count"] is None for one in code), "the notebook stores no outputs")
    folder = sandbox.path / "examples" / "notebook"
    folder.mkdir(parents=True)
    shutil.copytree(harness.DEMO, folder.parent / "demo")
    absent = missing("nbclient", "ipykernel")
    if absent:
        shown = by_exec(["".join(one["source"]) for one in code] + [RESULTS], folder)
        print(f"its cells ran as plain Python (this Python has no {absent})")
    else:
        import nbclient
        import nbformat

        book = nbformat.read(NOTEBOOK, as_version=4)
        nbformat.validate(book)
        book.cells.append(nbformat.v4.new_code_cell(RESULTS))
        done = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
        shown = [output["data"]["text/html"] for cell in done.cells if cell.cell_type == "code" for output in cell.outputs
                 if "text/html" in output.get("data", {})]
        print("its cells ran in a kernel, by nbclient")
    harness.check((folder / "mended.onnx").exists(), f"{len(code)} cells run, and end with what they should")
    harness.check(any("<svg" in one and "spread_weight" in one for one in shown), "a run is shown as a page")


def strange_model(path):
    """Whose names are markup."""
    names = ['<script>alert("1")</script>', "<b>&amp;'\"", "]]>"]
    draw = np.random.default_rng(1)
    nodes, weights, read = [], [], "x"
    for at, name in enumerate(names):
        columns = draw.normal(size=(8, 8)) * 100 ** draw.random(8)
        weights.append(numpy_helper.from_array(columns.astype(np.float32), f"{name}w"))
        nodes += [helper.make_node("MatMul", [read, f"{name}w"], [f"{name}o"], name=name),
                  helper.make_node("Relu", [f"{name}o"], [f"{name}r"], name=f"{name}relu")]
        read = f"{name}r"
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", 1, ["N", 8])],
                              [helper.make_tensor_value_info(read, 1, ["N", 8])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def pages(sandbox):
    model = strange_model(sandbox.path / "strange.onnx")
    data = np.random.default_rng(2).normal(size=(40, 8)).astype(np.float32)
    recipe = {"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}}
    run = quantlens.quantize(model, data, output=sandbox.path / "int8.onnx", recipe=recipe, diagnose=True, progress=False)
    page = run._repr_html_()
    harness.check(not re.search(r"<script|<b>&amp;'|<b>&'", page) and "&lt;script&gt;" in page, "names that are markup stay text")
    whole = xml.etree.ElementTree.fromstring(f"<div>{page.replace('<br>', '<br/>')}</div>")
    bars = whole.findall(".//{http://www.w3.org/2000/svg}rect")
    harness.check(len(bars) == min(15, len(run.diagnosis.activations)),
                  f"the page is well-formed, its chart has {len(bars)} bars")
    remedies = [one.text for one in whole.findall(".//ol//code")]
    harness.check(remedies and json.loads(remedies[0]) == run.findings[0].remedy, f"a finding has its remedy: {remedies[0]}")
    first = whole.find(".//tbody/tr/td").text
    worst = min(run.diagnosis.activations, key=lambda one: one.rank or 99)
    harness.check(first == worst.op.name, "the worst op is in the first row")
    timed = quantlens.benchmark(model, rounds=1, iterations=5, progress=False)._repr_html_()
    harness.check("<table>" in timed and "<svg" not in timed, "a run without a diagnosis has its own table, and no chart")


class Handle:
    def __init__(self):
        self.puts = []

    def __call__(self, shown, raw, display_id):
        self.puts.append(shown)
        return self

    def update(self, shown, raw):
        self.puts.append(shown)


def bar():
    handle = Handle()
    shown = NotebookBar(handle)
    shown.TELL_AFTER, shown.EVERY = 0.005, 0.0
    shown.update("<calibrate>", 0, 100)
    time.sleep(0.01)
    shown.update("<calibrate>", 50, 100)
    shown.update("<calibrate>", 60, 100)
    shown.update("", 0, None)
    texts = [one["text/plain"] for one in handle.puts]
    harness.check(texts[0].startswith("<calibrate>: 50 of 100") and texts[0].endswith(" s left") and "/s, " in texts[0],
                  f"a bar says {texts[0]!r}")
    harness.check("&lt;calibrate&gt;" in handle.puts[1]["text/html"] and 'value="60" max="100"' in handle.puts[1]["text/html"],
                  "its page is escaped")
    harness.check(texts[-1] == "" and len(texts) == 3, "at the end it is empty")


def messages_of(client, request):
    """Of a cell, until the kernel is idle again."""
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") == request:
            yield message
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return


def in_a_kernel():
    absent = missing("jupyter_client", "ipykernel")
    if absent:
        print(f"left out progress in a kernel (this Python has no {absent})")
        return
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3")
    try:
        told = list(messages_of(client, client.execute(SLOW.replace("COUNT", "400"))))
        begun = [one["content"] for one in told if one["msg_type"] == "display_data"]
        later = [one["content"] for one in told if one["msg_type"] == "update_display_data"]
        harness.check(len(begun) == 1 and " left" in begun[0]["data"]["text/plain"],
                      f"one output shows progress: {begun[0]['data']['text/plain']}")
        harness.check(len(later) > 3
                      and {one["transient"]["display_id"] for one in later} == {begun[0]["transient"]["display_id"]},
                      f"it changes in place, {len(later)} times")
        harness.check(later[-1]["data"]["text/plain"] == "", "and is empty at the end")
        harness.check(not any(one["msg_type"] == "stream" and "\r" in one["content"]["text"] for one in told),
                      "no line is written anew on standard error")
        request = client.execute(SLOW.replace("COUNT", "100000"))
        told = []
        for message in messages_of(client, request):
            told.append(message)
            if message["msg_type"] == "display_data":
                manager.interrupt_kernel()
        errors = [one["content"]["ename"] for one in told if one["msg_type"] == "error"]
        harness.check(errors == ["KeyboardInterrupt"], "interrupting the kernel ends the verb")
        changes = [one["content"]["data"]["text/plain"] for one in told if one["msg_type"] == "update_display_data"]
        harness.check(changes[-1] == "", "and its progress")
        request = client.execute("run = quantlens.open_run('last').run; print(run.name, run.message)")
        shown = [one for one in messages_of(client, request) if one["msg_type"] == "stream"]
        harness.check(shown[0]["content"]["text"].strip() == "slow interrupted", "the kernel goes on, and the run is stored")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    example(sandbox)
    pages(sandbox)
    bar()
    in_a_kernel()


main()
