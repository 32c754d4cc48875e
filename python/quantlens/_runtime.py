# SPDX-License-Identifier: Apache-2.0
"""Which ONNX Runtime is used: the one that the package onnxruntime has, so that a process has no second one."""
import importlib.util
import os
import pathlib

VARIABLE = "QUANTLENS_ONNXRUNTIME"


def _use_package() -> None:
    """Leaves alone what the user chose."""
    if os.environ.get(VARIABLE):
        return
    found = importlib.util.find_spec("onnxruntime")  # nothing is loaded
    for folder in (found.submodule_search_locations or ()) if found else ():
        below = pathlib.Path(folder, "capi")
        if any(below.glob("libonnxruntime.so.*")):
            os.environ[VARIABLE] = str(below)
            return


_use_package()
