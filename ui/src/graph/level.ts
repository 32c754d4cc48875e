// SPDX-License-Identifier: Apache-2.0
// What is directly in a group, whatever of it is open: its children, the ports in its border, and the edges between
// them. A value that enters or leaves a group has one port there.
import { upTo } from "./buckets";
import type { Flows } from "./flows";
import { numbering, remembered } from "./known";

/**
 * A level by numbers of its own: ports by which values enter, children, ports by which they leave. Equal blocks have
 * equal ones.
 */
export interface Shape {
  entries: number;
  children: number;
  exits: number;
  from: Int32Array; // of each edge; in order of from, to, value
  to: Int32Array;
  lines: Int32Array; // of each edge: those that carry one value out of one thing are one line
  lineCount: number;
  bundles: Int32Array; // of each edge: the first one with its ends
}

export interface Level {
  shape: Shape;
  children: Int32Array; // nodes of the tree
  entering: Int32Array; // values, in the order of their ports
  leaving: Int32Array;
  values: Int32Array; // of each edge of the shape
  starts: Int32Array; // of each edge of the shape: where in `carried` its own begin, and one more: the end
  carried: Int32Array; // edges of the OpGraph
}

/** Flows of one group with what they carry. */
interface Strands extends Omit<Flows, "starts"> {
  values: Int32Array;
}

function strandsOf(flows: Flows, group: number, carries: Int32Array): Strands {
  const own = (all: Int32Array) => all.subarray(flows.starts[group], flows.starts[group + 1]);
  const edges = own(flows.edges);
  return { edges, values: edges.map((edge) => carries[edge]!), from: own(flows.from), to: own(flows.to) };
}

/** Of values that cross the border, in the order of the children to which they belong: equal blocks have equal ones. */
function portsOf({ values }: Strands, outside: Int32Array, inside: Int32Array): Map<number, number> {
  const crossing = upTo(values.length).filter((strand) => outside[strand] === -1);
  crossing.sort((a, b) => inside[a]! - inside[b]! || values[a]! - values[b]! || a - b);
  const ports = new Map<number, number>();
  const portOf = numbering(ports);
  for (const strand of crossing) portOf(values[strand]!);
  return ports;
}

/** Strands that are equal in from, to and value are one edge. */
interface Edges {
  order: Int32Array; // strands, in order of these
  starts: Int32Array; // where in `order` each edge begins, and one more: the end
  from: Int32Array; // of each edge
  to: Int32Array;
  values: Int32Array;
}

function edgesOf({ values }: Strands, from: Int32Array, to: Int32Array): Edges {
  const count = values.length;
  const order = upTo(count).sort((a, b) => from[a]! - from[b]! || to[a]! - to[b]! || values[a]! - values[b]! || a - b);
  const starts = upTo(count + 1).filter((index) => {
    const [strand, before] = [order[index] ?? -1, order[index - 1] ?? -1];
    return index === count || from[before] !== from[strand] || to[before] !== to[strand] || values[before] !== values[strand];
  });
  const first = (all: Int32Array) => starts.subarray(0, -1).map((index) => all[order[index]!]!);
  return { order, starts, from: first(from), to: first(to), values: first(values) };
}

function linesOf({ from, values }: Edges): Pick<Shape, "lines" | "lineCount"> {
  const lines = new Int32Array(from.length);
  const known = new Map<number, number>(); // of one thing
  let lineCount = 0;
  for (let edge = 0; edge < from.length; ++edge) {
    if (from[edge] !== from[edge - 1]) known.clear();
    lines[edge] = remembered(known, values[edge]!, () => lineCount++);
  }
  return { lines, lineCount };
}

function bundlesOf({ from, to }: Edges): Int32Array {
  const bundles = upTo(from.length);
  for (let edge = 1; edge < from.length; ++edge) {
    if (from[edge] === from[edge - 1] && to[edge] === to[edge - 1]) bundles[edge] = bundles[edge - 1]!;
  }
  return bundles;
}

/** `group`: counted from the root. */
export function levelOf(flows: Flows, group: number, carries: Int32Array, children: Int32Array): Level {
  const strands = strandsOf(flows, group, carries);
  const entryOf = portsOf(strands, strands.from, strands.to);
  const exitOf = portsOf(strands, strands.to, strands.from);
  const [entries, inner] = [entryOf.size, entryOf.size + children.length];
  const valueAt = (strand: number) => strands.values[strand]!;
  const from = strands.from.map((place, strand) => (place < 0 ? entryOf.get(valueAt(strand))! : entries + place));
  const to = strands.to.map((place, strand) => (place < 0 ? inner + exitOf.get(valueAt(strand))! : entries + place));
  const edges = edgesOf(strands, from, to);
  const ends = { from: edges.from, to: edges.to };
  const counts = { entries, children: children.length, exits: exitOf.size };
  const shape = { ...counts, ...ends, ...linesOf(edges), bundles: bundlesOf(edges) };
  const carried = edges.order.map((strand) => strands.edges[strand]!);
  const ports = { entering: Int32Array.from(entryOf.keys()), leaving: Int32Array.from(exitOf.keys()) };
  return { shape, children, ...ports, values: edges.values, starts: edges.starts, carried };
}
