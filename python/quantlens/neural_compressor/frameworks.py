# SPDX-License-Identifier: Apache-2.0
"""The names that the predecessor had for frameworks."""
from __future__ import annotations

from ..errors import UsageError

ONNX = ("onnxruntime", "onnxrt_qlinearops", "onnxrt_integerops", "onnxrt_qdq", "onnxrt_qdqops", "onnxrt_qoperator")
OTHERS = ("tensorflow", "tensorflow_itex", "keras", "pytorch", "pytorch_ipex", "pytorch_fx", "mxnet")


def known(who: str, framework: str) -> str:
    if framework not in ONNX + OTHERS:
        raise UsageError(f"{who}: there is no framework {framework!r}; known: {', '.join(ONNX)}")
    return framework
