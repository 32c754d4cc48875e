// SPDX-License-Identifier: Apache-2.0
// Where the rows and columns of a level lie, with the lanes beside them in which wires run.
import type { Net } from "./chains";
import { columnsOf } from "./columns";
import type { Fill } from "./fill";
import type { Shape } from "./level";
import type { Live } from "./live";
import { laneGap, rowGap, sideGap, widestGap } from "./measures";
import { crossingRows, runsOf, type Runs } from "./runs";

export interface Folded {
  runs: Runs;
  heights: Float64Array; // of each row
  columnOf: Int32Array; // of each row
  firstRows: number[]; // of each column
}

/** Heights count from the top of the first row of each column. */
export interface Grid extends Folded {
  tops: Float64Array; // of each row
  bottoms: Float64Array;
  lefts: Float64Array; // of each column, in the coordinates of one column
  rights: Float64Array;
}

const steepness = 0.1; // of a wire that runs to the side, at least

/** Between each row and the one above it, without runs: more where a wire runs far to the side. */
function gapsOf(net: Net, { upper, lower, upperOffset, lowerOffset }: Live, x: Float64Array): Float64Array {
  const gaps = new Float64Array(net.rows + 1).fill(rowGap);
  for (let segment = 0; segment < upper.length; ++segment) {
    const aside = Math.abs(x[upper[segment]!]! + upperOffset[segment]! - x[lower[segment]!]! - lowerOffset[segment]!);
    const row = net.row[lower[segment]!]!;
    gaps[row] = Math.max(gaps[row]!, Math.min(widestGap, aside * steepness));
  }
  return gaps;
}

function heightsOf(shape: Shape, net: Net, { heights }: Fill): Float64Array {
  const tallest = new Float64Array(net.rows);
  heights.forEach((height, child) => {
    const row = net.row[shape.entries + child]!;
    tallest[row] = Math.max(tallest[row]!, height);
  });
  return tallest;
}

type Tops = Pick<Grid, "tops" | "bottoms">;

/** Of rows in one column, or in those that begin with `firstRows`. */
function stacked(heights: Float64Array, gaps: Float64Array, runs: Runs, firstRows: readonly number[]): Tops {
  const { below, above } = runs;
  const [tops, bottoms] = [new Float64Array(heights.length), new Float64Array(heights.length)];
  const begins = new Set(firstRows);
  heights.forEach((height, row) => {
    const room = begins.has(row) ? 0 : bottoms[row - 1]! + below[row - 1]! * laneGap + gaps[row]!;
    tops[row] = room + above[row]! * laneGap;
    bottoms[row] = tops[row]! + height;
  });
  return { tops, bottoms };
}

type Sides = Pick<Grid, "lefts" | "rights">;

/** `columnOf`: of each thing and bend. */
export function sidesOf(live: Live, x: Float64Array, columns: number, columnOf: (one: number) => number): Sides {
  const [lefts, rights] = [new Float64Array(columns).fill(Infinity), new Float64Array(columns).fill(-Infinity)];
  for (const one of live.rows.items) {
    const column = columnOf(one);
    lefts[column] = Math.min(lefts[column]!, x[one]! - live.widths[one]! / 2);
    rights[column] = Math.max(rights[column]!, x[one]! + live.widths[one]! / 2);
  }
  return { lefts, rights };
}

/** The room that the widest row needs, at least. */
function widthOf({ rows: { starts, items }, widths }: Live): number {
  let widest = 0;
  for (let row = 0; row + 1 < starts.length; ++row) {
    let width = 0;
    for (let at = starts[row]!; at < starts[row + 1]!; ++at) width += widths[items[at]!]! + sideGap;
    widest = Math.max(widest, width);
  }
  return widest;
}

/** Rows of columns, before anything has its place. */
export function foldedOf(shape: Shape, net: Net, live: Live, fill: Fill): Folded {
  const runs = runsOf(shape, net, live);
  const heights = heightsOf(shape, net, fill);
  const gaps = new Float64Array(net.rows).fill(rowGap);
  const tall = { crossing: crossingRows(shape, net, live), width: widthOf(live) };
  const firstRows = columnsOf({ ...stacked(heights, gaps, runs, [0]), ...tall });
  const columnOf = new Int32Array(net.rows);
  firstRows.forEach((row, column) => columnOf.fill(column, row));
  return { runs, heights, columnOf, firstRows };
}

/** `x`: of the middle of each thing and bend. */
export function gridOf(net: Net, live: Live, folded: Folded, x: Float64Array): Grid {
  const { heights, runs, firstRows, columnOf } = folded;
  const sides = sidesOf(live, x, firstRows.length, (one) => columnOf[net.row[one]!]!);
  return { ...folded, ...stacked(heights, gapsOf(net, live, x), runs, firstRows), ...sides };
}
