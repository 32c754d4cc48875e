// SPDX-License-Identifier: Apache-2.0
// Wires on rails leave their box into the gap below its row, run there to the side, and come back in the gap above
// their target.
import { thingsOf, type Net } from "./chains";
import type { Shape } from "./level";
import type { Live } from "./live";

export interface Runs {
  lines: number[]; // those that have a rail
  edges: number[]; // of these
  slotBelow: Int32Array; // of each line: which run in the gap below its row, from 0
  slotAbove: Int32Array; // of each edge
  below: Int32Array; // of each row: how many there are
  above: Int32Array;
}

export function runsOf(shape: Shape, net: Net, { isDrawn }: Live): Runs {
  const runs: Runs = {
    ...{ lines: [], edges: [] },
    slotBelow: new Int32Array(shape.lineCount).fill(-1),
    slotAbove: new Int32Array(shape.from.length).fill(-1),
    below: new Int32Array(net.rows),
    above: new Int32Array(net.rows),
  };
  shape.lines.forEach((line, edge) => {
    if (!isDrawn[edge] || !net.isRail[edge]) return;
    runs.edges.push(edge);
    runs.slotAbove[edge] = runs.above[net.row[shape.to[edge]!]!]!++;
    if (runs.slotBelow[line]! >= 0) return;
    runs.lines.push(line);
    runs.slotBelow[line] = runs.below[net.row[shape.from[edge]!]!]!++;
  });
  return runs;
}

/** Of each row: wires that come from the row above, each counted once. */
export function crossingRows(shape: Shape, net: Net, live: Live): Int32Array {
  const things = thingsOf(shape);
  const crossing = new Int32Array(net.rows + 1);
  for (const one of live.rows.items) if (one >= things) ++crossing[net.row[one]! + 1]!;
  const counted = new Uint8Array(shape.lineCount);
  shape.lines.forEach((line, edge) => {
    if (!live.isDrawn[edge] || net.isRail[edge] || counted[line]) return;
    counted[line] = 1;
    ++crossing[net.row[shape.from[edge]!]! + 1]!;
  });
  return crossing;
}
