// SPDX-License-Identifier: Apache-2.0
// What is known of each op: figures of its error, its precision, its time.
import type { Schemas } from "../../api/client";
import { comparedLanguage, comparedOf, type Compared } from "../../base/compared";
import { numberOf, textOf } from "../../base/loose";
import type { Language } from "../../base/query";
import { remembered } from "../../graph/known";
import type { OpGraph } from "../../graph/ops";

/** Figures of a compared row stand at all ops of its pattern; what is added up, at the first of them alone. */
export interface Figures extends Compared {
  owner: number; // the op whose row it is; -1: it was not compared
  precision: string; // words of the plan; empty: not known
  reason: string; // why it stayed float
  dtype: string; // of what it makes
  time: number; // microseconds of a run; NaN: not known
}

export interface Planned {
  precision: string;
  reason: string;
}

export const planColumns = ["op.id", "precision", "reason"] as const;

export function plansOf(table: Schemas["TablePage"]): Map<string, Planned> {
  const cells = (name: (typeof planColumns)[number]) => table.columns[name] ?? [];
  const [precisions, reasons] = [cells("precision"), cells("reason")];
  return new Map(cells("op.id").map((id, row) => [String(id), { precision: textOf(precisions[row]), reason: textOf(reasons[row]) }]));
}

const nothing = comparedOf({ rows: 1, offset: 0, count: 1, columns: { "op.id": [""] } })[0]!;

export interface Known {
  compared: readonly Compared[];
  plans: ReadonlyMap<string, Planned>;
  times: ReadonlyMap<string, number>;
}

export const nothingKnown: Known = { compared: [], plans: new Map(), times: new Map() };

export function figuresOf(graph: OpGraph, { compared, plans, times }: Known): Figures[] {
  const makes = dtypesOf(graph);
  const figures: Figures[] = graph.ids.map((id, op) => ({
    ...nothing, id, name: graph.names[op]!, type: graph.types[op]!, owner: -1, precision: plans.get(id)?.precision ?? "",
    reason: plans.get(id)?.reason ?? "", dtype: makes[op]!, time: times.get(id) ?? NaN,
  }));
  const places = new Map(graph.ids.map((id, op) => [id, op]));
  const next = readersOf(graph);
  for (const row of compared) {
    const op = places.get(row.id);
    if (op === undefined) continue;
    const known = figures[op]!;
    if (known.owner === op && !(row.sqnr < known.sqnr)) continue; // of several values of an op the worst
    for (const [index, member] of membersOf(op, row.pattern.split(" "), graph, next).entries()) {
      const own = figures[member]!;
      if (index > 0 && own.owner === member) continue;
      const { id, name, type } = own;
      Object.assign(own, row, { id, name, type, owner: op }, index > 0 && { share: NaN });
    }
  }
  addOutputs(graph, compared, figures);
  return figures;
}

/** Outputs of the network have the figures of their values. */
function addOutputs(graph: OpGraph, compared: readonly Compared[], figures: readonly Figures[]): void {
  const outputs = new Map<string, number[]>(); // by value
  graph.kinds.forEach((kind, op) => {
    const edge = kind === "output" ? graph.target.indexOf(op) : -1;
    if (edge < 0) return;
    const { name } = graph.values[graph.carries[edge]!]!;
    remembered(outputs, name, () => []).push(op);
  });
  for (const row of compared) {
    for (const op of outputs.get(row.value) ?? []) {
      const { id, name, type } = figures[op]!;
      Object.assign(figures[op]!, row, { id, name, type, owner: -1, share: NaN });
    }
  }
}

function dtypesOf(graph: OpGraph): string[] {
  const dtypes = graph.ids.map(() => "");
  graph.source.forEach((op, edge) => (dtypes[op] ||= graph.values[graph.carries[edge]!]!.dtype));
  return dtypes;
}

/** Of each op the ops that read it. */
export function readersOf({ ids, source, target }: OpGraph): number[][] {
  const readers: number[][] = ids.map(() => []);
  source.forEach((op, edge) => readers[op]!.push(target[edge]!));
  return readers;
}

/** The ops of a pattern, from the first one on, as far as each reads the one before it. */
function membersOf(first: number, types: readonly string[], graph: OpGraph, readers: readonly number[][]): number[] {
  const members = [first];
  for (const type of types.slice(1)) {
    const next = readers[members.at(-1)!]!.find((reader) => graph.types[reader] === type);
    if (next === undefined) break;
    members.push(next);
  }
  return members;
}

export function languageOf(): Language<Figures> {
  return comparedLanguage<Figures>([
    { names: ["precision"], meaning: "what it is computed in", text: ({ precision }) => precision },
    { names: ["reason"], meaning: "why it stayed float", text: ({ reason }) => reason },
    { names: ["dtype"], meaning: "of what it makes", text: ({ dtype }) => dtype },
    { names: ["time"], meaning: "microseconds of a run", number: ({ time }) => time },
  ]);
}

/** Microseconds of nodes of a single model, by op. */
export function nodeTimesOf(table: Schemas["TablePage"]): Map<string, number> {
  const times = new Map<string, number>();
  const means = table.columns["mean_us"] ?? [];
  (table.columns["ops"] ?? []).forEach((ops, row) => {
    const first: unknown = Array.isArray(ops) ? ops[0] : undefined;
    const id = textOf((first as { id?: unknown } | undefined)?.id);
    const mean = numberOf(means[row]);
    if (id !== "" && !Number.isNaN(mean)) times.set(id, (times.get(id) ?? 0) + mean);
  });
  return times;
}
