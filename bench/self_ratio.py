# SPDX-License-Identifier: Apache-2.0
"""Whether `quantlens benchmark MODEL MODEL` knows how sure it is: the interval of a model against itself must hold 1.

    QUANTLENS_PROGRAM=build/dev/cli/quantlens python3 bench/self_ratio.py [MODEL...] [--runs 20] [-- OPTIONS...]

Prints each interval and the load of the machine at that time. Exit code 1 where fewer than 17 of 20 intervals of a model
hold 1, or the median one reaches further than 3 % to a side; without models, two of the test data are taken. OPTIONS are
those of benchmark; without any: --threads 1.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MODELS = pathlib.Path(os.environ.get("QUANTLENS_TESTDATA", SOURCE.parent / "shared" / "testdata")) / "models"
SHARE = 17 / 20
REACH = 0.03


def interval(model, options, workspace):
    done = subprocess.run(
        [os.environ.get("QUANTLENS_PROGRAM", "quantlens"), "benchmark", model, model, "--output", "json", "--quiet",
         "--workspace", workspace, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    ratio = json.loads(done.stdout)["ratios"][0]
    return ratio["ratio"], *map(float, ratio["interval"])


def judge(model, runs, options):
    holds, reaches, seconds = 0, [], []
    with tempfile.TemporaryDirectory() as workspace:
        for i in range(runs):
            start = time.monotonic()
            value, low, high = interval(model, options, workspace)
            seconds.append(time.monotonic() - start)
            reaches.append(max(high - value, value - low))
            holds += low <= 1 <= high
            print(f"{pathlib.Path(model).name} {i + 1:2}: {value:.4f} ({low:.4f} to {high:.4f})"
                  f"{'' if low <= 1 <= high else '  without 1'}  load {os.getloadavg()[0]:.2f}", flush=True)
    print(f"{pathlib.Path(model).name}: {holds} of {runs} hold 1; reach: median {100 * statistics.median(reaches):.2f} %, "
          f"greatest {100 * max(reaches):.2f} %; {statistics.mean(seconds):.1f} s a run", flush=True)
    return holds >= SHARE * runs and statistics.median(reaches) <= REACH


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--runs", type=int, default=20)
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:end]), words[end + 1:]
    models = arguments.models or [str(MODELS / name) for name in ("mobilenet_v1_0.25_224.onnx", "kwt1.onnx")]
    if not all(pathlib.Path(model).exists() for model in models):
        sys.exit("the models are not there; name some, or set QUANTLENS_TESTDATA")
    good = [judge(model, arguments.runs, options or ["--threads", "1"]) for model in models]
    sys.exit(0 if all(good) else 1)


main()
