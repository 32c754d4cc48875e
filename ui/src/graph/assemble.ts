// SPDX-License-Identifier: Apache-2.0
// A scene of the groups that are open.
import type { Arrangement } from "./arrange";
import type { Sizes } from "./layout";
import type { Level } from "./level";
import type { Scene } from "./scene";
import type { Tree } from "./tree";

/** A group that is open, as it is laid out. */
export interface Shown {
  group: number;
  level: Level;
  arrangement: Arrangement;
  told: Told;
}

/** For which edges each wire stands. */
export interface Told {
  starts: Int32Array; // of each wire, and one more: the end
  edges: Int32Array;
}

/** Those of a bundle are one wire, where no open group parts them. */
export function toldOf({ starts, carried, shape: { bundles } }: Level, { wires }: Arrangement): Told {
  const told = { starts: new Int32Array(wires.edges.length + 1), edges: new Int32Array(carried.length) };
  let count = 0;
  wires.edges.forEach((edge, wire) => {
    let end = edge + 1;
    while (end < bundles.length && bundles[end] === bundles[edge] && end !== wires.edges[wire + 1]) ++end;
    for (let place = starts[edge]!; place < starts[end]!; ++place) told.edges[count++] = carried[place]!;
    told.starts[wire + 1] = count;
  });
  return told;
}

/** Upper left corners of groups; `all`: each group behind the one around it. */
function cornersOf(tree: Tree, all: readonly Shown[]): Float64Array {
  const corners = new Float64Array(2 * tree.children.length);
  for (const { group, level, arrangement } of all) {
    const at = 2 * (group - tree.ops);
    for (let place = 0; place < level.children.length; ++place) {
      const child = level.children[place]!;
      if (child < tree.ops) continue;
      corners[2 * (child - tree.ops)] = corners[at]! + arrangement.lefts[place]!;
      corners[2 * (child - tree.ops) + 1] = corners[at + 1]! + arrangement.tops[place]!;
    }
  }
  return corners;
}

function sum(all: readonly Shown[], of: (one: Shown) => number): number {
  let whole = 0;
  for (const one of all) whole += of(one);
  return whole;
}

type Boxes = Pick<Scene, "nodes" | "boxes" | "frames">;

function boxesOf(tree: Tree, sizes: Sizes, all: readonly Shown[], corners: Float64Array): Boxes {
  const frames = all.length - 1;
  const nodes = new Int32Array(sum(all, ({ level }) => level.children.length));
  const boxes = new Float32Array(4 * nodes.length);
  const isFrame = new Uint8Array(tree.children.length);
  let count = 0;
  const add = (node: number, x: number, y: number, width: number, height: number) => {
    boxes[4 * count] = x;
    boxes[4 * count + 1] = y;
    boxes[4 * count + 2] = width;
    boxes[4 * count + 3] = height;
    nodes[count++] = node;
  };
  for (const { group, arrangement } of all) {
    const at = group - tree.ops;
    isFrame[at] = 1;
    if (at > 0) add(group, corners[2 * at]!, corners[2 * at + 1]!, arrangement.width, arrangement.height);
  }
  for (const { group, level, arrangement } of all) {
    const at = 2 * (group - tree.ops);
    for (let place = 0; place < level.children.length; ++place) {
      const child = level.children[place]!;
      if (child >= tree.ops && isFrame[child - tree.ops]) continue;
      const [x, y] = [corners[at]! + arrangement.lefts[place]!, corners[at + 1]! + arrangement.tops[place]!];
      add(child, x, y, sizes[2 * child]!, sizes[2 * child + 1]!);
    }
  }
  return { nodes, boxes, frames };
}

type Wires = Pick<Scene, "points" | "wires" | "edgeStarts" | "edges">;

function wiresOf(tree: Tree, all: readonly Shown[], corners: Float64Array): Wires {
  const points = new Float32Array(sum(all, ({ arrangement }) => arrangement.wires.points.length));
  const wires = new Int32Array(sum(all, ({ arrangement }) => arrangement.wires.edges.length) + 1);
  const edgeStarts = new Int32Array(wires.length);
  const edges = new Int32Array(sum(all, ({ told }) => told.edges.length));
  let [value, wire, edge] = [0, 0, 0];
  for (const { group, arrangement, told } of all) {
    const own = arrangement.wires;
    const [x, y] = [corners[2 * (group - tree.ops)]!, corners[2 * (group - tree.ops) + 1]!];
    for (let index = 0; index < own.edges.length; ++index) {
      wires[wire] = value / 2 + own.starts[index]!;
      edgeStarts[wire++] = edge + told.starts[index]!;
    }
    for (let index = 0; index < own.points.length; index += 2) {
      points[value++] = own.points[index]! + x;
      points[value++] = own.points[index + 1]! + y;
    }
    edges.set(told.edges, edge);
    edge += told.edges.length;
  }
  wires[wire] = value / 2;
  edgeStarts[wire] = edge;
  return { points, wires, edgeStarts, edges };
}

/** `all`: the root first, each behind the one around it. */
export function sceneOf(tree: Tree, sizes: Sizes, all: readonly Shown[]): Scene {
  const corners = cornersOf(tree, all);
  const { width, height } = all[0]!.arrangement;
  return { ...boxesOf(tree, sizes, all, corners), ...wiresOf(tree, all, corners), width, height };
}
