# SPDX-License-Identifier: Apache-2.0
"""What TensorBoard's own pages show of our event files, in Chromium: graphs, histograms with both models in one card, trials.

    tests/event_pages.py [--pictures FOLDER]
"""

import json
import pathlib
import shutil
import subprocess
import sys

import gui
import harness
from tensorboards import answer, server

harness.need("tensorboard")


def shown(logdir, folder, pictures):
    chromium = gui.need_browser()
    playwright = gui.UI / "node_modules" / "playwright-core" / "index.mjs"
    runs = {run.name for run in logdir.iterdir()}
    with server(["--logdir", str(logdir)], folder) as port:
        # The pages ask once: all must have been read.
        answer(port, "/data/plugin/scalars/tags", is_whole=lambda text: {one for one in runs if one != "together"} <= set(json.loads(text)))
        answer(port, "/data/plugin/histograms/tags", is_whole=lambda text: "together" in json.loads(text))
        answer(port, "/data/plugin/graphs/info", is_whole=lambda text: len(json.loads(text)) >= len(runs) - 1)
        words = [shutil.which("node"), harness.SOURCE / "tests" / "event_pages.mjs", playwright, chromium, f"http://127.0.0.1:{port}/", pictures]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=400)
    harness.check(done.returncode == 0, f"Chromium opens its tabs: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def main():
    pictures = str(pathlib.Path(sys.argv[2]).resolve()) if sys.argv[1:2] == ["--pictures"] else ""
    gui.need_browser()
    sandbox = harness.Sandbox()
    sandbox.run("tune", harness.DEMO / "digits.onnx", "-o", "tuned.onnx", "--data", harness.DEMO / "digits.npz", "--metric", "top1",
                "--max-loss", "-0.01", "--max-trials", "3", "--tensorboard", "search", "--tensorboard-tags", "together", code=None)
    page = shown(sandbox.path / "search" / "eval", sandbox.path, pictures)
    names = sorted(run.partition("_acc_")[0] for run in page["runs"])
    harness.check(names == ["baseline", "together", "tune_1", "tune_2", "tune_3"], f"the runs are shown: {names}")
    tags = [card["tag"] for card in page["cards"]]
    harness.check(len(tags) > 3 and len(set(tags)) == len(tags), f"a tensor has one card: {tags}")
    apart = all(card["curves"] >= 2 and card["colours"] == card["curves"] for card in page["cards"])
    harness.check(apart, "which has the float model and the quantized one, each in a colour of its own")
    harness.check(page["nodes"] > 5, f"the graph is drawn, with {page['nodes']} nodes")
    harness.check({"tune_1", "tune_2", "tune_3", "accuracy", "loss", "int8_share"} <= set(page["cells"]), "the trials stand in a table")


if __name__ == "__main__":
    main()
