# SPDX-License-Identifier: Apache-2.0
"""The predecessor's transforms for ONNX models, in NumPy: each takes a sample (image, label) and gives one."""
from .images import ComposeTransform, LabelShift
from .names import TRANSFORMS, BaseTransform, transform_registry

__all__ = ["TRANSFORMS", "BaseTransform", "ComposeTransform", "LabelShift", "transform_registry"]
