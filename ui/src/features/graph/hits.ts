// SPDX-License-Identifier: Apache-2.0
// What a query has found, and in which groups.
import { compile, type Language } from "../../base/query";
import { isEnd, type OpGraph } from "../../graph/ops";
import type { Tree } from "../../graph/tree";
import type { Figures } from "./figures";
import { summed } from "./groups";

export interface Hits {
  error?: string;
  ops: number[]; // in the network's order
  counts: Int32Array | null; // of each node; null: nothing is asked for
}

export function hitsOf(query: string, language: Language<Figures>, all: readonly Figures[], graph: OpGraph, tree: Tree): Hits {
  const { holds, error } = compile(query, language);
  if (error !== undefined) return { error, ops: [], counts: null };
  if (query.trim() === "") return { ops: [], counts: null };
  const ops = all.flatMap((figures, op) => (holds(figures) && !isEnd(graph, op) ? [op] : []));
  const found = new Int32Array(tree.ops);
  for (const op of ops) found[boxOf(graph, op)]! += 1;
  return { ops, counts: Int32Array.from(summed(tree, (op) => found[op]!)) };
}

/** What hangs is found at its host. */
function boxOf({ host }: OpGraph, op: number): number {
  let at = op;
  while (host[at]! >= 0) at = host[at]!;
  return at;
}

/** The one behind an op in a list, or before it: first of all the first one. */
export function nextInTurn(ops: readonly number[], from: number, by: 1 | -1): number | undefined {
  const at = ops.indexOf(from);
  return at < 0 ? ops[0] : ops[(at + by + ops.length) % ops.length];
}

/** The next one, or the one before, from an op on; after the last one comes the first. */
export function nextHit(ops: readonly number[], from: number, by: 1 | -1): number | undefined {
  if (by === 1) return ops.find((op) => op > from) ?? ops[0];
  return ops.findLast((op) => op < from) ?? ops.at(-1);
}
