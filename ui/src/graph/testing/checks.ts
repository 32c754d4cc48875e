// SPDX-License-Identifier: Apache-2.0
// What must hold of every scene.
import { endsOf } from "../nest";
import type { OpGraph } from "../ops";
import type { Scene } from "../scene";
import type { Tree } from "../tree";

const near = 0.05; // units, of numbers of 32 bits

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function boxOf({ boxes }: Scene, index: number): Box {
  const [x, y, width, height] = boxes.subarray(4 * index, 4 * index + 4) as unknown as [number, number, number, number];
  return { left: x, top: y, right: x + width, bottom: y + height };
}

const byNode = (scene: Scene) => new Map(Array.from(scene.nodes, (node, index) => [node, boxOf(scene, index)]));
function overlap(a: Box, b: Box): boolean {
  const isBeside = a.left >= b.right - near || b.left >= a.right - near;
  return !isBeside && a.top < b.bottom - near && b.top < a.bottom - near;
}

function inside(a: Box, b: Box): boolean {
  const fits = a.left >= b.left - near && a.right <= b.right + near;
  return fits && a.top >= b.top - near && a.bottom <= b.bottom + near;
}


/** Boxes of one group that overlap, and those that leave their frame. */
export function badBoxes(tree: Tree, scene: Scene): string[] {
  const found: string[] = [];
  const boxes = byNode(scene);
  const whole = { left: 0, top: 0, right: scene.width, bottom: scene.height };
  const siblings = new Map<number, number[]>();
  for (const [node, box] of boxes) {
    const group = tree.parent[node]!;
    if (!siblings.has(group)) siblings.set(group, []);
    siblings.get(group)!.push(node);
    if (!inside(box, boxes.get(group) ?? whole)) found.push(`${node} leaves ${group}`);
  }
  for (const nodes of siblings.values()) {
    nodes.sort((a, b) => boxes.get(a)!.top - boxes.get(b)!.top);
    nodes.forEach((node, index) => {
      const box = boxes.get(node)!;
      for (let next = index + 1; next < nodes.length && boxes.get(nodes[next]!)!.top < box.bottom; ++next) {
        if (overlap(box, boxes.get(nodes[next]!)!)) found.push(`${node} overlaps ${nodes[next]}`);
      }
    });
  }
  return found;
}

/** Boxes that a scene of these open groups must have: how many are missing, or too many. */
export function missingBoxes(tree: Tree, scene: Scene, open: readonly number[]): number[] {
  const opened = new Set(open);
  const expected = new Set<number>();
  const waiting = [tree.ops];
  for (let group = waiting.pop(); group !== undefined; group = waiting.pop()) {
    for (const child of tree.children[group - tree.ops]!) {
      expected.add(child);
      if (opened.has(child)) waiting.push(child);
    }
  }
  const shown = new Set(scene.nodes);
  return [...[...expected].filter((node) => !shown.has(node)), ...[...shown].filter((node) => !expected.has(node))];
}

export interface Told {
  drawn: number;
  inside: number; // of one box: a closed group, or an op with what hangs on it
  wrong: string[];
}

/** Follows each edge of the graph from wire to wire. */
export function edgesTold(graph: OpGraph, tree: Tree, scene: Scene): Told {
  const boxes = byNode(scene);
  const frames = new Set(scene.nodes.subarray(0, scene.frames));
  const shownAs = (op: number) => {
    let [at, shown] = [op, op];
    for (; at !== tree.ops; at = tree.parent[at]!) if (!frames.has(at) && boxes.has(at)) shown = at;
    return shown;
  };
  const wires = new Map<number, number[]>();
  for (let wire = 0; wire + 1 < scene.wires.length; ++wire) {
    for (const edge of scene.edges.subarray(scene.edgeStarts[wire], scene.edgeStarts[wire + 1])) {
      if (!wires.has(edge)) wires.set(edge, []);
      wires.get(edge)!.push(wire);
    }
  }
  const ends = endsOf(graph);
  const told: Told = { drawn: 0, inside: 0, wrong: [] };
  for (let edge = 0; edge < graph.source.length; ++edge) {
    const [from, to] = [shownAs(ends.from[edge]!), shownAs(ends.to[edge]!)];
    const own = wires.get(edge) ?? [];
    if (from === to) {
      ++told.inside;
      if (own.length > 0) told.wrong.push(`${edge} is inside of ${from}, and drawn`);
    } else {
      ++told.drawn;
      const problem = follow(scene, own, boxes.get(from)!, boxes.get(to)!, levelsBetween(tree, from, to));
      if (problem !== "") told.wrong.push(`${edge}: ${problem}`);
    }
  }
  return told;
}

function levelsBetween({ parent, depth }: Tree, from: number, to: number): number {
  let [a, b, levels] = [from, to, 1];
  for (; parent[a] !== parent[b]; ++levels) {
    if (depth[a]! >= depth[b]!) a = parent[a]!;
    else b = parent[b]!;
  }
  return levels;
}

