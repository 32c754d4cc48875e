# SPDX-License-Identifier: Apache-2.0
"""The wheel in an environment of its own, where no compiler is: the program, the server with its pages, the package.

    tests/wheel.py [WHEEL]      else the one that tools/wheel left in build/wheel

Also in each other Python from 3.10 on that is on the PATH or named in $QUANTLENS_PYTHONS (programs, separated by colons).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request
import zipfile

import harness
from serving import open_context

SCRIPT = """
import sys
import numpy as np
import quantlens
demo = sys.argv[1]
digits = np.load(demo + "/digits.npz")
images = {name: digits[name] for name in digits.files if name != "label"}
run = quantlens.quantize(demo + "/digits.onnx", (images, digits["label"]), output="int8.onnx", metric="top1", diagnose=True,
                         recipe={"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}}, progress=False)
print(run.findings[0].rule, run.accuracy.quantized.value, quantlens.__version__, len(quantlens.workloads()))
"""


def wheel():
    if len(sys.argv) > 1:
        return pathlib.Path(sys.argv[1]).resolve()
    found = sorted((harness.SOURCE / "build" / "wheel").glob("quantlens-*.whl"))
    if not found:
        harness.skip("there is no wheel; build one with tools/wheel")
    return found[-1].resolve()


class Environment:
    """One of Python's venvs, whose programs are the only ones."""

    def __init__(self, folder, path, python=sys.executable):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        self.bin = folder / "venv" / "bin"
        self.variables = {"PATH": str(self.bin), "HOME": str(folder), "LANG": "C.UTF-8", "ORT_DISABLE_TELEMETRY": "1"}
        installed = self.call("pip", "install", "--disable-pip-version-check", "-q", "--only-binary=:all:", path, pip=True)
        harness.check(installed.returncode == 0, f"pip installs it: {installed.stderr[-300:]}")

    def call(self, name, *words, pip=False):
        variables = dict(os.environ, PATH=str(self.bin)) if pip else self.variables  # pip has its settings of the machine
        return subprocess.run([self.bin / name, *map(str, words)], cwd=self.folder, env=variables, capture_output=True, text=True,
                              check=False, timeout=500)

    def package(self):
        return next((self.folder / "venv" / "lib").glob("python*/site-packages"))


def bytes_below(folder):
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def program_works(environment):
    version = environment.call("quantlens", "--version")
    harness.check(re.fullmatch(r"quantlens \d+\.\d+\.\d+\n", version.stdout), version.stdout.strip())
    begun = time.perf_counter()
    for _ in range(5):
        environment.call("quantlens", "--version")
    print(f"     quantlens --version takes {(time.perf_counter() - begun) / 5 * 1000:.0f} ms")
    doctor = environment.call("quantlens", "doctor")
    harness.check("site-packages/onnxruntime/capi" in doctor.stdout.replace("\n", ""), "it runs models in the package onnxruntime")
    demo = environment.call("quantlens", "demo")
    harness.check(demo.returncode == 0 and "spread_weight" in demo.stdout, f"the demo names its culprit: {demo.stderr[-300:]}")
    unknown = environment.call("quantlens", "quantise")
    harness.check(unknown.returncode == 2 and "quantize" in unknown.stderr, unknown.stderr.strip())
    old = environment.call("neural_insights", "--help")
    harness.check(old.returncode == 0 and "serve" in old.stdout, "neural_insights is its server")
    (environment.folder / "script.py").write_text("import sys\nfrom neural_compressor import PostTrainingQuantConfig\nprint(sys.argv[1])\n")
    script = environment.call("quantlens", "run-script", "script.py", "--flag")
    harness.check(script.stdout == "--flag\n", f"run-script runs a script of the predecessor's: {script.stderr[-300:]}")


def server_works(environment):
    server = subprocess.Popen([environment.bin / "quantlens", "serve"], cwd=environment.folder, env=environment.variables,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        told = ""
        while "token" not in told:
            line = server.stdout.readline()
            if not line:
                raise AssertionError(f"the server ended: {told}")
            told += line
        address = re.search(r"https://\S+", told).group(0)
        browser = urllib.request.build_opener(urllib.request.HTTPSHandler(context=open_context()), urllib.request.HTTPCookieProcessor())
        with browser.open(address, timeout=60) as page:
            text = page.read().decode()
        harness.check("app.js" in text, "serve gives its pages")
    finally:
        server.terminate()
        harness.check(server.wait(60) == 0, "and ends when it is told to")


def package_works(environment):
    (environment.folder / "use.py").write_text(SCRIPT)
    used = environment.call("python", "use.py", environment.package() / "quantlens/share/quantlens/demo")
    harness.check(used.stdout.startswith("spread_weight 0.") and used.returncode == 0, f"import quantlens: {used.stdout.strip()} {used.stderr[-500:]}")


def version_of(python):
    """Its version where it runs, is CPython, and one that the wheel is for; or None."""
    asked = "import platform, sys; print(platform.python_implementation(), *sys.version_info[:2])"
    try:
        told = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False, timeout=60).stdout.split()
    except OSError:
        return None
    version = tuple(map(int, told[1:])) if told[:1] == ["CPython"] else ()
    return version if version >= (3, 10) else None


def other_pythons():
    """The programs of other versions than this one, one of each."""
    named = filter(None, os.environ.get("QUANTLENS_PYTHONS", "").split(":"))
    found = filter(None, (shutil.which(f"python3.{minor}") for minor in range(10, 20)))
    one_each = {version_of(python): python for python in [*found, *named]}
    return [(version, python) for version, python in sorted(one_each.items(), key=str) if version and version != sys.version_info[:2]]


def main():
    path = wheel()
    print(f"     {path.name}: {path.stat().st_size / 1e6:.1f} MB")
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    needed = {"quantlens/__init__.py", "quantlens/records.py", "quantlens/_core.pyi", "quantlens/py.typed", "quantlens/bin/quantlens"}
    harness.check(needed <= set(names), "the package, its types and the program are inside")
    foreign = [name for name in names if "onnxruntime" in name or name.startswith(("..", "/"))]
    harness.check(not foreign, f"and no ONNX Runtime, nor anything beside it: {foreign}")
    sandbox = harness.Sandbox()
    environment = Environment(sandbox.path, path)
    packages = environment.package()
    size = bytes_below(packages / "quantlens") + sum(bytes_below(one) for one in packages.glob("quantlens.libs"))
    harness.check(size <= 60e6, f"installed it takes {size / 1e6:.1f} MB besides onnxruntime")
    program_works(environment)
    server_works(environment)
    package_works(environment)
    for version, python in other_pythons():
        name = "Python " + ".".join(map(str, version))
        print(f"     {name}")
        package_works(Environment(sandbox.path / name.replace(" ", "-"), path, python))


if __name__ == "__main__":
    main()
