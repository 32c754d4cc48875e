// SPDX-License-Identifier: Apache-2.0
// Which op of the quantized model stands for which of the reference, and with its figures.
import type { Schemas } from "../../api/client";
import type { OpGraph } from "../../graph/ops";
import type { Figures } from "./figures";

export const pairColumns = ["op.id", "quantized"] as const;

/** Of each op of one graph the op of the other one; -1: there is none. */
export interface Counterparts {
  toQuantized: Int32Array;
  toReference: Int32Array;
}

/** By equal ids: most ops are called as before; others by the pairs of values that were found. `figures`: of the reference. */
export function counterpartsOf(
  reference: OpGraph,
  quantized: OpGraph,
  pairs: Schemas["TablePage"] | null,
  figures: readonly Figures[],
): Counterparts {
  const [toQuantized, toReference] = [new Int32Array(reference.ids.length).fill(-1), new Int32Array(quantized.ids.length).fill(-1)];
  const places = new Map(reference.ids.map((id, op) => [id, op]));
  const join = (op: number | undefined, other: number | undefined) => {
    if (op === undefined || other === undefined) return;
    if (toQuantized[op]! < 0) toQuantized[op] = other;
    if (toReference[other]! < 0) toReference[other] = op;
  };
  quantized.ids.forEach((id, other) => {
    if (!isConversion(quantized, other)) join(places.get(id), other);
  });
  const makers = makersOf(quantized);
  const values = pairs?.columns["quantized"] ?? [];
  (pairs?.columns["op.id"] ?? []).forEach((id, row) => join(places.get(String(id)), makers.get(String(values[row]))));
  figures.forEach(({ owner }, op) => {
    if (owner >= 0 && toQuantized[op]! < 0) toQuantized[op] = toQuantized[owner]!;
  });
  return { toQuantized, toReference };
}

/** May be called as the value that it gives back. */
function isConversion({ kinds }: OpGraph, op: number): boolean {
  return kinds[op] === "quantize" || kinds[op] === "dequantize";
}

/** By value: the op that computes it, of codes the one whose result they are. */
function makersOf(graph: OpGraph): Map<string, number> {
  const made = new Map<number, number>(); // what a quantize reads
  graph.target.forEach((op, edge) => {
    if (graph.kinds[op] === "quantize" && graph.kinds[graph.source[edge]!] !== "constant") made.set(op, graph.source[edge]!);
  });
  return new Map(Array.from(graph.source, (op, edge) => [graph.values[graph.carries[edge]!]!.name, made.get(op) ?? op]));
}

/** Figures of the reference at the ops that stand for its ops; others keep their own, which say nothing. */
export function figuresAcross(own: readonly Figures[], figures: readonly Figures[], { toReference }: Counterparts): Figures[] {
  return own.map((empty, op) => {
    const from = figures[toReference[op]!];
    if (!from) return empty;
    const { id, name, type, dtype } = empty;
    return { ...from, id, name, type, dtype, owner: from.owner < 0 ? -1 : op };
  });
}
