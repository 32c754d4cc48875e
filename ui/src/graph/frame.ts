// SPDX-License-Identifier: Apache-2.0
// From rows, columns and lanes to places in the frame of a group, from its upper left corner.
import type { Net } from "./chains";
import type { Grid } from "./grid";
import { gutterWidths, type Lanes } from "./lanes";
import { gutter, laneGap, padding, titleHeight } from "./measures";

export interface Frame {
  width: number;
  height: number;
  shifts: Float64Array; // of each column: from x of one column to x in the frame
  gutters: Float64Array; // the first lane in each
  top: number; // of the first row of each column
  feet: Float64Array; // of each column: below its rows and their runs
  roof: number; // the first of the lanes above all columns
}

const lastOf = ({ firstRows, tops }: Grid, column: number) => (firstRows[column + 1] ?? tops.length) - 1;

/** `least`: the least width; negative: the root, which has no frame. */
export function frameOf(net: Net, grid: Grid, lanes: Lanes, least: number): Frame {
  const columns = grid.firstRows.length;
  const widths = gutterWidths(lanes);
  const shifts = new Float64Array(columns);
  const gutters = new Float64Array(columns);
  let right = 0;
  for (let column = 0; net.rows > 0 && column < columns; ++column) {
    shifts[column] = right - grid.lefts[column]!;
    right += grid.rights[column]! - grid.lefts[column]!;
    gutters[column] = right + gutter / 2;
    right += widths[column]!;
  }
  const aside = padding + Math.max(0, (least - right) / 2 - padding);
  const roof = padding + (least < 0 ? 0 : titleHeight);
  const top = roof + (lanes.tops + Math.max(...lanes.turnCounts)) * laneGap;
  const feet = Float64Array.from(grid.firstRows, (_, column) => {
    const row = lastOf(grid, column);
    return row < 0 ? top : top + grid.bottoms[row]! + grid.runs.below[row]! * laneGap;
  });
  const lowest = feet.reduce((most, foot, column) => Math.max(most, foot + lanes.turnCounts[column]! * laneGap), top);
  const aligned = (all: Float64Array) => all.map((x) => x + aside);
  const [width, height] = [Math.max(least, right + 2 * padding), lowest + padding];
  return { width, height, shifts: aligned(shifts), gutters: aligned(gutters), top, feet, roof };
}
