# SPDX-License-Identifier: Apache-2.0
"""Peak memory of calibration and diagnosis does not grow with the number of samples.

The samples are the same fifty images over and over: a larger image among more of them would count as growth. The C library
keeps holes that freed blocks leave, the more the longer a run is, and arenas, one a thread; with one arena, and blocks from
64 KiB given back at once, the peak is what the program holds. With one thread equal runs then differ by 0.5 %. With two, the
steps that happen to be under way at once move the peak by 5 %, so that a sample which is kept (600 kB each) shows, and no
less: its bound is wider.
"""

import os

import harness

IMAGES = 50
MOST_GROWTH = {1: 1.01, 2: 1.08}  # by threads
MANY = 400
RUNS = 3


def peak_kb(sandbox, model, data, samples, threads):
    """Of a run that calibrates with, and diagnoses over, this many samples."""
    recipe = f"{{calibration_sampling_size: {samples}}}"
    process = os.posix_spawn(
        harness.program(),
        [harness.program(), "quantize", str(model), "--data", str(data), "-o", str(sandbox.path / "out.onnx"),
         "--limit", str(samples), "--recipe", recipe, "--diagnose", "--metric", harness.MOBILENET_METRIC, "--quiet",
         "--threads", str(threads)],
        dict(sandbox.environment, MALLOC_ARENA_MAX="1", MALLOC_MMAP_THRESHOLD_=str(64 << 10)),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    harness.check(status == 0, f"{samples} samples, threads: {threads}: {usage.ru_maxrss} KB at the peak")
    return usage.ru_maxrss


def main():
    sandbox = harness.Sandbox()
    model = harness.need_testdata() / "models" / "mobilenet_v1_0.25_224.onnx"
    first = (harness.TESTDATA / "imagenet" / "val.txt").read_text().splitlines()[:IMAGES]
    labels = sandbox.write("labels.txt", "\n".join(first * (MANY // IMAGES)) + "\n")
    data = harness.imagenet(sandbox, labels=labels)
    for threads, most_growth in MOST_GROWTH.items():
        few = max(peak_kb(sandbox, model, data, IMAGES, threads) for _ in range(RUNS))
        many = min(peak_kb(sandbox, model, data, MANY, threads) for _ in range(RUNS))
        harness.check(many <= most_growth * few,
                      f"threads: {threads}: {MANY} samples take {100 * many / few - 100:.1f} % more than {IMAGES}")


main()
