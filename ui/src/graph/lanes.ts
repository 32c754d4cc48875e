// SPDX-License-Identifier: Apache-2.0
// Lanes in the gutters to the right of columns: of wires that go on in the next column, and of rails.
import type { Net } from "./chains";
import type { Grid } from "./grid";
import type { Shape } from "./level";
import type { Live } from "./live";
import { gutter, laneGap } from "./measures";

/** A wire's way from the foot of a column to the head of the next one. */
export interface Turn {
  lane: number;
  of: number; // lanes in this gutter of this kind
}

/** The rail of a line: the gutters in which it runs, each with its lane. */
export interface Rail {
  lanes: Map<number, number>;
  top: number; // which of the lanes above all columns; -1: it needs none
}

export interface Lanes {
  turns: Map<number, Turn>; // by turnKey
  rails: Map<number, Rail>; // of a line
  counts: Int32Array; // lanes in each gutter
  turnCounts: Int32Array;
  tops: number; // lanes above all columns
}

/** Of where a segment begins: a bend, or the line that begins at a thing. */
export const turnKey = (net: Net, upper: number, line: number) => (upper >= net.things ? upper : net.count + line);

/** What is right comes first: it turns above and inside of the others, so none crosses another. */
function turnsOf(net: Net, live: Live, grid: Grid, x: Float64Array): Pick<Lanes, "turns" | "turnCounts"> {
  const turns = new Map<number, Turn>();
  const turnCounts = new Int32Array(grid.firstRows.length);
  if (grid.firstRows.length === 1) return { turns, turnCounts };
  const found: { key: number; gutter: number; x: number }[] = [];
  live.lower.forEach((lower, segment) => {
    const upper = live.upper[segment]!;
    const column = grid.columnOf[net.row[upper]!]!;
    const key = turnKey(net, upper, live.upperLine[segment]!);
    if (grid.columnOf[net.row[lower]!] === column || turns.has(key)) return;
    turns.set(key, { lane: 0, of: 0 });
    found.push({ key, gutter: column, x: x[upper]! + live.upperOffset[segment]! });
  });
  found.sort((a, b) => b.x - a.x);
  for (const one of found) turns.set(one.key, { lane: turnCounts[one.gutter]!++, of: 0 });
  for (const one of found) turns.get(one.key)!.of = turnCounts[one.gutter]!;
  return { turns, turnCounts };
}

interface Use {
  line: number;
  gutter: number;
  from: number;
  to: number;
}

/** Gutters by which a rail leaves one column and comes to another; one and the same where they are neighbours. */
export function guttersOf(from: number, to: number): [number, number] {
  if (to === from) return [from, from];
  return to > from ? [from, to - 1] : [from - 1, to];
}

const highest = -Infinity; // above all columns

/** Stretches of gutters that each line needs. */
function usesOf(shape: Shape, net: Net, grid: Grid): { uses: Use[]; overTop: Set<number> } {
  const uses = new Map<string, Use>();
  const overTop = new Set<number>();
  const use = (line: number, gutter: number, ...ys: number[]) => {
    const known = uses.get(`${line} ${gutter}`) ?? { line, gutter, from: Infinity, to: -Infinity };
    uses.set(`${line} ${gutter}`, { ...known, from: Math.min(known.from, ...ys), to: Math.max(known.to, ...ys) });
  };
  for (const edge of grid.runs.edges) {
    const [line, rows] = [shape.lines[edge]!, [net.row[shape.from[edge]!]!, net.row[shape.to[edge]!]!] as const];
    const [leaves, arrives] = guttersOf(grid.columnOf[rows[0]]!, grid.columnOf[rows[1]]!);
    const { bottoms, tops, runs } = grid;
    const start = [bottoms[rows[0]]!, bottoms[rows[0]]! + runs.below[rows[0]]! * laneGap];
    const end = [tops[rows[1]]! - runs.above[rows[1]]! * laneGap, tops[rows[1]]!];
    if (leaves === arrives) use(line, leaves, ...start, ...end);
    else {
      use(line, leaves, highest, ...start);
      use(line, arrives, highest, ...end);
      overTop.add(line);
    }
  }
  return { uses: [...uses.values()], overTop };
}

/** Each stretch takes the first lane that is free. */
function railsOf(shape: Shape, net: Net, grid: Grid, turnCounts: Int32Array): Pick<Lanes, "rails" | "counts" | "tops"> {
  const { uses, overTop } = usesOf(shape, net, grid);
  const rails = new Map<number, Rail>(grid.runs.lines.map((line) => [line, { lanes: new Map(), top: -1 }]));
  let tops = 0;
  for (const line of overTop) rails.get(line)!.top = tops++;
  const ends: number[][] = grid.firstRows.map(() => []);
  uses.sort((a, b) => a.from - b.from || b.to - a.to || a.line - b.line);
  for (const { line, gutter: at, from, to } of uses) {
    const taken = ends[at]!;
    const free = taken.findIndex((end) => end < from);
    const lane = free < 0 ? taken.length : free;
    taken[lane] = to + laneGap;
    rails.get(line)!.lanes.set(at, lane + turnCounts[at]!);
  }
  return { rails, tops, counts: turnCounts.map((count, at) => count + ends[at]!.length) };
}

export function lanesOf(shape: Shape, net: Net, live: Live, grid: Grid, x: Float64Array): Lanes {
  const { turns, turnCounts } = turnsOf(net, live, grid, x);
  return { turns, turnCounts, ...railsOf(shape, net, grid, turnCounts) };
}

/** Widths of the gutters; the last one is as wide as its lanes. */
export function gutterWidths({ counts }: Lanes): Float64Array {
  return Float64Array.from(counts, (count, at) => (count > 0 || at + 1 < counts.length ? gutter + count * laneGap : 0));
}
