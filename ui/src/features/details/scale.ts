// SPDX-License-Identifier: Apache-2.0
// Axes: where ticks stand, what they say, and how counts become heights.
import { figure, type Interval } from "../../base/numbers";

/** Multiples of 1, 2 or 5 times a power of ten inside the interval, at most so many. */
export function ticksOf([low, high]: Interval, most: number): number[] {
  const width = high - low;
  const isTold = width > 1e-12 * Math.max(Math.abs(low), Math.abs(high)); // else its steps are lost in rounding
  if (!isTold || !Number.isFinite(width) || most < 1) return [];
  const rough = width / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough) ?? rough;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high * (1 + 1e-12) && ticks.length <= most; ++at) ticks.push(at * step);
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Ticks with as many digits as their step needs. */
export function tickTexts(ticks: readonly number[]): string[] {
  const step = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : Math.abs(ticks[0] ?? 0);
  const greatest = Math.max(...ticks.map(Math.abs), 0);
  if (step === 0 || greatest >= 1e5 || greatest < 1e-3) {
    const digits = step > 0 ? Math.min(6, Math.max(1, Math.ceil(Math.log10(greatest / step)) + 1)) : 2;
    return ticks.map((tick) => (Math.abs(tick) < step / 1e3 ? "0" : figure(tick, digits)));
  }
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return ticks.map((tick) => (Math.abs(tick) < step / 1e3 ? "0" : tick.toFixed(decimals).replace("-", "−")));
}

/** 1200 as "1.2k": counts on an axis have little room. */
export function shortCount(count: number): string {
  for (const [size, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (count >= size) return `${Number((count / size).toPrecision(3))}${letter}`;
  }
  return String(Number(count.toPrecision(3)));
}

/** 0..1 of the fullest: of counts themselves, or of the logarithm of one more, which has a place for 0. */
export function heightOf(count: number, fullest: number, isLogarithmic: boolean): number {
  if (!(fullest > 0) || !(count > 0)) return 0;
  return isLogarithmic ? Math.log1p(count) / Math.log1p(fullest) : count / fullest;
}

export interface CountTick {
  count: number;
  text: string;
  height: number; // 0..1
}

export function countTicks(fullest: number, isLogarithmic: boolean, most: number): CountTick[] {
  if (!(fullest > 0)) return [];
  let counts: number[];
  if (isLogarithmic) {
    const powers = Math.floor(Math.log10(fullest));
    const every = Math.max(1, Math.ceil((powers + 2) / most));
    counts = [0];
    for (let power = 0; power <= powers; power += every) counts.push(10 ** power);
  } else {
    counts = ticksOf([0, fullest], most).filter(Number.isInteger);
  }
  const ticks = counts.map((count) => ({ count, text: shortCount(count), height: heightOf(count, fullest, isLogarithmic) }));
  // The tick of 1 has no room above that of 0 where there are many powers.
  return ticks.filter((tick, index) => index === 0 || tick.height - ticks[index - 1]!.height >= 0.4 / most);
}

/** A part of the axis, moved and cut so that it lies inside `full`, and is no narrower than `least`. */
export function inside([low, high]: Interval, full: Interval, least: number): Interval {
  const whole = full[1] - full[0];
  const width = Math.min(Math.max(high - low, Math.min(least, whole)), whole);
  const middle = (low + high) / 2;
  const from = Math.min(Math.max(middle - width / 2, full[0]), full[1] - width);
  return [from, from + width];
}

/** By a factor below 1 nearer, above 1 farther; what is at `at` stays where it is. */
export function zoomed(view: Interval, factor: number, at: number): Interval {
  return [at - (at - view[0]) * factor, at + (view[1] - at) * factor];
}
