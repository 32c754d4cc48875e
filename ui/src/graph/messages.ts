// SPDX-License-Identifier: Apache-2.0
// What page and worker tell each other: one answer to each request, in their order.
import type { Sizes } from "./layout";
import type { Outline } from "./outline";
import type { Scene } from "./scene";
import type { Tree } from "./tree";

export type Request = { graph: Outline } | { sizes: Sizes; open: readonly number[] };

/** A tree whose children are one list: thousands of small ones take long to send. */
export interface SentTree extends Omit<Tree, "children"> {
  starts: Int32Array; // of group - ops, and one more: the end
  items: Int32Array;
}

export type Answer = { tree: SentTree } | { scene: Scene } | { problem: string };

export function sentTree({ children, ...tree }: Tree): SentTree {
  const starts = new Int32Array(children.length + 1);
  children.forEach((inner, group) => (starts[group + 1] = starts[group]! + inner.length));
  const items = new Int32Array(starts[children.length]!);
  children.forEach((inner, group) => items.set(inner, starts[group]));
  return { ...tree, starts, items };
}

export function receivedTree({ starts, items, ...tree }: SentTree): Tree {
  return { ...tree, children: tree.labels.map((_, group) => items.subarray(starts[group], starts[group + 1])) };
}
