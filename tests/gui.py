# SPDX-License-Identifier: Apache-2.0
"""The web pages in Chromium, against a real server on runs that the real commands made: ui/browser/*.test.ts.

    tests/gui.py                          all of them
    tests/gui.py --serve FOLDER           makes the runs in FOLDER and serves them until Ctrl-C, to look at by oneself
    tests/gui.py --pictures FOLDER        also keeps a picture of each view, in both sizes and themes
"""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import harness
from serving import Server

UI = harness.SOURCE / "ui"


def run(sandbox, *arguments, code=0):
    """The id of the workload that a command has made."""
    done = sandbox.run(*arguments, code=code)
    return harness.identity_of(done) if code == 0 else done.told_id


def demo_runs(sandbox):
    """What a fresh clone has: the network of the demo, broken by a recipe."""
    demo = harness.DEMO
    data = ["--data", demo / "digits.npz"]
    recipe = "{accuracy_level: fast, weight: {granularity: per_tensor}}"
    made = sandbox.path / "broken.onnx"
    broken = run(sandbox, "quantize", demo / "digits.onnx", "-o", made, *data, "--calibration-data", demo / "calibration.npz",
                 "--recipe", recipe, "--metric", "top1", "--diagnose", "--name", "digits broken")
    runs = {"broken": broken}
    runs["tune"] = run(sandbox, "tune", demo / "digits.onnx", *data, "--metric", "top1", "--max-loss", "1%", "-o",
                       sandbox.path / "tuned.onnx", "--recipe", recipe)
    runs["profile"] = run(sandbox, "profile", demo / "digits.onnx", made, "--iterations", 200, "--verify", 2)
    runs["benchmark"] = run(sandbox, "benchmark", demo / "digits.onnx", made, "--iterations", 50)
    runs["evaluate"] = run(sandbox, "evaluate", made, "--against", demo / "digits.onnx", *data, "--metric", "top1")
    runs["failed"] = run(sandbox, "quantize", demo / "digits.onnx", "-o", sandbox.path / "no.onnx", *data, "--metric", "spearman_cosine",
                         "--name", "<img src=x onerror=alert(1)>", code=1)
    return runs


def real_runs(sandbox):
    """Of real networks, where they are; empty elsewhere."""
    models = harness.TESTDATA / "models"
    if not models.is_dir():
        return {}
    images = harness.imagenet(sandbox)
    metric = ["--metric", harness.MOBILENET_METRIC]
    mobilenet = models / "mobilenet_v1_0.25_224.onnx"
    int8 = sandbox.path / "mobilenet.int8.onnx"
    fast = "{accuracy_level: fast}"
    runs = {"mobilenet": run(sandbox, "quantize", mobilenet, "-o", int8, "--data", images, "--limit", 100, "--recipe", fast, *metric,
                             "--diagnose")}
    runs["mobilenet profile"] = run(sandbox, "profile", mobilenet, int8, "--iterations", 30, "--verify", 1)
    for name, data in (("kwt1", "speech/kwt1_400.npz"), ("magika_v3_3", "magika/magika_435.npz"),
                       ("minilm_l6_v2", "text/minilm_stsb_dev_400.npz")):
        options = [] if name.startswith("minilm") else ["--metric", "top1"]
        runs[name] = run(sandbox, "quantize", models / f"{name}.onnx", "-o", sandbox.path / f"{name}.int8.onnx", "--data",
                                 harness.TESTDATA / data, "--limit", 48, "--recipe", fast, *options, "--diagnose")
    return runs


def wide_runs(sandbox):
    """Of a network with gates and of the largest one that the onnx package brings, on random numbers: for their graphs."""
    onnx = importlib.util.find_spec("onnx")
    light = pathlib.Path(onnx.origin).parent / "backend/test/data/light" if onnx else harness.SOURCE / "nowhere"
    models = {"ppocr_cls": (harness.TESTDATA / "models/ppocr_cls.onnx", "x: [3, 48, 192]"),
              "densenet121": (light / "light_densenet121.onnx", "data_0: [3, 224, 224]")}
    runs = {}
    for name, (model, shape) in models.items():
        if model.exists():
            data = sandbox.write(f"{name}.yaml", f"random: {{count: 4, shapes: {{{shape}}}}}\n")
            runs[name] = run(sandbox, "quantize", model, "-o", sandbox.path / f"{name}.int8.onnx", "--data", data, "--recipe",
                             "{accuracy_level: fast}", "--diagnose", "--name", name)
    return runs


def all_runs(sandbox):
    return demo_runs(sandbox) | real_runs(sandbox) | wide_runs(sandbox)


def reports(sandbox, runs):
    """A report of each run that is looked at, and one of two runs."""
    made = {}
    wanted = {one: [one] for one in runs} | {"pair": ["mobilenet", "mobilenet profile"]}
    for name, some in wanted.items():
        if all(one in runs for one in some):
            made[name] = str(sandbox.path / f"report of {name}.html")
            sandbox.run("report", *[runs[one] for one in some], "-o", made[name], "-q")
    made["compared"] = str(sandbox.path / "compared.html")
    sandbox.run("compare", runs["broken"], runs["tune"], "-o", made["compared"], "-q")
    return made


def need_browser():
    node = shutil.which("node")
    chromium = shutil.which("chromium")
    if not node or not chromium:
        harness.skip("there is no node or no chromium; tools/setup --tests installs them")
    if not (UI / "node_modules" / "playwright-core").is_dir():
        harness.skip("ui/node_modules is not there; tools/setup fetches it")
    return chromium


def serve(sandbox, runs):
    return Server(sandbox, "--root", sandbox.path, "--root", harness.DEMO,
                  *(["--root", harness.TESTDATA] if harness.TESTDATA.is_dir() else []))


def need_pages(server):
    if b"app.js" not in server.ask(path="/")[2]:
        harness.skip("the program was built without the web pages (QUANTLENS_UI)")


def test(sandbox, pictures):
    chromium = need_browser()
    with Server(sandbox) as server:
        need_pages(server)
    runs = all_runs(sandbox)
    with serve(sandbox, runs) as server:
        given = {"url": server.url.partition("?")[0], "token": server.token, "runs": runs, "chromium": chromium, "pictures": pictures,
                 "demo": str(harness.DEMO), "reports": reports(sandbox, runs)}
        environment = dict(sandbox.environment, QUANTLENS_GUI=json.dumps(given))
        done = subprocess.run(["npx", "vitest", "run", "--config", "browser/vitest.config.ts"], cwd=UI, env=environment, check=False)
        harness.check(done.returncode == 0, "the pages do in Chromium what their tests say")


def look(sandbox, folder):
    sandbox.path = pathlib.Path(folder).resolve()
    sandbox.path.mkdir(parents=True, exist_ok=True)
    sandbox.environment["QUANTLENS_WORKSPACE"] = str(sandbox.path / "workspace")
    known = sandbox.path / "runs.json"
    runs = json.loads(known.read_text()) if known.exists() else all_runs(sandbox)
    known.write_text(json.dumps(runs))
    with serve(sandbox, runs) as server:
        print(server.url, json.dumps(runs, indent=1), flush=True)
        try:
            server.process.wait()
        except KeyboardInterrupt:
            pass


def main():
    words = sys.argv[1:]
    sandbox = harness.Sandbox()
    if words[:1] == ["--serve"]:
        look(sandbox, words[1])
    else:
        test(sandbox, str(pathlib.Path(words[1]).resolve()) if words[:1] == ["--pictures"] else "")


if __name__ == "__main__":
    main()
