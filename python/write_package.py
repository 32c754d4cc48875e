# SPDX-License-Identifier: Apache-2.0
"""Puts the package's sources beside the module _core, and writes records.py, which the module tells."""
import importlib.util
import pathlib
import shutil
import subprocess
import sys

HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""What runs record, as the C++ headers of quantlens/record/ and quantlens/graph/ describe it."""
# ruff: noqa: E501
from dataclasses import dataclass
from typing import Any, Literal

from ._record import Record
'''


def core_of(package):
    found = next(package.glob("_core.*.so"))
    spec = importlib.util.spec_from_file_location("_core", found)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    sources, package = map(pathlib.Path, sys.argv[1:])
    for source in sources.rglob("*.py"):
        to = package / source.relative_to(sources)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, to)
    (package / "py.typed").touch()
    (package / "records.py").write_text(HEAD + core_of(package).record_types(), encoding="utf-8")
    subprocess.run([sys.executable, "-B", "-m", "nanobind.stubgen", "-q", "-i", package.parent, "-m", "quantlens._core", "-o",
                    package / "_core.pyi"], check=True)


main()
