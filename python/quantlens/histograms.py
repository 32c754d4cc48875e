# SPDX-License-Identifier: Apache-2.0
"""How the elements of a tensor are distributed, in the float model and in the quantized one."""
from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 420, 90  # of a picture, in pixels


@dataclass(frozen=True)
class Buckets:
    """`counts[i]` elements lie from `edges[i]` up to `edges[i + 1]`. They are of all samples, and exact."""

    edges: list[float]
    counts: list[float]

    def _densities(self) -> list[float]:
        total = sum(self.counts) or 1.0
        return [count / total / (high - low) if high > low else 0.0 for count, low, high in zip(self.counts, self.edges, self.edges[1:])]


@dataclass(frozen=True)
class TensorHistograms:
    """`tag` is that of the event files: `<op>/Output`, `<op>/<parameter>`. `quantized` is None where each channel has codes of
    its own."""

    tag: str
    reference_name: str
    quantized_name: str
    reference: Buckets
    quantized: Buckets | None

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.tag)}</p>{svg_of(self)}"


def _outline(buckets: Buckets, low: float, high: float, most: float) -> str:
    def x(value: float) -> str:
        return f"{WIDTH * (value - low) / (high - low):.1f}"

    def y(density: float) -> str:  # three decades
        return f"{HEIGHT * (1 - math.log10(1 + 999 * density / most) / 3):.1f}"

    steps = [f"M{x(buckets.edges[0])} {HEIGHT}"]
    for density, right in zip(buckets._densities(), buckets.edges[1:]):
        steps.append(f"V{y(density)}H{x(right)}")
    return "".join(steps) + f"V{HEIGHT}"


def svg_of(pair: TensorHistograms) -> str:
    """The float model's as an area, the quantized one's as a line; density on a scale of three decades."""
    sides = [pair.reference] + ([pair.quantized] if pair.quantized else [])
    low, high = min(one.edges[0] for one in sides), max(one.edges[-1] for one in sides)
    most = max(max(one._densities()) for one in sides)
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low or most <= 0:
        return ""
    line = ""
    if pair.quantized:
        line = f'<path d="{_outline(pair.quantized, low, high, most)}" fill="none" stroke="#e4572e"/>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT + 18}" font-size="11" font-family="sans-serif" '
            f'fill="currentColor"><title>{escape(pair.tag)}</title>'
            f'<path d="{_outline(pair.reference, low, high, most)}Z" fill="#4c78a8" fill-opacity="0.5"/>{line}'
            f'<text x="0" y="{HEIGHT + 14}">{low:.4g}</text>'
            f'<text x="{WIDTH}" y="{HEIGHT + 14}" text-anchor="end">{high:.4g}</text></svg>')
