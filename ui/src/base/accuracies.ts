// SPDX-License-Identifier: Apache-2.0
// Accuracies of one model or of two, out of whatever a verb's result has of them, and as people read them.
import { countOf, spanOf, type Loose } from "./loose";
import { figure, percent, real, type Interval, type Real } from "./numbers";

export interface Accuracy {
  metric: string;
  value: number;
  interval: Interval | null;
  samples: number; // 0: of a program, which has its own
  isRate: boolean;
  higherIsBetter: boolean;
}

/** Two models over the same samples. */
export interface Pair {
  reference: Accuracy;
  quantized: Accuracy;
  difference: number; // quantized - reference
  differenceInterval: Interval | null;
  ratio: number; // difference / reference; NaN unless that is above 0
  lost: number;
  gained: number;
}

function loose(value: unknown): Loose | null {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Loose) : null;
}

export function accuracyOf(value: unknown): Accuracy | null {
  const all = loose(value);
  if (!all || typeof all["metric"] !== "string" || all["value"] === undefined || all["value"] === null) return null;
  return {
    metric: all["metric"],
    value: real(all["value"] as Real),
    interval: spanOf(all["interval"]),
    samples: countOf(all["samples"]),
    isRate: all["is_rate"] === true,
    higherIsBetter: all["higher_is_better"] !== false,
  };
}

/** Of an object that has `reference`, `quantized` and what they differ by, as accuracy.json and the result of `quantize` do. */
export function pairOf(value: unknown): Pair | null {
  const all = loose(value);
  const [reference, quantized] = [accuracyOf(all?.["reference"]), accuracyOf(all?.["quantized"])];
  if (!all || !reference || !quantized) return null;
  const stored = real((all["difference"] ?? null) as Real);
  const difference = Number.isNaN(stored) ? quantized.value - reference.value : stored;
  return {
    reference,
    quantized,
    difference,
    differenceInterval: spanOf(all["difference_interval"]),
    ratio: ratioOf(all["ratio"], difference, reference.value),
    lost: countOf(all["lost"]),
    gained: countOf(all["gained"]),
  };
}

/** Searches store no ratio. One that is 0 is a ratio. */
function ratioOf(stored: unknown, difference: number, reference: number): number {
  const ratio = real((stored ?? null) as Real);
  return Number.isNaN(ratio) && reference > 0 ? difference / reference : ratio;
}

/** What the samples tell of the difference: a loss where its whole interval is one. */
export type Outcome = "loss" | "gain" | "unclear" | "equal";

export function outcomeOf(pair: Pair): Outcome {
  const sign = pair.quantized.higherIsBetter ? 1 : -1;
  const [low, high] = pair.differenceInterval ?? [NaN, NaN];
  if (low === 0 && high === 0) return "equal";
  if (low > 0 || high < 0) return sign * pair.difference < 0 ? "loss" : "gain";
  return Number.isNaN(low) && pair.difference !== 0 && !Number.isNaN(pair.difference) ? (sign * pair.difference < 0 ? "loss" : "gain") : "unclear";
}

/** How many digits behind the point: 0.1 % of rates, four digits of others, of the greatest figure that is shown beside. */
function decimals(size: number): number {
  return Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(size))));
}

function plain(value: number, size: number): string {
  const isUsual = Number.isFinite(value) && (value === 0 || (size >= 1e-3 && size < 1e6));
  return isUsual && size > 0 ? value.toFixed(decimals(size)).replace("-", "−") : figure(value, 4);
}

/** A figure in the metric's unit; `size`: of the figures beside it, which have as many digits. */
export function shownFigure(value: number, of: Accuracy, size = Math.abs(of.value)): string {
  return of.isRate ? percent(value, of.samples >= 10_000 ? 2 : 1) : plain(value, size);
}

export function shownInterval(span: Interval | null, of: Accuracy): string {
  if (!span) return "";
  const size = Math.max(Math.abs(span[0]), Math.abs(span[1]));
  const text = (value: number) => shownFigure(value, of, of.isRate ? 1 : Math.max(size, Math.abs(of.value)));
  return of.isRate ? `${text(span[0]).replace(" %", "")} to ${text(span[1])}` : `${text(span[0])} to ${text(span[1])}`;
}

function signed(text: string): string {
  return text.startsWith("−") || /^[–∞]/.test(text) || Number(text) === 0 ? text : `+${text}`;
}

function points(value: number, of: Accuracy): string {
  if (!Number.isFinite(value)) return figure(value);
  const text = (100 * value).toFixed(of.samples >= 10_000 ? 2 : 1);
  return signed(Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−"));
}

/** "−1.2 points" of a rate, else in the metric's own unit, with its sign. */
export function shownDifference(value: number, of: Accuracy): string {
  if (of.isRate) return Number.isFinite(value) ? `${points(value, of)} points` : figure(value);
  return signed(plain(value, 10 * Math.max(Math.abs(value), Math.abs(of.value) / 10)));
}

export function shownDifferences(span: Interval | null, of: Accuracy): string {
  if (!span) return "";
  if (of.isRate) return `${points(span[0], of)} to ${points(span[1], of)}`;
  return `${shownDifference(span[0], of)} to ${shownDifference(span[1], of)}`;
}

/** "−1.90 %"; 0 is "0.00 %". */
export function shownRatio(ratio: number): string {
  const text = percent(ratio, 2);
  return ratio === 0 || !Number.isFinite(ratio) || text.startsWith("−") ? text.replace("−0.00", "0.00") : `+${text}`.replace("+0.00", "0.00");
}

/** "top1", with what changes how it is read. */
export function metricText(of: Accuracy): string {
  return of.higherIsBetter ? of.metric : `${of.metric}, lower is better`;
}
