// SPDX-License-Identifier: Apache-2.0
// What is directly in a group, whatever of it is open: its children, the ports in its border, and the edges between
// them. A value that enters or leaves a group has one port there.
import { upTo } from "./buckets";
import { border, type Flows } from "./flows";
import type { Nest } from "./nest";

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

/** Flows of one group with what they carry, by numbers of the level. */
interface Strands {
  first: number; // in the flows
  count: number;
  values: Int32Array;
  from: Int32Array; // place of a child; -1: the border
  to: Int32Array;
}

function strandsOf(flows: Flows, group: number, nest: Nest, carries: Int32Array): Strands {
  const [first, count] = [flows.starts[group]!, flows.starts[group + 1]! - flows.starts[group]!];
  const strand = () => new Int32Array(count);
  const strands = { first, count, values: strand(), from: strand(), to: strand() };
  const placeOf = (node: number) => (node === border ? -1 : nest.places[node]!);
  for (let strand = 0; strand < count; ++strand) {
    strands.values[strand] = carries[flows.edges[first + strand]!]!;
    strands.from[strand] = placeOf(flows.from[first + strand]!);
    strands.to[strand] = placeOf(flows.to[first + strand]!);
  }
  return strands;
}

/** Of values that cross the border, in the order of the children to which they belong: equal blocks have equal ones. */
function portsOf({ count, values }: Strands, outside: Int32Array, inside: Int32Array): Map<number, number> {
  const crossing: number[] = [];
  for (let strand = 0; strand < count; ++strand) if (outside[strand] === -1) crossing.push(strand);
  crossing.sort((a, b) => inside[a]! - inside[b]! || values[a]! - values[b]! || a - b);
  const ports = new Map<number, number>();
  for (const strand of crossing) if (!ports.has(values[strand]!)) ports.set(values[strand]!, ports.size);
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

function edgesOf({ count, values }: Strands, from: Int32Array, to: Int32Array): Edges {
  const order = upTo(count).sort((a, b) => from[a]! - from[b]! || to[a]! - to[b]! || values[a]! - values[b]! || a - b);
  const starts = new Int32Array(count + 1);
  const edges = { from: new Int32Array(count), to: new Int32Array(count), values: new Int32Array(count) };
  let edge = 0;
  for (let index = 0; index < count; ++index) {
    const [strand, before] = [order[index]!, order[index - 1] ?? -1];
    if (from[before] === from[strand] && to[before] === to[strand] && values[before] === values[strand]) continue;
    edges.from[edge] = from[strand]!;
    edges.to[edge] = to[strand]!;
    edges.values[edge] = values[strand]!;
    starts[edge++] = index;
  }
  starts[edge] = count;
  const cut = (all: Int32Array) => all.slice(0, edge);
  const ends = { from: cut(edges.from), to: cut(edges.to) };
  return { order, starts: starts.slice(0, edge + 1), ...ends, values: cut(edges.values) };
}

function linesOf({ from, values }: Edges): Pick<Shape, "lines" | "lineCount"> {
  const lines = new Int32Array(from.length);
  const known = new Map<number, number>(); // of one thing
  let lineCount = 0;
  for (let edge = 0; edge < from.length; ++edge) {
    if (from[edge] !== from[edge - 1]) known.clear();
    let line = known.get(values[edge]!);
    if (line === undefined) known.set(values[edge]!, (line = lineCount++));
    lines[edge] = line;
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
export function levelOf(flows: Flows, group: number, nest: Nest, carries: Int32Array, children: Int32Array): Level {
  const strands = strandsOf(flows, group, nest, carries);
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
  const carried = edges.order.map((strand) => flows.edges[strands.first + strand]!);
  const ports = { entering: Int32Array.from(entryOf.keys()), leaving: Int32Array.from(exitOf.keys()) };
  return { shape, children, ...ports, values: edges.values, starts: edges.starts, carried };
}
