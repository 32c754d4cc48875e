// SPDX-License-Identifier: Apache-2.0
// Counts of both sides between the same edges: which bins are drawn, and as which lines.
import type { Schemas } from "../../api/client";
import { figure, real, type Interval } from "../../base/numbers";
import { csvOf } from "../../base/table";
import { heightOf } from "./scale";
import { between, countOf } from "./text";

export interface Binned {
  edges: number[]; // one more than counts, ascending
  reference: number[];
  quantized: number[] | null; // null: what its codes mean is not known
  channels: number[]; // that were counted by themselves
}

/** Null where nothing was counted. */
export function binnedOf(pair: Partial<Schemas["HistogramPair"]> | null | undefined): Binned | null {
  if (!pair || !Array.isArray(pair.edges) || !Array.isArray(pair.reference)) return null;
  const edges = pair.edges.map(real);
  const isSound = edges.length > 1 && edges.length === pair.reference.length + 1 && edges.every(Number.isFinite);
  if (!isSound || !(edges[0]! < edges.at(-1)!)) return null;
  const quantized = Array.isArray(pair.quantized) && pair.quantized.length === pair.reference.length ? pair.quantized : null;
  return { edges, reference: pair.reference, quantized, channels: Array.isArray(pair.channels) ? pair.channels : [] };
}

/** All that is worth drawing, such as counts and what codes reach, with some room beside. */
export function extentOf(...all: (Interval | null)[]): Interval {
  let [low, high] = [Infinity, -Infinity];
  for (const ends of all) if (ends) [low, high] = [Math.min(low, ends[0]), Math.max(high, ends[1])];
  if (!(low < high)) return [0, 1];
  const room = (high - low) * 0.03;
  return [low - room, high + room];
}

/** Grown only where `ends` lie outside: what is dragged inside of it does not move the axis. */
export function holding(extent: Interval, ends: Interval | null): Interval {
  return ends === null || (ends[0] >= extent[0] && ends[1] <= extent[1]) ? extent : extentOf(extent, ends);
}

export function spanOf(binned: Binned): Interval {
  return [binned.edges[0]!, binned.edges.at(-1)!];
}

/** The bins in `view`, as many added up as it takes that at most `most` fill it. Which ones are added does not depend on where it begins. */
export function regrouped(binned: Binned, view: Interval, most: number): Binned {
  const { edges, reference, quantized } = binned;
  const width = (edges.at(-1)! - edges[0]!) / reference.length;
  const first = Math.max(0, Math.floor((view[0] - edges[0]!) / width));
  const last = Math.min(reference.length, Math.ceil((view[1] - edges[0]!) / width));
  if (last <= first) return { ...binned, edges: [], reference: [], quantized: quantized && [] };
  const each = Math.max(1, Math.ceil((view[1] - view[0]) / Math.max(1, most) / width - 1e-6));
  const made: Binned = { edges: [], reference: [], quantized: quantized && [], channels: binned.channels };
  const sum = (counts: readonly number[], from: number, to: number) => {
    let total = 0;
    for (let at = from; at < to; ++at) total += counts[at]!;
    return total;
  };
  for (let from = first - (first % each); from < last; from += each) {
    const to = Math.min(from + each, reference.length);
    made.edges.push(edges[from]!);
    made.reference.push(sum(reference, from, to));
    if (quantized) made.quantized!.push(sum(quantized, from, to));
    if (to >= last) made.edges.push(edges[to]!);
  }
  return made;
}

export function fullestOf(binned: Binned): number {
  let most = 0;
  for (const counts of [binned.reference, binned.quantized ?? []]) for (const count of counts) if (count > most) most = count;
  return most;
}

type Scale = (value: number) => number;

/** Steps along the counts as an SVG path; closed down to the base line where they are to be filled. */
export function stepsOf(edges: readonly number[], counts: readonly number[], x: Scale, y: Scale, isFilled: boolean): string {
  if (counts.length === 0) return "";
  const base = y(0).toFixed(1);
  let path = `M${x(edges[0]!).toFixed(1)} ${base}`;
  counts.forEach((count, index) => {
    path += `V${y(count).toFixed(1)}H${x(edges[index + 1]!).toFixed(1)}`;
  });
  return `${path}V${base}${isFilled ? "Z" : ""}`;
}

export interface Drawn {
  reference: string;
  quantized: string; // empty where it is not known
  fullest: number;
}

/** Where a picture has its axes. */
export interface Box {
  left: number;
  width: number;
  top: number;
  height: number;
}

/** Both sides in the box, `view` along its width. */
export function drawn(shown: Binned, view: Interval, box: Box, isLogarithmic: boolean): Drawn {
  const fullest = fullestOf(shown);
  const clip = (value: number) => Math.min(Math.max(value, view[0]), view[1]);
  const x = (value: number) => box.left + ((clip(value) - view[0]) / (view[1] - view[0])) * box.width;
  const y = (count: number) => box.top + box.height * (1 - heightOf(count, fullest, isLogarithmic));
  return {
    reference: stepsOf(shown.edges, shown.reference, x, y, true),
    quantized: shown.quantized ? stepsOf(shown.edges, shown.quantized, x, y, false) : "",
    fullest,
  };
}

/** The bin that holds a value; -1 beside all of them. */
export function binAt(shown: Binned, value: number): number {
  if (shown.reference.length === 0 || !(value >= shown.edges[0]!) || value > shown.edges.at(-1)!) return -1;
  let [low, high] = [0, shown.reference.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (shown.edges[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function binText(shown: Binned, index: number): string {
  if (index < 0 || index >= shown.reference.length) return "";
  const ends = between([shown.edges[index]!, shown.edges[index + 1]!], 4);
  const quantized = shown.quantized ? `, quantized ${countOf(shown.quantized[index]!)}` : "";
  return `${ends}: reference ${countOf(shown.reference[index]!)}${quantized}`;
}

/** "elements in 0.031": what one count of the axis is of. */
export function widthText(shown: Binned): string {
  return shown.edges.length < 2 ? "" : figure((shown.edges.at(-1)! - shown.edges[0]!) / shown.reference.length, 2);
}

export function histogramCsv(binned: Binned): string {
  const head = ["From", "To", "Reference", ...(binned.quantized ? ["Quantized"] : [])];
  return csvOf(head, binned.reference.map((count, index) =>
    [binned.edges[index]!, binned.edges[index + 1]!, count, ...(binned.quantized ? [binned.quantized[index]!] : [])]));
}

/** Those of some channels under one another. */
export function ridgeCsv(rows: readonly { channel: number; binned: Binned }[]): string {
  const cells = rows.flatMap(({ channel, binned }) => binned.reference.map((count, index) =>
    [channel, binned.edges[index]!, binned.edges[index + 1]!, count, binned.quantized?.[index] ?? ""]));
  return csvOf(["Channel", "From", "To", "Reference", "Quantized"], cells);
}

/** "0.5,1.5" of the address; null where that is no part of the axis. */
export function viewOf(text: string | undefined): Interval | null {
  const ends = (text ?? "").split(",").map((one) => (one === "" ? NaN : Number(one)));
  return ends.length === 2 && ends.every(Number.isFinite) && ends[0]! < ends[1]! ? [ends[0]!, ends[1]!] : null;
}

export function viewText(view: Interval | null): string | null {
  return view && view.map((end) => Number(end.toPrecision(5))).join(",");
}
