// SPDX-License-Identifier: Apache-2.0
// One level laid out: its order is found once, places anew for each size of what is in it.
import { netOf, type Net } from "./chains";
import { coordinatesOf } from "./coordinates";
import type { Fill } from "./fill";
import { frameOf } from "./frame";
import { foldedOf, gridOf } from "./grid";
import { lanesOf } from "./lanes";
import type { Shape } from "./level";
import { liveOf } from "./live";
import { rowsOf, type Rows } from "./order";
import { middleOf, topOf, wiresOf, type Wires } from "./wires";

/** Places count from the upper left corner of the group. */
export interface Arrangement {
  width: number;
  height: number;
  lefts: Float64Array; // of each child
  tops: Float64Array;
  entries: Float64Array; // x of each port
  exits: Float64Array;
  wires: Wires;
}

/** What does not depend on what is open. */
export interface Ordered {
  shape: Shape;
  net: Net;
  rows: Rows;
}

export function ordered(shape: Shape): Ordered {
  const net = netOf(shape);
  return { shape, net, rows: rowsOf(net) };
}

export function arrange({ shape, net, rows }: Ordered, fill: Fill): Arrangement {
  const live = liveOf(shape, net, rows, fill);
  const folded = foldedOf(shape, net, live, fill);
  const x = coordinatesOf(live, net.row.map((row) => folded.columnOf[row]!));
  const grid = gridOf(net, live, folded, x);
  const lanes = lanesOf(shape, net, live, grid, x);
  const frame = frameOf(net, grid, lanes, fill.least);
  const place = { shape, net, grid, lanes, frame, fill, x };
  const middle = (first: number, count: number) =>
    new Float64Array(count).map((_, index) => middleOf(place, first + index));
  return {
    ...{ width: frame.width, height: frame.height },
    lefts: middle(shape.entries, shape.children).map((at, child) => at - fill.widths[child]! / 2),
    tops: fill.heights.map((_, child) => topOf(place, child)),
    entries: middle(0, shape.entries),
    exits: middle(shape.entries + shape.children, shape.exits),
    wires: wiresOf(place, live.isDrawn),
  };
}
