# SPDX-License-Identifier: Apache-2.0
"""The jackknife's 95 % interval in NumPy: docs/metrics.md, Accuracy."""
import functools
import math

import numpy as np


def probability_within(t, freedom):
    """Of Student's t distribution between -t and t: its density, summed by Simpson's rule."""
    x = np.linspace(0, t, 20001)
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    return 2 * (density[0] + 4 * density[1::2].sum() + 2 * density[2:-1:2].sum() + density[-1]) * (x[1] - x[0]) / 3


@functools.lru_cache(maxsize=None)
def students_t(freedom):
    """Within which 95 % lie."""
    low, high = 1.9, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if probability_within(middle, freedom) < 0.95 else (low, middle)
    return low


def half_width(without):
    """Of figures without each group: t times the standard error, t of degrees of freedom by the kurtosis of the groups."""
    without = np.asarray(without, np.float64)
    groups, away = len(without), without - without.mean()
    squares = (away ** 2).sum()
    kurtosis = groups * (away ** 4).sum() / squares ** 2 if squares > 0 else 0
    freedom = min(groups - 1, max(1.0, 2 * groups / (kurtosis - 1))) if kurtosis > 1 else groups - 1
    return students_t(round(float(freedom), 9)) * np.sqrt((groups - 1) / groups * squares)
