# SPDX-License-Identifier: Apache-2.0
"""Peak memory of calibration and diagnosis does not grow with the number of samples.

The C library's arenas, one a thread, make the peak of equal runs differ by 4 %; with one arena it is what
the program holds. With one thread equal runs differ by 2 %. With two, the steps that happen to be under way at once
move the peak by 8 %, so that a sample which is kept (600 kB each) shows, and no less: its bound is wider.
"""

import os

import harness

MOST_GROWTH = {1: 1.03, 2: 1.12}  # by threads
RUNS = 3


def peak_kb(sandbox, model, data, samples, threads):
    """Of a run that calibrates with, and diagnoses over, this many samples."""
    recipe = f"{{calibration_sampling_size: {samples}}}"
    process = os.posix_spawn(
        harness.program(),
        [harness.program(), "quantize", str(model), "--data", str(data), "-o", str(sandbox.path / "out.onnx"),
         "--limit", str(samples), "--recipe", recipe, "--diagnose", "--metric", harness.MOBILENET_METRIC, "--quiet",
         "--threads", str(threads)],
        dict(sandbox.environment, MALLOC_ARENA_MAX="1"),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    harness.check(status == 0, f"{samples} samples, threads: {threads}: {usage.ru_maxrss} KB at the peak")
    return usage.ru_maxrss


def main():
    sandbox = harness.Sandbox()
    model = harness.need_testdata() / "models" / "mobilenet_v1_0.25_224.onnx"
    data = harness.imagenet(sandbox)
    for threads, most_growth in MOST_GROWTH.items():
        few = max(peak_kb(sandbox, model, data, 50, threads) for _ in range(RUNS))
        many = min(peak_kb(sandbox, model, data, 400, threads) for _ in range(RUNS))
        harness.check(many <= most_growth * few,
                      f"threads: {threads}: 400 samples take {100 * many / few - 100:.1f} % more than 50")


main()
