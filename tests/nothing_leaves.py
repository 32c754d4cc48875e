# SPDX-License-Identifier: Apache-2.0
"""A run leaves nothing in the user's home but its workspace: runtimes do not report about what they are used for."""

import os
import pathlib
import subprocess
import tempfile

from harness import DEMO, program

with tempfile.TemporaryDirectory() as name:
    home = pathlib.Path(name) / "home"
    home.mkdir()
    # On machines that build or test, the runtime keeps silent by itself.
    environment = {key: value for key, value in os.environ.items()
                   if key in ("PATH", "LD_LIBRARY_PATH") or key.startswith("QUANTLENS_")}
    environment["HOME"] = str(home)
    model = str(DEMO / "digits.onnx")
    command = [program(), "diagnose", model, model, "--data", "random", "--limit", "2", "--quiet",
               "--workspace", str(pathlib.Path(name) / "workspace")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    left = sorted(str(path.relative_to(home)) for path in home.rglob("*"))
    assert not left, left
