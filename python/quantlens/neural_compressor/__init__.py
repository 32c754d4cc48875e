# SPDX-License-Identifier: Apache-2.0
"""Neural Compressor's Python API (2.x, ONNX models) over quantlens: scripts that import `neural_compressor` go on working,
by `python -m quantlens run-script FILE.py` without a change, or with this import line."""
from . import benchmark, data, quantization
from .config import (
    AccuracyCriterion, BenchmarkConfig, PostTrainingQuantConfig, TuningCriterion, options, set_random_seed, set_resume_from,
    set_tensorboard, set_workspace,
)

__all__ = [
    "AccuracyCriterion", "BenchmarkConfig", "PostTrainingQuantConfig", "TuningCriterion", "benchmark", "data", "options",
    "quantization", "set_random_seed", "set_resume_from", "set_tensorboard", "set_workspace",
]
