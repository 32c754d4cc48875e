// SPDX-License-Identifier: Apache-2.0
// Small graphs, trees and scenes.
import type { OpGraph } from "../ops";
import type { Scene } from "../scene";
import type { Tree } from "../tree";

/** Ops a, b, ... of one type each; edges as pairs of ops, each carries a value of its source's name. */
export function graphOf(types: readonly string[], edges: readonly (readonly [number, number])[], more: Partial<OpGraph> = {}): OpGraph {
  const ids = types.map((_, op) => String.fromCharCode(97 + op));
  return {
    ids, names: ids, types, kinds: types.map((type) => type.toLowerCase()), source: Int32Array.from(edges, ([from]) => from),
    target: Int32Array.from(edges, ([, to]) => to), carries: Int32Array.from(edges, ([from]) => from),
    values: ids.map((id) => ({ name: `${id}_out`, dtype: "float32", shape: "[N,4]" })), host: new Int32Array(types.length).fill(-1), ...more,
  };
}

type Nested = readonly (number | { label: string; inside: Nested })[];

/** Groups are numbered outer ones first, as they come. */
export function treeOf(ops: number, nested: Nested): Tree {
  const [parent, depth] = [new Array<number>(ops).fill(ops), new Array<number>(ops).fill(0)];
  const [children, labels, paths]: [Int32Array[], string[], string[]] = [[], [], []];
  const waiting: { label: string; path: string; inside: Nested; above: number; deep: number }[] = [
    { label: "", path: "", inside: nested, above: -1, deep: 0 },
  ];
  for (let group = ops; waiting.length > 0; ++group) {
    const { label, path, inside, above, deep } = waiting.shift()!;
    [parent[group], depth[group], labels[group - ops], paths[group - ops]] = [above, deep, label, path];
    let next = group + waiting.length;
    children[group - ops] = Int32Array.from(inside, (one) => {
      if (typeof one === "number") {
        [parent[one], depth[one]] = [group, deep + 1];
        return one;
      }
      waiting.push({ label: one.label, path: path ? `${path}/${one.label}` : one.label, inside: one.inside, above: group, deep: deep + 1 });
      return ++next;
    });
  }
  return {
    ops, parent: Int32Array.from(parent), depth: Int32Array.from(depth), children, labels, paths,
    alike: new Int32Array(labels.length).fill(-1),
  };
}

/** Open groups as node, x, y, width and height; boxes of 80 x 40 as node, x and y of their middle; wires as their edges and points. */
export function sceneOf(given: {
  open: readonly (readonly [number, number, number, number, number])[];
  boxes: readonly (readonly [number, number, number])[];
  wires?: readonly { edges: readonly number[]; points: readonly number[] }[];
}): Scene {
  const wires = given.wires ?? [];
  const boxes = [...given.open.map(([, ...box]) => box), ...given.boxes.map(([, x, y]) => [x - 40, y - 20, 80, 40])];
  const starts = (lengths: readonly number[]) => {
    let end = 0;
    return Int32Array.from([0, ...lengths.map((length) => (end += length))]);
  };
  return {
    nodes: Int32Array.from([...given.open, ...given.boxes], ([node]) => node), boxes: Float32Array.from(boxes.flat()),
    frames: given.open.length, points: Float32Array.from(wires.flatMap(({ points }) => points)), wires: starts(wires.map(({ points }) => points.length / 2)),
    edgeStarts: starts(wires.map(({ edges }) => edges.length)), edges: Int32Array.from(wires.flatMap(({ edges }) => edges)),
    width: Math.max(...boxes.map(([x, , width]) => x! + width!)), height: Math.max(...boxes.map(([, y, , height]) => y! + height!)),
  };
}

/** Of ops a to f in a row, b, c and e in the open group `x`, with a wire that passes by: what is said of wires is tried on it. */
export const sceneOfWires = (x: number): Scene => sceneOf({
  open: [[x, -100, 80, 300, 300]],
  boxes: [[0, 0, 0], [1, 0, 120], [2, 0, 200], [4, 0, 300], [5, 0, 450]],
  wires: [
    { edges: [0, 3], points: [0, 20, 0, 80] }, { edges: [0], points: [0, 80, 0, 100] }, { edges: [1], points: [0, 140, 0, 180] },
    { edges: [2], points: [0, 220, 0, 280] }, { edges: [3], points: [0, 80, 60, 100, 60, 250, 10, 280] },
    { edges: [5], points: [0, 320, 0, 380] }, { edges: [5], points: [0, 380, 0, 430] },
  ],
});
