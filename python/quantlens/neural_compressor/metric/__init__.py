# SPDX-License-Identifier: Apache-2.0
"""The predecessor's metrics for ONNX models: objects that `quantization.fit` and quantlens's verbs take, and that work alone."""
from .base import BaseMetric
from .metric import METRICS, Metric, metric_registry, register_customer_metric
from .scores import GeneralTopK

__all__ = ["METRICS", "BaseMetric", "GeneralTopK", "Metric", "metric_registry", "register_customer_metric"]
