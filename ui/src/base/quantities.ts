// SPDX-License-Identifier: Apache-2.0
// Times, sizes and rates as people read them.

const nothing = "–";

/** "0.4 s", "42 s", "3 min 20 s", "2 h 5 min". */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return nothing;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

/** What is left, no finer than anyone can know it; empty where nothing is. */
export function remainingText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds <= 0) return "";
  if (seconds < 1) return "< 1 s left";
  if (seconds < 100) return `${Math.round(seconds)} s left`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min left`;
  return `${Math.round(minutes / 60)} h left`;
}

/** In powers of 1,000. */
export function bytesText(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return nothing;
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let [size, unit] = [bytes / 1000, 0];
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${size < 9.95 ? size.toFixed(1) : String(Math.round(size))} ${units[unit]!}`;
}

export function rateText(perSecond: number): string {
  if (!Number.isFinite(perSecond) || perSecond <= 0) return "";
  return `${perSecond < 9.95 ? perSecond.toPrecision(2) : String(Math.round(perSecond))}/s`;
}

/** An age in one word, where there is no room for more; `then` and `now` in milliseconds. */
export function shortAge(then: number, now: number): string {
  if (!Number.isFinite(then)) return "";
  let count = Math.max(0, Math.floor((now - then) / 60_000));
  if (count < 1) return "now";
  for (const [size, name] of [[60, "min"], [24, "h"], [30, "d"], [12, "mo"]] as const) {
    if (count < size) return `${count} ${name}`;
    count = Math.floor(count / size);
  }
  return `${count} y`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]; // Intl takes 40 ms to begin

/** A moment of a record in the reader's own time zone: "27 Nov 2026, 13:05". */
export function momentText(text: string): string {
  const moment = new Date(text);
  if (text === "" || Number.isNaN(moment.getTime())) return nothing;
  const [hour, minute] = [moment.getHours(), moment.getMinutes()].map((count) => String(count).padStart(2, "0"));
  return `${moment.getDate()} ${months[moment.getMonth()]} ${moment.getFullYear()}, ${hour}:${minute}`;
}

/** Seconds between two moments of a record; NaN where one is missing. */
export function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}
