#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What calibration by entropy or percentile costs, beside ONNX Runtime's own, over the same samples.

usage: peer_calibration.py PROGRAM MODEL SAMPLES.npz [entropy|percentile|minmax]

PROGRAM is quantlens. Each of the two is a process of its own, which reads the model and the samples and ends with a
range for each value; wall time, CPU time and peak memory are those of the whole process, as the system counts them. The
samples are in memory in the peer's process and mapped in ours. quantlens' process also writes the quantized model.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

PEER = """
import sys, numpy
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, create_calibrator
model, data, method, augmented = sys.argv[1:5]
class Samples(CalibrationDataReader):
    def __init__(self):
        arrays = {name: array for name, array in numpy.load(data).items() if name != "label"}
        count = min(map(len, arrays.values()))
        self._batches = iter([{name: array[i:i + 1] for name, array in arrays.items()} for i in range(count)])
    def get_next(self):
        return next(self._batches, None)
methods = {"entropy": CalibrationMethod.Entropy, "percentile": CalibrationMethod.Percentile,
           "minmax": CalibrationMethod.MinMax}
calibrator = create_calibrator(model, None, augmented, calibrate_method=methods[method])
calibrator.collect_data(Samples())
print(len(calibrator.compute_data().keys()), "ranges")
"""


def run(title, command):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0:
        last = error.strip().splitlines()[-1] if error.strip() else ""
        print(f"{title:12} failed after {seconds:.1f} s: {last[:150]}")
        return None
    print(f"{title:12} {seconds:7.2f} s  {usage.ru_utime + usage.ru_stime:7.2f} s of CPU  {usage.ru_maxrss / 1024:7.0f} MB")
    return seconds


def main():
    program, model, data = sys.argv[1:4]
    method = sys.argv[4] if len(sys.argv) > 4 else "entropy"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        recipe = f"{{activation: {{algorithm: {method}}}, recipes: {{bias_correction: false}}}}"
        ours = run("quantlens", [program, "quantize", model, "--data", data, "-o", path / "int8.onnx", "--recipe", recipe,
                                 "--workspace", path / "workspace", "--quiet"])
        theirs = run("onnxruntime", [sys.executable, "-c", PEER, model, data, method, path / "augmented.onnx"])
    if ours and theirs:
        print(f"{theirs / ours:.1f} times as fast")


main()
