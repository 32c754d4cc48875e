# SPDX-License-Identifier: Apache-2.0
"""The command line: run-script FILE.py ARGS... runs a script whose imports say neural_compressor, as it is; all else is
done by the program that lies in the package."""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import os
import runpy
import sys

NAME, OURS = "neural_compressor", "quantlens.neural_compressor"


class _Ours(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds quantlens.neural_compressor under the predecessor's name."""

    def find_spec(self, name, path=None, target=None):
        if name != NAME and not name.startswith(NAME + "."):
            return None
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        return importlib.import_module(OURS + spec.name.removeprefix(NAME))

    def exec_module(self, module):
        pass


def run_script() -> int:
    if len(sys.argv) < 3:
        print("usage: quantlens run-script FILE.py ARGS...", file=sys.stderr)
        return 2
    sys.argv = sys.argv[2:]
    if not os.path.isfile(sys.argv[0]):
        print(f"quantlens: {sys.argv[0]}: no such file; check the path", file=sys.stderr)
        return 1
    sys.meta_path.insert(0, _Ours())
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


def main() -> int:
    if sys.argv[1:2] == ["run-script"]:
        return run_script()
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "quantlens")
    name = os.path.basename(sys.argv[0])
    try:
        os.execv(program, [name if name == "neural_insights" else "quantlens", *sys.argv[1:]])
    except OSError as problem:
        print(f"quantlens: {program}: {problem.strerror}; it lies in the wheel alone, so install that, or call the program that "
              "was built", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
