// SPDX-License-Identifier: Apache-2.0
// Where arrow keys lead: down to what reads, up to what made, left and right to what lies beside.
import { boxOf, middleOf } from "../../graph/box";
import type { Plan } from "../../graph/scene";
import type { Shown } from "../../graph/shown";

export type Direction = "up" | "down" | "left" | "right";

/**
 * The next box from a box; the same where there is none. `from`: the box before this one: who turns round goes back to it,
 * and left and right lead to what else it reads, or what else reads it.
 */
export function walked(shown: Shown, box: number, direction: Direction, from: number): number {
  if (direction === "left" || direction === "right") return sideways(shown, box, direction, from);
  const next = alongEdges(shown, box, direction);
  return next.includes(from) ? from : (next[0] ?? box);
}

function sideways(shown: Shown, box: number, direction: "left" | "right", from: number): number {
  const row = siblings(shown, box, from);
  const next = row[row.indexOf(box) + (direction === "left" ? -1 : 1)];
  return next ?? (row.length > 1 ? box : (beside(shown.scene, box, direction)[0] ?? box));
}

/** What reads the box before, or what it reads, where that is how one came: as they lie from left to right. */
export function siblings(shown: Shown, box: number, from: number): number[] {
  if (from < 0) return [];
  const row = [alongEdges(shown, from, "down"), alongEdges(shown, from, "up")].find((all) => all.includes(box)) ?? [];
  const { boxes } = shown.scene;
  return row.sort((one, other) => boxes[4 * one]! - boxes[4 * other]! || boxes[4 * one + 1]! - boxes[4 * other + 1]! || one - other);
}

/** Boxes at the other end of its edges, the nearest one first. Of a frame: what enters it, or leaves it. */
function alongEdges(shown: Shown, box: number, direction: "up" | "down"): number[] {
  const { source, target } = shown.graph;
  const [own, other] = direction === "down" ? [source, target] : [target, source];
  const found = new Set<number>();
  for (let edge = 0; edge < own.length; ++edge) {
    if (!holds(shown, box, own[edge]!)) continue;
    const next = shown.of(other[edge]!);
    if (next >= 0 && next !== box && !holds(shown, box, other[edge]!)) found.add(next);
  }
  return byDistance(shown.scene, box, [...found]);
}

function holds(shown: Shown, box: number, op: number): boolean {
  const at = shown.of(op);
  if (at === box || !shown.isFrame(box)) return at === box;
  const frame = shown.scene.nodes[box]!;
  for (let group = shown.tree.parent[op]!; group > shown.tree.ops; group = shown.tree.parent[group]!) if (group === frame) return true;
  return false;
}

function byDistance(scene: Plan, box: number, all: readonly number[]): number[] {
  const at = middleOf(boxOf(scene.boxes, box));
  const far = (one: number) => {
    const { x, y } = middleOf(boxOf(scene.boxes, one));
    return Math.hypot(x - at.x, y - at.y);
  };
  return all.map((one) => [one, far(one)] as const).sort((one, other) => one[1] - other[1] || one[0] - other[0]).map(([one]) => one);
}

/** Ops and closed groups at its height, the nearest one first. */
function beside(scene: Plan, box: number, direction: "left" | "right"): number[] {
  const { boxes, frames, nodes } = scene;
  const own = boxOf(boxes, box);
  const at = middleOf(own);
  const found: number[] = [];
  for (let one = frames; one < nodes.length; ++one) {
    const other = boxOf(boxes, one);
    const middle = middleOf(other);
    const isBeside = direction === "left" ? middle.x < at.x : middle.x > at.x;
    if (one !== box && isBeside && Math.abs(middle.y - at.y) <= Math.max(own.height, other.height)) found.push(one);
  }
  return byDistance(scene, box, found);
}