function follow(scene: Scene, wires: readonly number[], from: Box, to: Box, levels: number): string {
  if (wires.length !== levels) return `${wires.length} wires for ${levels} levels`;
  const start = (wire: number) => scene.points.subarray(2 * scene.wires[wire]!, 2 * scene.wires[wire]! + 2);
  const end = (wire: number) => scene.points.subarray(2 * scene.wires[wire + 1]! - 2, 2 * scene.wires[wire + 1]!);
  const rest = new Set(wires);
  let at = [...rest].find((wire) => isOn(start(wire), from, from.bottom));
  if (at === undefined) return "no wire begins at its op";
  rest.delete(at);
  while (rest.size > 0) {
    const [x, y] = end(at);
    const isNext = ([nextX, nextY]: Float32Array) => Math.abs(nextX! - x!) < near && Math.abs(nextY! - y!) < near;
    const next: number | undefined = [...rest].find((wire) => isNext(start(wire)));
    if (next === undefined) return `nothing goes on at ${x} ${y}`;
    at = next;
    rest.delete(at);
  }
  return isOn(end(at), to, to.top) ? "" : "the last wire does not end at its op";
}

function isOn([x, y]: Float32Array, box: Box, edge: number): boolean {
  return Math.abs(y! - edge) < near && x! >= box.left - near && x! <= box.right + near;
}

type Piece = [x0: number, y0: number, x1: number, y1: number];

const pieceAt = ({ points }: Scene, point: number) => points.subarray(2 * point, 2 * point + 4) as unknown as Piece;

/** Wires that run through ops or closed groups. */
export function wiresThroughBoxes(scene: Scene): string[] {
  const found: string[] = [];
  const boxes = Array.from(scene.nodes, (_, index) => boxOf(scene, index)).map((box) => ({
    ...{ left: box.left + near, top: box.top + near },
    ...{ right: box.right - near, bottom: box.bottom - near },
  }));
  for (let wire = 0; wire + 1 < scene.wires.length; ++wire) {
    for (let point = scene.wires[wire]!; point + 1 < scene.wires[wire + 1]!; ++point) {
      const [x0, y0, x1, y1] = pieceAt(scene, point);
      for (let box = scene.frames; box < boxes.length; ++box) {
        const { left, top, right, bottom } = boxes[box]!;
        const isBeside = (x0 <= left && x1 <= left) || (x0 >= right && x1 >= right);
        const isAbove = (y0 <= top && y1 <= top) || (y0 >= bottom && y1 >= bottom);
        if (isBeside || isAbove || !clips([x0, y0, x1, y1], boxes[box]!)) continue;
        found.push(`${wire} through ${scene.nodes[box]}`);
      }
    }
  }
  return found;
}

interface Stretch {
  wire: number;
  line: string; // the upright or level line on which it lies
  from: number;
  to: number;
}

/** Upright and level pieces of wires but for their first and last ones: at a box wires may come together. */
function stretchesOf(scene: Scene): Stretch[] {
  const { wires } = scene;
  const found: Stretch[] = [];
  for (let wire = 0; wire + 1 < wires.length; ++wire) {
    for (let point = wires[wire]! + 1; point + 2 < wires[wire + 1]!; ++point) {
      const [x0, y0, x1, y1] = pieceAt(scene, point);
      if (x0 === x1) found.push({ wire, line: `x ${x0}`, from: Math.min(y0, y1), to: Math.max(y0, y1) });
      if (y0 === y1) found.push({ wire, line: `y ${y0}`, from: Math.min(x0, x1), to: Math.max(x0, x1) });
    }
  }
  return found;
}

/** Wires that run on one another though they carry different values. */
export function wiresOnWires(graph: OpGraph, scene: Scene): string[] {
  const found: string[] = [];
  const valueOf = (wire: number) => graph.carries[scene.edges[scene.edgeStarts[wire]!]!];
  const lines = new Map<string, Stretch[]>();
  for (const stretch of stretchesOf(scene)) lines.set(stretch.line, [...(lines.get(stretch.line) ?? []), stretch]);
  for (const [line, stretches] of lines) {
    stretches.sort((a, b) => a.from - b.from);
    stretches.forEach((one, index) => {
      for (const next of stretches.slice(index + 1)) {
        const isOther = valueOf(one.wire) !== valueOf(next.wire);
        if (isOther && next.from < one.to - near) found.push(`${one.wire} and ${next.wire} on ${line}`);
      }
    });
  }
  return found;
}

/** Liang and Barsky. */
function clips([x0, y0, x1, y1]: Piece, { left, top, right, bottom }: Box): boolean {
  let [enter, leave] = [0, 1];
  const sides = [[x0 - x1, x0 - left], [x1 - x0, right - x0], [y0 - y1, y0 - top], [y1 - y0, bottom - y0]] as const;
  for (const [by, room] of sides) {
    if (by === 0 && room <= 0) return false;
    if (by < 0) enter = Math.max(enter, room / by);
    if (by > 0) leave = Math.min(leave, room / by);
  }
  return enter < leave;
}
