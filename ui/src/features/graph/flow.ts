// SPDX-License-Identifier: Apache-2.0
// The error that flows along edges, and where it goes from an op.
import { bucketsOf } from "../../graph/buckets";
import type { OpGraph } from "../../graph/ops";
import { readersOf, type Figures } from "./figures";

export interface Flow {
  sqnr: Float64Array; // of each edge, in dB; NaN: not known
  mse: Float64Array;
  isOwn: Uint8Array; // 1: the value was compared; 0: it has the figures of the worst compared value before it
}

/** Values that were not compared inherit: what an op reads tells how much error is in what it makes. */
export function flowOf(graph: OpGraph, figures: readonly Figures[]): Flow {
  const edges = graph.source.length;
  const flow: Flow = { sqnr: new Float64Array(edges).fill(NaN), mse: new Float64Array(edges).fill(NaN), isOwn: new Uint8Array(edges) };
  const before = worstBefore(graph, figures);
  for (let edge = 0; edge < edges; ++edge) {
    const op = graph.source[edge]!;
    if (!carriesReals(graph, edge)) continue;
    const own = figures[op]!;
    const from = own.owner >= 0 ? own : figures[before[op]!];
    if (!from) continue;
    [flow.sqnr[edge], flow.mse[edge], flow.isOwn[edge]] = [from.sqnr, from.mse, own.owner >= 0 ? 1 : 0];
  }
  return flow;
}

/** Of each op the op that has figures of what it makes: itself, else the worst of those that it reads; -1: none. Ops come in order. */
function worstBefore(graph: OpGraph, figures: readonly Figures[]): Int32Array {
  const from = Int32Array.from(figures, ({ owner }, op) => (owner >= 0 ? op : -1));
  for (const edge of byTarget(graph)) {
    const [source, target] = [graph.source[edge]!, graph.target[edge]!];
    if (figures[target]!.owner >= 0 || from[source]! < 0 || source >= target || !carriesReals(graph, edge)) continue;
    const known = figures[from[target]!];
    if (!known || figures[from[source]!]!.sqnr < known.sqnr) from[target] = from[source]!;
  }
  return from;
}

function byTarget({ ids, target }: OpGraph): Int32Array {
  return bucketsOf(target, ids.length).items;
}

/** Or codes of reals. Shapes and indices have no rounding in them. */
function carriesReals(graph: OpGraph, edge: number): boolean {
  return /^\?$|float|^u?int(4|8|16)$/.test(graph.values[graph.carries[edge]!]!.dtype);
}

export const flowBounds = [40, 30, 20, 10] as const; // dB, as boxes are coloured by SQNR

/** Of each op, whether error of these ops reaches it. */
export function reachedFrom(graph: OpGraph, ops: readonly number[]): Uint8Array {
  const reached = new Uint8Array(graph.ids.length);
  const readers = readersOf(graph);
  const waiting = [...ops];
  for (let op = waiting.pop(); op !== undefined; op = waiting.pop()) {
    if (reached[op] === 1) continue;
    reached[op] = 1;
    waiting.push(...readers[op]!);
  }
  return reached;
}
