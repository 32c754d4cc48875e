// SPDX-License-Identifier: Apache-2.0
// The compared values of a network in the order in which it computes them, and where its error is born.
import type { Schemas } from "../../api/client";
import { decibels, percent } from "../../base/numbers";
import type { Column } from "../../base/table";
import type { Compared } from "../../base/compared";

/** An op of the graph, in the file's order, which is one of execution. */
export interface GraphOp {
  id: string;
  name: string;
  type: string;
  kind: string;
  inputs: readonly string[];
  outputs: readonly string[];
}

export const graphColumns = ["op", "name", "type", "kind", "inputs", "outputs"] as const;

export function graphOf(table: Schemas["TablePage"]): GraphOp[] {
  const cells = (name: (typeof graphColumns)[number]) => table.columns[name] ?? [];
  const [names, types, kinds, inputs, outputs] = [cells("name"), cells("type"), cells("kind"), cells("inputs"), cells("outputs")];
  const list = (cell: unknown) => (Array.isArray(cell) ? (cell as string[]) : []);
  return cells("op").map((id, row) => ({
    id: String(id),
    name: String(names[row] ?? id),
    type: String(types[row] ?? ""),
    kind: String(kinds[row] ?? ""),
    inputs: list(inputs[row]),
    outputs: list(outputs[row]),
  }));
}

export type Part = "born" | "inherited" | "";

/** What tells ops that make error from those that only have it; said in the legend. */
export const limits = { share: 0.05, some: 0.01, drop: 3, good: 30, low: 20, own: 10 } as const;

export const told = {
  born:
    `≥ ${percent(limits.share)} of the outputs' error begins at the op, or ≥ ${percent(limits.some)} where SQNR falls by ` +
    `≥ ${limits.drop} dB to below ${limits.good} dB and local SQNR is less than ${limits.own} dB above`,
  inherited: `SQNR below ${limits.low} dB, but local SQNR ≥ ${limits.own} dB above it: the error comes from before`,
} as const;

export function partOf(op: Pick<Compared, "sqnr" | "drop" | "local" | "share">): Part {
  if (op.share >= limits.share) return "born";
  const isOfOthers = op.local >= op.sqnr + limits.own; // never where the local error is not known
  if (op.drop >= limits.drop && op.sqnr < limits.good && !isOfOthers && !(op.share < limits.some)) return "born";
  if (!(op.sqnr < limits.low)) return "";
  return isOfOthers || (Number.isNaN(op.local) && !(op.drop >= 1)) ? "inherited" : "";
}

/** A compared value at its place. */
export interface Step extends Compared {
  place: number; // of its op in the graph; -1: an input of the model, or not in the graph
  part: Part;
}

/** In the order in which the network makes the values; inputs of the model first. */
export function stepsOf(ops: readonly Compared[], graph: readonly GraphOp[]): Step[] {
  const place = new Map(graph.map((op, index) => [op.id, index]));
  const maker = new Map<string, number>();
  graph.forEach((op, index) => op.outputs.forEach((value) => maker.set(value, index)));
  const last = graph.length;
  const made = (op: Compared) => maker.get(op.value) ?? place.get(op.id) ?? (op.type === "Input" ? -1 : last);
  return ops
    .map((op, index) => ({ op, index, at: made(op) }))
    .sort((a, b) => a.at - b.at || a.index - b.index)
    .map(({ op, at }) => ({ ...op, place: place.get(op.id) ?? (at < last ? at : -1), part: partOf(op) }));
}

const withUnit = (value: number) => (Number.isNaN(value) ? "–" : `${decibels(value)} dB`);

/** What people are told of a step, the name apart. */
export function figuresOf(step: Step): [string, string][] {
  const span = step.sqnrInterval;
  return [
    ["SQNR", `${withUnit(step.sqnr)}${span ? ` (${decibels(span[0])} to ${decibels(span[1])})` : ""}`],
    ["Drop", withUnit(step.drop)],
    ["Local SQNR", withUnit(step.local)],
    ["Output share", percent(step.share, 1)],
  ];
}

export const partNames: Record<Part, string> = { born: "error is born here", inherited: "error comes from before", "": "" };

export function sentenceOf(step: Step): string {
  const figures = figuresOf(step).map(([name, text]) => `${name} ${text}`);
  return `${step.name}, ${step.type}: ${[...figures, ...(step.part === "" ? [] : [partNames[step.part]])].join(", ")}`;
}

export const columns: readonly Column<Step & { number: number }>[] = [
  column("number", "Number", (step) => step.number),
  column("name", "Op", (step) => step.name),
  column("type", "Type", (step) => step.type),
  column("value", "Value", (step) => step.value),
  column("sqnr", "SQNR [dB]", (step) => step.sqnr),
  column("low", "SQNR low [dB]", (step) => step.sqnrInterval?.[0] ?? NaN),
  column("high", "SQNR high [dB]", (step) => step.sqnrInterval?.[1] ?? NaN),
  column("drop", "SQNR drop [dB]", (step) => step.drop),
  column("local", "Local SQNR [dB]", (step) => step.local),
  column("share", "Output share", (step) => step.share),
  column("part", "Told as", (step) => partNames[step.part]),
];

function column(id: string, title: string, of: (step: Step & { number: number }) => number | string): Column<Step & { number: number }> {
  return { id, title, meaning: title, of, show: (step) => String(of(step)), first: "up", width: 0 };
}
