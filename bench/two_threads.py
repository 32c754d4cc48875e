# SPDX-License-Identifier: Apache-2.0
"""Whole commands at two threads over one thread, in turn, with their CPU time and peak of memory.

    QUANTLENS_PROGRAM=build/release/cli/quantlens python3 bench/two_threads.py [--repeat 9] [--threads 2] [--only WORDS]

Each repetition runs a command with one thread and with more right after each other; the ratio is the median over the
repetitions, so a machine that slows down does so for both. The machine should be otherwise idle: the load is printed.
"CPU" is user and system time with more threads over that with one: above 1 is what more threads cost; where it is near 1
and the ratio of times is low, the machine was busy. Exit code 1 where a ratio misses its line, or records differ.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TESTDATA = pathlib.Path(os.environ.get("QUANTLENS_TESTDATA", SOURCE.parent / "shared" / "testdata"))
PROGRAM = os.environ.get("QUANTLENS_PROGRAM", "quantlens")
# Of the workload's folder; workload.json has times and the number of threads.
NO_RECORDS = {"workload.json", "events.jsonl", "lock"}


class Runner:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def run(self, arguments, threads):
        """Seconds, CPU seconds, peak in MB, and the records of one run."""
        self.count += 1
        workspace = self.folder / f"workspace{self.count}"
        command = [PROGRAM, *map(str, arguments), "--threads", str(threads), "--quiet", "--workspace", str(workspace)]
        log = self.folder / "log"
        with log.open("w") as out:
            start = time.monotonic()
            child = subprocess.Popen(command, stdout=out, stderr=out)
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - start
        if status != 0:
            sys.exit(f"{' '.join(command)}: status {status}\n{log.read_text()}")
        records = {path.name: path.read_bytes() for path in sorted(workspace.glob("workloads/*/*"))
                   if path.is_file() and path.name not in NO_RECORDS}
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, records


def cases(folder, runner):
    """(name, arguments, least ratio) of each command."""
    images = folder / "imagenet.yaml"
    images.write_text(f"images: {{folder: {TESTDATA}/imagenet/images, labels: {TESTDATA}/imagenet/val.txt, crop: 224, "
                      "color: rgb, mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5], layout: nchw}\n")
    found = []
    for name, data, limit, metric, least in (
            ("kwt1", TESTDATA / "speech" / "kwt1_400.npz", 400, "top1", 1.8),
            ("mobilenet_v1_0.75_224", images, 100, "top1:label_offset=1", 1.7)):
        model = TESTDATA / "models" / f"{name}.onnx"
        quantized = folder / f"{name}.int8.onnx"
        runner.run(["quantize", model, "-o", quantized, "--data", data, "--limit", 50], os.cpu_count())
        feed = ["--data", data, "--limit", limit]
        found += [
            (f"diagnose {name}", ["diagnose", model, quantized, *feed], least),
            (f"calibrate {name}", ["calibrate", model, "-o", folder / "statistics.bin", *feed], 1.7),
            (f"evaluate {name}", ["evaluate", model, *feed, "--metric", metric], 1.7),
            (f"evaluate {name} --against", ["evaluate", quantized, "--against", model, *feed, "--metric", metric], 1.7)]
    return found


def measure(name, arguments, least, runner, options):
    ones, manies, ratios, costs = [], [], [], []
    peaks = [0.0, 0.0]
    same = True
    for repetition in range(options.repeat + 1):
        one, one_cpu, one_peak, one_records = runner.run(arguments, 1)
        many, many_cpu, many_peak, many_records = runner.run(arguments, options.threads)
        same = same and one_records == many_records
        if repetition == 0:
            continue  # warms up
        ones.append(one)
        manies.append(many)
        ratios.append(one / many)
        costs.append(many_cpu / one_cpu)
        peaks = [max(peaks[0], one_peak), max(peaks[1], many_peak)]
    ratio = statistics.median(ratios)
    print(f"{name:42} {statistics.median(ones):7.2f} {statistics.median(manies):7.2f} {ratio:6.2f} {max(ratios):6.2f} "
          f"{least:6.1f} {statistics.median(costs):6.2f} {peaks[0]:7.0f} {peaks[1]:7.0f}  {'equal' if same else 'DIFFER'}"
          f"  {os.getloadavg()[0]:5.2f}", flush=True)
    return same and ratio >= least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="commands whose name holds this")
    options = parser.parse_args()
    if not TESTDATA.is_dir():
        sys.exit(f"the test data are absent ({TESTDATA}); set QUANTLENS_TESTDATA")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="quantlens-threads-") as name:
        folder = pathlib.Path(name)
        runner = Runner(folder)
        print(f"{'':42} {'1 [s]':>7} {f'{options.threads} [s]':>7} {'ratio':>6} {'best':>6} {'least':>6} {'CPU':>6} "
              f"{'1 [MB]':>7} {f'{options.threads} [MB]':>7}  records  load")
        good = [measure(*case, runner, options) for case in cases(folder, runner) if options.only in case[0]]
    sys.exit(0 if all(good) else 1)


main()
