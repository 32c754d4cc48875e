// SPDX-License-Identifier: Apache-2.0
// The ways of wires in the frame of a group, box to box, or to the border where they go on in the level outside.
import type { Net } from "./chains";
import type { Fill } from "./fill";
import type { Frame } from "./frame";
import type { Grid } from "./grid";
import { guttersOf, turnKey, type Lanes } from "./lanes";
import type { Shape } from "./level";
import { laneGap } from "./measures";

export interface Wires {
  edges: Int32Array; // of each wire: the first edge of the shape for which it stands
  starts: Int32Array; // where in points it begins, and one more: the end. Counted in points
  points: Float64Array;
}

export interface Place {
  shape: Shape;
  net: Net;
  grid: Grid;
  lanes: Lanes;
  frame: Frame;
  fill: Fill;
  x: Float64Array; // of the middle of each thing and bend, in one column
}

/** Points of one wire after another, without those between which it runs straight on. */
class Points {
  readonly all: number[] = [];
  readonly starts: number[] = [0];

  add(x: number, y: number): void {
    const { all } = this;
    const [count, first] = [all.length, this.starts[this.starts.length - 1]! * 2];
    const [lastX, lastY] = [all[count - 2]!, all[count - 1]!];
    if (count - first >= 2 && lastX === x && lastY === y) return;
    const isStraight = (at: 0 | 1, now: number) => all[count - 4 + at] === now && all[count - 2 + at] === now;
    if (count - first >= 4 && (isStraight(0, x) || isStraight(1, y))) all.length = count - 2;
    all.push(x, y);
  }

  end(): void {
    this.starts.push(this.all.length / 2);
  }
}

export const columnOf = ({ net, grid }: Place, one: number) => grid.columnOf[net.row[one]!]!;

/** The middle of a thing or bend, in the frame. */
export const middleOf = (place: Place, one: number) => place.x[one]! + place.frame.shifts[columnOf(place, one)]!;

/** Of a child: its upper edge, in the middle of its row. */
export function topOf({ shape, net, grid, frame, fill }: Place, child: number): number {
  const row = net.row[shape.entries + child]!;
  return frame.top + (grid.tops[row]! + grid.bottoms[row]! - fill.heights[child]!) / 2;
}

interface End {
  thing: number;
  row: number;
  x: number;
  y: number; // of the box, or the border
}

function startOf(place: Place, edge: number): End {
  const { shape, net, fill } = place;
  const thing = shape.from[edge]!;
  const child = thing - shape.entries;
  const y = child < 0 ? 0 : topOf(place, child) + fill.heights[child]!;
  return { thing, row: net.row[thing]!, x: middleOf(place, thing) + fill.leaves[shape.lines[edge]!]!, y };
}

function endOf(place: Place, edge: number): End {
  const { shape, net, fill, frame } = place;
  const thing = shape.to[edge]!;
  const child = thing - shape.entries;
  const y = child >= shape.children ? frame.height : topOf(place, child);
  return { thing, row: net.row[thing]!, x: middleOf(place, thing) + fill.enters[edge]!, y };
}

/** From row to row, and around to the head of the next column where one ends. */
function addChain(place: Place, points: Points, edge: number, start: End, end: End): void {
  const { net, grid, lanes, frame, shape } = place;
  const bends = net.firstBend[shape.lines[edge]!]! - start.row - 1;
  let [upper, x] = [start.thing, start.x];
  for (let row = start.row + 1; row <= end.row; ++row) {
    const lower = row === end.row ? end.thing : bends + row;
    const nextX = row === end.row ? end.x : middleOf(place, lower);
    points.add(x, frame.top + grid.bottoms[row - 1]!);
    const column = grid.columnOf[row - 1]!;
    if (grid.columnOf[row] !== column) {
      const { lane, of } = lanes.turns.get(turnKey(net, upper, shape.lines[edge]!))!;
      const [foot, side] = [frame.feet[column]! + (lane + 1) * laneGap, frame.gutters[column]! + lane * laneGap];
      const head = frame.top - (of - lane) * laneGap;
      points.add(x, foot);
      points.add(side, foot);
      points.add(side, head);
      points.add(nextX, head);
    }
    points.add(nextX, frame.top + grid.tops[row]!);
    [upper, x] = [lower, nextX];
  }
}

/** Out below its row, along a gutter, and in above the row of its target. */
function addRail(place: Place, points: Points, edge: number, start: End, end: End): void {
  const { grid, lanes, frame, shape } = place;
  const rail = lanes.rails.get(shape.lines[edge]!)!;
  const [leaves, arrives] = guttersOf(grid.columnOf[start.row]!, grid.columnOf[end.row]!);
  const laneX = (gutter: number) => frame.gutters[gutter]! + rail.lanes.get(gutter)! * laneGap;
  const below = frame.top + grid.bottoms[start.row]! + (grid.runs.slotBelow[shape.lines[edge]!]! + 1) * laneGap;
  const above = frame.top + grid.tops[end.row]! - (grid.runs.slotAbove[edge]! + 1) * laneGap;
  points.add(start.x, below);
  points.add(laneX(leaves), below);
  if (leaves !== arrives) {
    const roof = frame.roof + rail.top * laneGap;
    points.add(laneX(leaves), roof);
    points.add(laneX(arrives), roof);
  }
  points.add(laneX(arrives), above);
  points.add(end.x, above);
}

export function wiresOf(place: Place, isDrawn: Uint8Array): Wires {
  const points = new Points();
  const edges: number[] = [];
  isDrawn.forEach((drawn, edge) => {
    if (!drawn) return;
    const [start, end] = [startOf(place, edge), endOf(place, edge)];
    points.add(start.x, start.y);
    (place.net.isRail[edge] ? addRail : addChain)(place, points, edge, start, end);
    points.add(end.x, end.y);
    points.end();
    edges.push(edge);
  });
  return { edges: new Int32Array(edges), starts: new Int32Array(points.starts), points: new Float64Array(points.all) };
}
