// SPDX-License-Identifier: Apache-2.0
// An axis for both accuracies, and one for their difference, which begins below the float model's figure: a point of it is as
// long as a point of accuracy, and its ticks are differences.
import type { Interval } from "../../base/numbers";
import { shownDifference, shownDifferences, shownFigure, shownInterval, shownRatio, type Accuracy, type Pair } from "../../base/accuracies";
import { ratioInterval } from "./model";

export interface Mark {
  label: string;
  value: number; // on the axis of accuracies
  interval: Interval | null; // likewise
  text: string;
  detail: string;
  kind: "reference" | "quantized" | "difference" | "ratio";
}

export interface Axis {
  marks: Mark[];
  low: number;
  high: number;
  zero: number | null; // the float model's figure: a difference of 0
  ticks: number[];
  differences: number[]; // ticks of the difference
  of: Accuracy;
}

/** Rows of one scale, with a line of its ticks below them. */
export interface Scale {
  marks: Mark[];
  ticks: { at: number; text: string }[]; // `at`: on the axis of accuracies
}

/** Accuracies and differences by themselves. */
export function scalesOf(axis: Axis): Scale[] {
  const { marks, ticks, differences, zero } = axis;
  const of = (...kinds: Mark["kind"][]) => marks.filter(({ kind }) => kinds.includes(kind));
  const accuracies = { marks: of("reference", "quantized"), ticks: ticks.map((tick) => ({ at: tick, text: tickText(tick, axis) })) };
  if (zero === null) return [accuracies];
  const apart = differences.map((tick) => ({ at: zero + tick, text: differenceText(tick, axis) }));
  return [accuracies, { marks: of("difference"), ticks: apart }];
}

/** Round steps, at most `most` of them, within the axis. */
export function ticksOf(low: number, high: number, most = 6): number[] {
  const span = high - low;
  const isTold = span > 1e-9 * Math.max(Math.abs(low), Math.abs(high)); // else its steps are lost in rounding
  if (!isTold || !Number.isFinite(span)) return [];
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw)!;
  const ticks: number[] = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + 1e-9 * step; ++index) {
    ticks.push(index === 0 ? 0 : Number((index * step).toPrecision(12)));
  }
  return ticks;
}

/** With some air at both ends; a rate stays within 0..1. */
function ends(marks: readonly Mark[], of: Accuracy): Interval {
  const all = marks.flatMap((mark) => [mark.value, ...(mark.interval ?? [])]).filter(Number.isFinite);
  if (all.length === 0) return [0, 1];
  let [low, high] = [Math.min(...all), Math.max(...all)];
  const air = high > low ? 0.06 * (high - low) : Math.max(0.02 * Math.abs(low), of.isRate ? 0.01 : 1e-12);
  [low, high] = [low - air, high + air];
  return of.isRate ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}

function accuracyMark(label: string, of: Accuracy, kind: Mark["kind"]): Mark {
  return { label, value: of.value, interval: of.interval, text: shownFigure(of.value, of), detail: shownInterval(of.interval, of), kind };
}

function moved(span: Interval | null, by: number, factor = 1): Interval | null {
  return span && [by + factor * span[0], by + factor * span[1]];
}

function pairMarks(pair: Pair, names: readonly [string, string]): Mark[] {
  const { reference, quantized, difference, differenceInterval } = pair;
  const ratio = ratioInterval(pair);
  const hasNone = Number.isNaN(pair.ratio) && Number.isFinite(reference.value);
  const at = reference.value + difference;
  const marks = [accuracyMark(names[0], reference, "reference"), accuracyMark(names[1], quantized, "quantized")];
  marks.push({
    label: "Difference", value: at, interval: moved(differenceInterval, reference.value), text: shownDifference(difference, reference),
    detail: shownDifferences(differenceInterval, reference), kind: "difference",
  });
  marks.push({
    label: "Relative change", value: Number.isNaN(pair.ratio) ? NaN : at, interval: moved(ratio, reference.value, reference.value),
    text: shownRatio(pair.ratio),
    detail: ratio ? `${shownRatio(ratio[0])} to ${shownRatio(ratio[1])}` : hasNone ? `no change relative to a figure of ${reference.value}` : "",
    kind: "ratio",
  });
  return marks;
}

export function axisOf(pair: Pair | null, alone: Accuracy | null, names: readonly [string, string]): Axis | null {
  const of = pair?.reference ?? alone;
  if (!of) return null;
  const marks = pair ? pairMarks(pair, names) : [accuracyMark(of.metric, of, "quantized")];
  const [low, high] = ends(marks, of);
  const zero = pair && Number.isFinite(of.value) ? of.value : null;
  return { marks, low, high, zero, ticks: ticksOf(low, high), differences: zero === null ? [] : ticksOf(low - zero, high - zero), of };
}

/** What of an interval lies within the axis, and at which ends it goes on beyond it. */
export function drawnOf([low, high]: Interval, axis: Pick<Axis, "low" | "high">): { from: number; to: number; isCut: [boolean, boolean] } {
  const within = (value: number) => Math.min(axis.high, Math.max(axis.low, value));
  return { from: within(low), to: within(high), isCut: [low < axis.low, high > axis.high] };
}

/** As few digits as tell the ticks apart. */
function bareText(tick: number, ticks: readonly number[], isRate: boolean): string {
  const step = ticks.length > 1 ? ticks[1]! - ticks[0]! : Math.abs(tick) || 1;
  const size = isRate ? 100 * step : step;
  const digits = Math.min(8, Math.max(0, -Math.floor(Math.log10(size) + 1e-9)));
  const isFar = Math.abs(tick) >= 1e6 || (size < 1e-6 && tick !== 0);
  const text = isRate ? (100 * tick).toFixed(digits) : isFar ? tick.toExponential(1) : tick.toFixed(digits);
  return text.replaceAll("-", "−");
}

export function tickText(tick: number, { ticks, of }: Axis): string {
  return `${bareText(tick, ticks, of.isRate)}${of.isRate ? " %" : ""}`;
}

/** "−20": of points, or of the metric's own unit, as its row says. */
export function differenceText(tick: number, { differences, of }: Axis): string {
  return `${tick > 0 ? "+" : ""}${bareText(tick, differences, of.isRate)}`;
}

/** As figures, for a spreadsheet. */
export function csvOf(axis: Axis): string {
  const lines = axis.marks.map((mark) => {
    const from = mark.kind === "difference" || mark.kind === "ratio" ? (axis.zero ?? 0) : 0;
    const scale = mark.kind === "ratio" ? axis.of.value : 1;
    const of = (value: number) => String(Number(((value - from) / scale).toPrecision(12)));
    const cell = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? "" : of(value));
    return [`"${mark.label.replaceAll('"', '""')}"`, cell(mark.value), cell(mark.interval?.[0]), cell(mark.interval?.[1])].join(",");
  });
  return `${["Figure,Value,95 % low,95 % high", ...lines].join("\r\n")}\r\n`;
}
