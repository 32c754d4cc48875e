// SPDX-License-Identifier: Apache-2.0
// Figures of groups, from those of the ops in them.
import type { Tree } from "../../graph/tree";

/** Of each node the sum over its ops. */
export function summed(tree: Tree, ofOp: (op: number) => number): Float64Array {
  return gathered(tree, ofOp, (sum, one) => sum + one, 0);
}

/** Of each node the greatest figure of its ops; NaN: none of them has one. */
export function greatest(tree: Tree, ofOp: (op: number) => number): Float64Array {
  return gathered(tree, ofOp, (most, one) => (one > most || Number.isNaN(most) ? one : most), NaN);
}

function gathered(tree: Tree, ofOp: (op: number) => number, join: (all: number, one: number) => number, start: number): Float64Array {
  const found = new Float64Array(tree.parent.length).fill(start);
  for (let op = 0; op < tree.ops; ++op) found[op] = ofOp(op);
  for (let group = found.length - 1; group >= tree.ops; --group) {
    for (const child of tree.children[group - tree.ops]!) {
      const one = found[child]!;
      if (!Number.isNaN(one)) found[group] = join(found[group]!, one);
    }
  }
  return found;
}

/** The groups around a node, the innermost first; the root is none. */
export function around(tree: Tree, node: number): number[] {
  const found: number[] = [];
  for (let group = tree.parent[node]!; group > tree.ops; group = tree.parent[group]!) found.push(group);
  return found;
}
