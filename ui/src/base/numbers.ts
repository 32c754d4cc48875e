// SPDX-License-Identifier: Apache-2.0
// Reals as the API has them, and as people read them.

/** A real of a record: JSON has no word for those that are no numbers. */
export type Real = number | "nan" | "inf" | "-inf" | null | undefined;
export type Interval = readonly [number, number];

/** NaN where nothing is stored. */
export function real(value: Real): number {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  return value === "-inf" ? -Infinity : NaN;
}

export function interval(value: readonly Real[] | null | undefined): Interval | null {
  if (!value || value.length !== 2) return null;
  const [low, high] = [real(value[0]), real(value[1])];
  return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;
}

const nothing = "–";

/** At most `digits` significant ones, with powers of ten where the figure is far from 1. */
export function figure(value: number, digits = 3): string {
  if (Number.isNaN(value)) return nothing;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−").replace("e+", "e");
}

/** Below each other in a column: always so many places behind the point. */
export function fixed(value: number, places: number): string {
  return Number.isFinite(value) ? value.toFixed(places).replace(/^-(?=0\.?0*$)/, "").replace("-", "−") : figure(value);
}

export function decibels(value: number): string {
  return Number.isFinite(value) ? value.toFixed(1).replace(/^-0\.0$/, "0.0").replace("-", "−") : figure(value);
}

/** 0..1 as percent. */
export function percent(value: number, digits = 0): string {
  return Number.isFinite(value) ? `${(100 * value).toFixed(digits).replace(/^-(?=0\.?0*$)/, "").replace("-", "−")} %` : nothing;
}

/** "2 hours ago"; `now` and `then` in milliseconds. */
export function age(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  const steps: [number, string][] = [
    [60, "second"],
    [60, "minute"],
    [24, "hour"],
    [30, "day"],
    [12, "month"],
    [Infinity, "year"],
  ];
  let count = seconds;
  for (const [size, name] of steps) {
    if (count < size) {
      if (name === "second") return count < 10 ? "just now" : `${count} seconds ago`;
      return `${count} ${name}${count === 1 ? "" : "s"} ago`;
    }
    count = Math.floor(count / size);
  }
  return "";
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
