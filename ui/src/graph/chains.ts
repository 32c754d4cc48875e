// SPDX-License-Identifier: Apache-2.0
// A line that passes rows has a bend in each: one chain of bends a line, which its readers leave a row above their own.
// Edges that pass many rows, and those that run back up, have none: they run on rails beside the boxes.
import type { Shape } from "./level";
import { ranksOf } from "./ranks";

/** Things 0 to things - 1 are those of the shape, the others bends. */
export interface Net {
  things: number;
  count: number;
  rows: number;
  row: Int32Array; // of each thing and bend
  isRail: Uint8Array; // of each edge
  begins: Int32Array; // of each line: the thing out of which it comes
  firstBend: Int32Array; // of each line; the others follow, as many as its longest edge needs
  owner: Int32Array; // of each bend, from 0: its line
  upper: Int32Array; // of each segment, from one row to the next: a thing or bend
  lower: Int32Array;
  upperLine: Int32Array; // of a segment that begins at a thing: its line, else -1
  lowerEdge: Int32Array; // of a segment that ends at a thing: the edge, else -1
}

const maxSpan = 48; // rows
const railFrom = 4; // rows of an edge of a line that has a rail anyway

export const thingsOf = ({ entries, children, exits }: Shape) => entries + children + exits;

function railsOf({ from, to, lines, lineCount }: Shape, ranks: Int32Array, isBack: Uint8Array): Uint8Array {
  const longest = new Int32Array(lineCount);
  const span = (edge: number) => ranks[to[edge]!]! - ranks[from[edge]!]!;
  lines.forEach((line, edge) => (longest[line] = Math.max(longest[line]!, span(edge))));
  return isBack.map((back, edge) => Number(back === 1 || (longest[lines[edge]!]! > maxSpan && span(edge) > railFrom)));
}

/** How many bends each line has; of the edges that `isLeftOut` names it needs none. */
export function lengthsOf({ from, to, lines, lineCount }: Shape, ranks: Int32Array, isLeftOut: Uint8Array): Int32Array {
  const lengths = new Int32Array(lineCount);
  lines.forEach((line, edge) => {
    if (!isLeftOut[edge]) lengths[line] = Math.max(lengths[line]!, ranks[to[edge]!]! - ranks[from[edge]!]! - 1);
  });
  return lengths;
}

type Segments = Pick<Net, "upper" | "lower" | "upperLine" | "lowerEdge">;

function segmentsOf(shape: Shape, net: Omit<Net, keyof Segments>, lengths: Int32Array): Segments {
  const [upper, lower, upperLine, lowerEdge]: [number[], number[], number[], number[]] = [[], [], [], []];
  const add = (...segment: [number, number, number, number]) => {
    upper.push(segment[0]);
    lower.push(segment[1]);
    upperLine.push(segment[2]);
    lowerEdge.push(segment[3]);
  };
  lengths.forEach((length, line) => {
    const first = net.firstBend[line]!;
    if (length > 0) add(net.begins[line]!, first, line, -1);
    for (let bend = 1; bend < length; ++bend) add(first + bend - 1, first + bend, -1, -1);
  });
  shape.lines.forEach((line, edge) => {
    if (net.isRail[edge]) return;
    const [from, to] = [shape.from[edge]!, shape.to[edge]!];
    const bends = net.row[to]! - net.row[from]! - 1;
    if (bends > 0) add(net.firstBend[line]! + bends - 1, to, -1, edge);
    else add(from, to, line, edge);
  });
  const typed = (list: number[]) => new Int32Array(list);
  return { upper: typed(upper), lower: typed(lower), upperLine: typed(upperLine), lowerEdge: typed(lowerEdge) };
}

export function netOf(shape: Shape): Net {
  const things = thingsOf(shape);
  const { ranks, count: rows, isBack } = ranksOf({ ...shape, count: things });
  const isRail = railsOf(shape, ranks, isBack);
  const lengths = lengthsOf(shape, ranks, isRail);
  const begins = new Int32Array(shape.lineCount);
  shape.lines.forEach((line, edge) => (begins[line] = shape.from[edge]!));
  const firstBend = new Int32Array(shape.lineCount);
  let count = things;
  lengths.forEach((length, line) => {
    firstBend[line] = count;
    count += length;
  });
  const row = new Int32Array(count);
  row.set(ranks);
  const owner = new Int32Array(count - things);
  lengths.forEach((length, line) => {
    for (let bend = 0; bend < length; ++bend) {
      row[firstBend[line]! + bend] = ranks[begins[line]!]! + 1 + bend;
      owner[firstBend[line]! + bend - things] = line;
    }
  });
  const net = { things, count, rows, row, isRail, begins, firstBend, owner };
  return { ...net, ...segmentsOf(shape, net, lengths) };
}
