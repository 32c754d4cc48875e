// SPDX-License-Identifier: Apache-2.0
// Times of ops and of runs, which records have in microseconds, as people read them. Times that are compared at a
// glance (a column, an axis with its bars) are all in the unit of the longest; one that stands alone is in its own.

export interface TimeUnit {
  name: "µs" | "ms" | "s";
  size: number; // in microseconds
}

/** Of what stays in the unit of the records: an axis over powers of ten, and all that is told beside it. */
export const microsecond: TimeUnit = { name: "µs", size: 1 };

const units: readonly TimeUnit[] = [{ name: "s", size: 1e6 }, { name: "ms", size: 1e3 }, microsecond];

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

/** With a minus that is one; 0 has none. */
const plain = (text: string): string => text.replace(/^-(?=0\.?0*$)/, "").replace("-", "−");

/** In which a time has at most three digits before the point. */
export function unitOf(us: number, digits = 3): TimeUnit {
  const size = rounded(Math.abs(us), digits);
  return units.find((unit) => size >= unit.size) ?? units.at(-1)!;
}

/** Of several times: that of the longest one. */
export function unitOfAll(times: readonly number[]): TimeUnit {
  return unitOf(Math.max(0, ...times.filter(Number.isFinite).map(Math.abs)));
}

/** Without its unit. So many digits; of times that are short in this unit, no more than as many behind the point. */
export function timeFigure(us: number, unit: TimeUnit, digits = 3): string {
  if (!Number.isFinite(us)) return "–";
  const value = us / unit.size;
  if (value === 0) return "0";
  const before = Math.floor(Math.log10(Math.abs(rounded(value, digits)))) + 1;
  return plain(value.toFixed(Math.min(digits, Math.max(0, digits - before))));
}

/** "0.500 µs", "12.3 µs", "1.24 ms", "2.30 s". */
export function timeText(us: number, unit: TimeUnit = unitOf(us), digits = 3): string {
  return Number.isFinite(us) ? `${timeFigure(us, unit, digits)} ${unit.name}` : "–";
}

/** Writes figures below each other: so many digits of the longest, and of all others as many places behind the point. */
export function timeColumn(times: readonly number[], unit: TimeUnit, digits = 4): (us: number) => string {
  const most = Math.max(0, ...times.filter(Number.isFinite).map(Math.abs)) / unit.size;
  const before = Math.max(1, Math.floor(Math.log10(rounded(most, digits) || 1)) + 1);
  const places = Math.max(0, digits - before);
  return (us) => (Number.isFinite(us) ? plain((us / unit.size).toFixed(places)) : "–");
}

/** At a mark of an axis: "0", "50 µs", "1.5 ms". */
export function markText(us: number, unit: TimeUnit): string {
  return us === 0 ? "0" : `${rounded(us / unit.size, 6)} ${unit.name}`;
}
