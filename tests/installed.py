# SPDX-License-Identifier: Apache-2.0
"""The installed library in a tree of its own: find_package, build, run on the demo; and what is not installed."""

import gzip
import os
import pathlib
import re
import subprocess
import sys

import harness

EXAMPLE = harness.SOURCE / "examples" / "library"
BUILD = pathlib.Path(harness.program()).parent.parent


def call(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    harness.check(done.returncode == 0, f"{words[0]} {words[1]} ends well: {(done.stdout + done.stderr)[-500:] if done.returncode else ''}")
    return done.stdout


def cache(name):
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else ""


def what_shells_read(prefix):
    """The program's own page and scripts, each under both names of the program."""
    share, program = prefix / "share", prefix / "bin" / "quantlens"
    completion = {"bash": ["bash-completion/completions/quantlens", "bash-completion/completions/neural_insights"],
                  "zsh": ["zsh/site-functions/_quantlens"],
                  "fish": ["fish/vendor_completions.d/quantlens.fish", "fish/vendor_completions.d/neural_insights.fish"]}
    for shell, files in completion.items():
        script = call(program, "completion", shell)
        harness.check(all((share / file).read_text() == script for file in files), f"what {shell} completes with is there: {files}")
    page = call(program, "manual")
    for name in ("quantlens", "neural_insights"):
        with gzip.open(share / "man" / "man1" / f"{name}.1.gz", "rt") as installed:
            harness.check(installed.read() == page, f"the man page of {name} is there")


def main():
    if cache("QUANTLENS_SANITIZE"):
        harness.skip("a library with sanitizers is not what is installed")
    sandbox = harness.Sandbox()
    prefix, build = sandbox.path / "prefix", sandbox.path / "build"
    call("cmake", "--install", BUILD, "--prefix", prefix)
    what_shells_read(prefix)
    headers = {path.relative_to(prefix / "include").as_posix() for path in (prefix / "include").rglob("*.h")}
    shown = {"quantlens/quantlens.h", "quantlens/flow/quantize.h", "quantlens/workspace/read_record.h"}
    harness.check(shown <= headers, "the tour and what it shows are there")
    inner = {"quantlens/diagnosis/match/matcher.h", "quantlens/frontend/onnx/encode.h", "quantlens/diagnosis/testing/models.h"} & headers
    harness.check(not inner, f"what is ours alone is not: {inner or len(headers)} headers")
    tour = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", prefix / "include", "-"], text=True, check=False,
                          input='#include "quantlens/quantlens.h"\n', capture_output=True)
    harness.check(tour.returncode == 0, f"the tour compiles with what is installed: {tour.stderr[:500]}")
    call("cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo")
    call("cmake", "--build", build)
    targets = next((prefix / "lib").rglob("quantlensTargets.cmake")).read_text(encoding="utf-8")
    harness.check(str(harness.SOURCE) not in targets, "the package names nothing of the tree that it was built in")
    demo = harness.DEMO
    environment = {key: value for key, value in os.environ.items() if key != "QUANTLENS_ONNXRUNTIME"}
    text = call(build / "quantlens_example_library", demo / "digits.onnx", demo / "digits.npz", sandbox.path / "int8.onnx",
                sandbox.path / "runs", env=environment)
    harness.check("top1: 0.9" in text and "worst op: " in text, f"the program quantizes: {text}")
    runpath = call("readelf", "-d", build / "quantlens_example_library")
    runtime = pathlib.Path(cache("ONNXRUNTIME_LIBRARY"))
    if harness.SOURCE in runtime.parents:
        harness.check(f"{prefix}/lib/quantlens" in runpath, "and finds the runtime that was installed with it")


if __name__ == "__main__":
    main()
