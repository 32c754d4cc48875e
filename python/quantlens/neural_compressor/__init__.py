# SPDX-License-Identifier: Apache-2.0
"""Neural Compressor's Python API (2.x, ONNX models) over quantlens: scripts that import `neural_compressor` go on working,
by `python -m quantlens run-script FILE.py` without a change, or with this import line."""
from . import benchmark, data, metric, quantization
from .config import (
    AccuracyCriterion, BenchmarkConfig, PostTrainingQuantConfig, TuningCriterion, options, set_random_seed, set_resume_from,
    set_tensorboard, set_workspace,
)
from .metric import METRICS, BaseMetric, GeneralTopK, Metric, metric_registry, register_customer_metric

__all__ = [
    "METRICS", "AccuracyCriterion", "BaseMetric", "BenchmarkConfig", "GeneralTopK", "Metric", "PostTrainingQuantConfig",
    "TuningCriterion", "benchmark", "data", "metric", "metric_registry", "options", "quantization", "register_customer_metric",
    "set_random_seed", "set_resume_from", "set_tensorboard", "set_workspace",
]
