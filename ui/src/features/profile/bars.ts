// SPDX-License-Identifier: Apache-2.0
// What a bar chart shows of rows that are ticked.
import type { Column } from "../../base/table";
import { totalOf, type Parts } from "./model";

export interface Bar {
  key: string;
  label: string;
  name: string; // in full
  of: readonly Parts[]; // of each model
}

export const shownAtFirst = 10;
const mostBars = 300; // what a picture can hold

/** By the time of the last model, as tables are at first. */
function sortedByTime(bars: readonly Bar[]): Bar[] {
  const timed = bars.map((bar) => ({ bar, time: totalOf(bar.of.at(-1)!) }));
  return timed.sort((a, b) => b.time - a.time).map(({ bar }) => bar);
}

/** Keys of the longest bars. */
export function longest(bars: readonly Bar[], count = shownAtFirst): Set<string> {
  return new Set(sortedByTime(bars).slice(0, count).map((bar) => bar.key));
}

/** The ticked ones, longest first. */
export function tickedBars(bars: readonly Bar[], ticks: ReadonlySet<string>): Bar[] {
  return sortedByTime(bars.filter((bar) => ticks.has(bar.key))).slice(0, mostBars);
}

export function toggled(ticks: ReadonlySet<string>, key: string): Set<string> {
  const made = new Set(ticks);
  if (!made.delete(key)) made.add(key);
  return made;
}

/** In any model. */
export function longestBar(bars: readonly Bar[]): number {
  return Math.max(0, ...bars.flatMap((bar) => bar.of.map(totalOf)));
}

/** The scope that all names lie in, with its last slash; empty where there is none. */
export function commonScope(labels: readonly string[]): string {
  const [first, ...rest] = labels;
  if (first === undefined || rest.length === 0) return "";
  let end = first.lastIndexOf("/") + 1;
  for (const label of rest) {
    while (end > 0 && !label.startsWith(first.slice(0, end))) end = end > 1 ? first.lastIndexOf("/", end - 2) + 1 : 0;
  }
  return first.slice(0, end);
}

/** A name in two lines: its scopes, and what is left. */
export function linesOf(label: string): [string, string] {
  const at = label.lastIndexOf("/");
  return at > 0 && at < label.length - 1 ? [label.slice(0, at), label.slice(at + 1)] : ["", label];
}

export interface Segment {
  kind: keyof Parts;
  from: number;
  us: number;
}

/** Parts one behind the other, without those that take no time. */
export function segments(parts: Parts): Segment[] {
  const made: Segment[] = [];
  let from = 0;
  for (const kind of ["kernels", "conversions", "layouts"] as const) {
    const us = Math.max(0, parts[kind]);
    if (us > 0) made.push({ kind, from, us });
    from += us;
  }
  return made;
}

/** The figures of the chart; `what`: a bar is of an "Op", of a "Type". */
export function barColumns(models: readonly string[], what: string): Column<Bar>[] {
  const column = (id: string, title: string, of: (bar: Bar) => number): Column<Bar> =>
    ({ id, title, meaning: "", of, show: (bar) => String(of(bar)), first: "down", width: 90 });
  const name: Column<Bar> = { id: "name", title: what, meaning: "", of: (bar) => bar.name, show: (bar) => bar.name, first: "up", width: 200 };
  const ofModel = (model: string, index: number) => [
    column(`total${index}`, `${model} [µs]`, (bar) => totalOf(bar.of[index]!)),
    column(`kernels${index}`, `${model} kernels [µs]`, (bar) => bar.of[index]!.kernels),
    column(`conversions${index}`, `${model} conversions [µs]`, (bar) => bar.of[index]!.conversions),
    column(`layouts${index}`, `${model} layouts [µs]`, (bar) => bar.of[index]!.layouts),
  ];
  return [name, ...models.flatMap(ofModel)];
}
