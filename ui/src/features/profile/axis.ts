// SPDX-License-Identifier: Apache-2.0
// Axes of this view's pictures, and intervals on them.

/** Marks of an axis from 0: round steps, about `wanted` of them. */
export function marks(most: number, wanted = 5): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((one) => one * unit >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** How many marks have room side by side. */
export function marksIn(pixels: number): number {
  return Math.max(1, Math.min(6, Math.round(pixels / 45)));
}

/** A line between two places with ends across it. */
export function intervalPath(low: number, high: number, y: number, half = 4): string {
  return `M${low} ${y}H${high}M${low} ${y - half}v${2 * half}M${high} ${y - half}v${2 * half}`;
}
