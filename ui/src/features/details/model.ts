// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../api/client";
import { real } from "../../base/numbers";

export type Pair = Schemas["HistogramPair"];

/** What is stored of one op: rows as the records have them. */
export interface OpRows {
  op: string;
  activations: Schemas["ActivationRow"][];
  weights: Schemas["WeightRow"][];
  plan: Schemas["OpPlan"][];
  pairs: Schemas["ValuePair"][];
}

export interface Part {
  name: string;
  mse: number;
  share: number;
}

/** What an op's own error is made of, the greatest part first; of all that was measured the shares add up to 1. */
export function partsOf(row: Schemas["ActivationRow"] | undefined): Part[] {
  if (!row) return [];
  const parts = (
    [
      ["rounding of its result", row.rounding_mse],
      ["clipping of its result", row.clipping_mse],
      ["its weight", row.weight_mse],
      ["codes of its inputs", row.input_mse],
      ["other", row.other_mse],
    ] as const
  )
    .map(([name, value]) => ({ name, mse: Math.max(0, real(value)) }))
    .filter((part) => part.mse > 0);
  const sum = parts.reduce((total, part) => total + part.mse, 0);
  return parts.map((part) => ({ ...part, share: part.mse / sum })).sort((a, b) => b.mse - a.mse);
}

export interface Bars {
  /** Height of each bin of the two sides, 0..1 of the fullest, on a linear or a logarithmic scale. */
  reference: number[];
  quantized: number[];
  fullest: number;
}

export function barsOf(pair: Pair, isLogarithmic: boolean): Bars {
  const reference = pair.reference as number[];
  const quantized = (pair.quantized ?? []) as number[];
  const fullest = Math.max(1, ...reference, ...quantized);
  const scale = isLogarithmic ? (count: number) => Math.log1p(count) / Math.log1p(fullest) : (count: number) => count / fullest;
  return { reference: reference.map(scale), quantized: quantized.map(scale), fullest };
}

/** The outline of bars as an SVG path in a box of this size. */
export function outline(heights: readonly number[], width: number, height: number): string {
  if (heights.length === 0) return "";
  const step = width / heights.length;
  const y = (share: number) => (height * (1 - share)).toFixed(1);
  let path = `M0 ${height}`;
  heights.forEach((share, index) => {
    path += `L${(index * step).toFixed(1)} ${y(share)}L${((index + 1) * step).toFixed(1)} ${y(share)}`;
  });
  return `${path}L${width} ${height}Z`;
}

/** What the pair of an op's codes says, for a list of names and values. */
export function codesOf(pair: Schemas["ValuePair"] | undefined, plan: Schemas["OpPlan"] | undefined): [string, string][] {
  const rows: [string, string][] = [];
  if (plan) rows.push(["Pattern", plan.pattern.join(" ")], ["Precision", plan.precision]);
  if (plan?.reason) rows.push(["Why float", plan.reason]);
  if (pair?.scheme) {
    rows.push(["Codes", `${pair.scheme.dtype}, ${pair.scheme.symmetric ? "symmetric" : "asymmetric"}`]);
    if (pair.params) rows.push(["Scale", String(pair.params.scale)], ["Zero point", String(pair.params.zero_point)]);
  }
  return rows;
}
