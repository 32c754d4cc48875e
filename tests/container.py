# SPDX-License-Identifier: Apache-2.0
"""The image that packaging/Containerfile was built into, run by podman or docker, on folders of this machine.

    tests/container.py [IMAGE]      else quantlens

It skips where there is no engine or no image. As root it also runs the image for other users than its own.
"""
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

import harness
from serving import free_port

MEGABYTES = 160
FOREIGN = 4321  # a user that is neither the image's nor, most likely, anyone's here
QUANTIZE = ["quantize", "digits.onnx", "--data", "calibration.npz"]


class Engine:
    def __init__(self):
        found = [path for path in map(shutil.which, ("podman", "docker")) if path]
        if not found:
            harness.skip("there is neither podman nor docker")
        self.image = sys.argv[1] if len(sys.argv) > 1 else "quantlens"
        for self.path in found:
            if self.call("image", "inspect", self.image).returncode == 0:
                break
        else:
            harness.skip(f"there is no image {self.image}; build one as docs/packages.md says")
        self.is_podman = "podman" in os.path.basename(self.path)

    def call(self, *words):
        return subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)

    def run(self, *words, options=()):
        return self.call("run", "--rm", *options, self.image, *words)

    def inside(self, program, *words):
        """What another program of the image prints."""
        return self.call("run", "--rm", "--entrypoint", program, self.image, *words).stdout

    def as_user(self, user=None):
        """Options by which files of a mounted folder are the user's: docs/packages.md."""
        mapping = ["--userns", "keep-id"] if self.is_podman and os.getuid() else []
        return [*mapping, "--user", f"{os.getuid()}:{os.getgid()}" if user is None else f"{user}:{user}"]


class Folder:
    """A folder with the demo's model and samples, mounted as /data."""

    def __init__(self, user=None):
        self._folder = tempfile.TemporaryDirectory(prefix="quantlens-test-")
        self.path = pathlib.Path(self._folder.name)
        for name in ("digits.onnx", "calibration.npz"):
            shutil.copy(harness.DEMO / name, self.path)
        self.path.chmod(0o700)
        if user is not None:
            for path in (self.path, *self.path.iterdir()):
                os.chown(path, user, user)

    def mounted(self, *options):
        return ["-v", f"{self.path}:/data", *options]


def works(done, claim):
    harness.check(done.returncode == 0, claim if done.returncode == 0 else f"{claim}: {done.stderr[-300:]}")
    return done.stdout


def tells_itself(engine):
    version = works(engine.run("--version"), "the image runs")
    harness.check(re.fullmatch(r"quantlens \d+\.\d+\.\d+\n", version), version.strip())
    harness.check("Usage: quantlens" in engine.run().stdout, "without a verb it prints its help")
    identity = engine.inside("id", "-u").strip()
    harness.check(identity not in ("", "0"), f"it is not run as root, but as user {identity}")
    size = int(engine.inside("du", "-sx", "--block-size=1", "/").split()[0]) / 1e6
    harness.check(size <= MEGABYTES, f"its files take {size:.0f} MB")
    return int(identity)


def demo_works(engine, user):
    told = works(engine.run("demo"), "the demo runs without a folder of this machine")
    harness.check("spread_weight" in told, "and names its culprit")
    works(engine.run("demo", options=engine.as_user(user)), "and runs for another user")


def folder_works(engine, folder, options, whose):
    works(engine.run(*QUANTIZE, options=folder.mounted(*options)), f"quantize reads and writes a folder of {whose}")
    written = [folder.path / "digits.int8.onnx", folder.path / ".quantlens", *(folder.path / ".quantlens").rglob("*")]
    owner = folder.path.stat().st_uid
    harness.check(all(path.stat().st_uid == owner for path in written), "and what it writes is that user's")


def folders_work(engine, image_user):
    folder_works(engine, Folder(), engine.as_user(), "who runs it")
    if os.getuid() == 0:
        folder_works(engine, Folder(image_user), [], "the image's user")
        folder_works(engine, Folder(FOREIGN), engine.as_user(FOREIGN), "another user")
    locked = ["--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--network", "none"]
    folder_works(engine, Folder(), [*engine.as_user(), *locked], "who runs it, without privileges and network")


def ask(address, token, certificate):
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30, context=ssl.create_default_context(cafile=certificate)) as answer:
        return json.load(answer)


def server_works(engine):
    folder, port = Folder(), free_port()
    mounted = folder.mounted(*engine.as_user())
    works(engine.run(*QUANTIZE, options=mounted), "a run is stored")
    words = ["serve", "--address", "0.0.0.0", "--host-name", "127.0.0.1", "--gui-port", port]
    begun = engine.call("run", "-d", *mounted, "-p", f"127.0.0.1:{port}:5000", engine.image, *words)
    name = works(begun, "the server begins").strip()
    try:
        for _ in range(100):
            told = engine.call("logs", name).stdout
            if "token=" in told:
                break
            time.sleep(0.1)
        address, token = re.search(r"(https://\S+)\?token=(\S+)", told).groups()
        harness.check(address == f"https://127.0.0.1:{port}/", f"it prints the address to open outside: {address}")
        certificate = folder.path / ".quantlens" / "certificate.pem"
        for host in ("localhost", "127.0.0.1"):
            listed = ask(f"https://{host}:{port}/api/v1/workloads", token, certificate)
            harness.check(listed["total"] == 1, f"it answers on {host}, by the certificate of the workspace")
        engine.call("stop", name)  # which kills after 10 s: 137
        code = engine.call("inspect", "--format", "{{.State.ExitCode}}", name).stdout.strip()
        harness.check(code == "0", f"and ends when it is told to, with exit code {code}")
    finally:
        engine.call("rm", "-f", name)


def main():
    engine = Engine()
    user = tells_itself(engine)
    demo_works(engine, FOREIGN)
    folders_work(engine, user)
    server_works(engine)


if __name__ == "__main__":
    main()
