// SPDX-License-Identifier: Apache-2.0
// The record graph.json as ops and the edges between them.
import type { Schemas } from "../../api/client";
import { hostsOf } from "../../graph/hosts";
import { remembered } from "../../graph/known";
import type { OpGraph, Value } from "../../graph/ops";

type Table = Schemas["TablePage"];

export interface Tables {
  ops: Table;
  values: Table;
  inputs: Table;
  outputs: Table;
}

export type Record = "graph" | "graph_quantized";

export const opColumns = ["op", "name", "type", "kind", "scope", "inputs", "outputs"] as const;
export const valueColumns = ["name", "dtype", "shape"] as const;

/** Ids of the boxes that stand for outputs of the network; those of inputs are their names, as in tables of figures. */
export const outputId = (name: string): string => `output:${name}`;

interface Draft {
  ids: string[];
  names: string[];
  types: string[];
  kinds: string[];
}

export function graphOf(tables: Tables): OpGraph {
  const { ops, inputs, outputs } = tables;
  const texts = (table: Table, column: string) => (table.columns[column] ?? []).map(String);
  const [inputNames, outputNames] = [texts(inputs, "name"), texts(outputs, "name")];
  const draft: Draft = { ids: [], names: [], types: [], kinds: [] };
  addEnds(draft, inputNames, "Input", (name) => name);
  const first = inputNames.length;
  const ids = texts(ops, "op");
  draft.ids.push(...ids);
  draft.names.push(...namesOf(ids, texts(ops, "name"), texts(ops, "scope")));
  draft.types.push(...texts(ops, "type"));
  draft.kinds.push(...texts(ops, "kind"));
  addEnds(draft, outputNames, "Output", outputId);
  const wiring = new Wiring(ids, texts(ops, "scope"), valuesOf(tables));
  inputNames.forEach((name, index) => wiring.make("", name, index));
  listsOf(ops, "outputs").forEach((made, op) => made.forEach((name) => wiring.make(wiring.scopes[op]!, name, first + op)));
  listsOf(ops, "inputs").forEach((read, op) => read.forEach((name) => wiring.read(wiring.scopes[op]!, name, first + op)));
  outputNames.forEach((name, index) => wiring.read("", name, first + ids.length + index));
  const graph = { ...draft, ...wiring.done() };
  return { ...graph, host: hostsOf(graph) };
}

/** Those in bodies lie below the name of the op that holds the body. */
function namesOf(ids: readonly string[], names: readonly string[], scopes: readonly string[]): string[] {
  const whole = new Map<string, string>();
  return names.map((name, op) => {
    const holder = scopes[op] ? whole.get(scopes[op]) : undefined;
    const own = holder === undefined ? name : `${holder}/${name}`;
    whole.set(ids[op]!, own);
    return own;
  });
}

/** In no scope, whatever they are called. */
function addEnds(draft: Draft, names: readonly string[], type: "Input" | "Output", idOf: (name: string) => string): void {
  for (const name of names) {
    draft.ids.push(idOf(name));
    draft.names.push(name.replace(/[/.]/g, "_"));
    draft.types.push(type);
    draft.kinds.push(type.toLowerCase());
  }
}

function listsOf(table: Table, column: string): string[][] {
  const named = (list: string[]) => (list.includes("") ? list.filter((name) => name !== "") : list);
  return (table.columns[column] ?? []).map((cell) => (Array.isArray(cell) ? named(cell as string[]) : []));
}

/** By name, those of the network's ends before others. */
function valuesOf({ values, inputs, outputs }: Tables): (name: string) => Value | undefined {
  const tables = [values, inputs, outputs];
  const places = new Map<string, number>(); // row and table as one number
  tables.forEach(({ columns }, table) => (columns["name"] ?? []).forEach((cell, row) => places.set(String(cell), tables.length * row + table)));
  return (name) => {
    const place = places.get(name);
    if (place === undefined) return undefined;
    const { columns } = tables[place % tables.length]!;
    const text = (column: string) => String(columns[column]?.[Math.floor(place / tables.length)] ?? "?");
    return { name, dtype: text("dtype"), shape: text("shape") };
  };
}

interface Made {
  op: number;
  value: number; // its position; -1: no edge has carried it so far
}

/** Names of values are those of the scope in which an op lies, else of the scopes around it. */
class Wiring {
  private readonly made = new Map<string, Map<string, Made>>(); // by scope and name
  private readonly outer: Map<string, string>; // of each scope the one around it
  private readonly values: Value[] = [];
  private readonly source: number[] = [];
  private readonly target: number[] = [];
  private readonly carries: number[] = [];

  constructor(
    ids: readonly string[],
    readonly scopes: readonly string[],
    private readonly known: (name: string) => Value | undefined,
  ) {
    const inside = new Set(scopes);
    this.outer = new Map(ids.flatMap((id, op) => (inside.has(id) ? [[id, scopes[op]!]] : [])));
  }

  make(scope: string, name: string, op: number): void {
    remembered(this.made, scope, () => new Map<string, Made>()).set(name, { op, value: -1 });
  }

  read(scope: string, name: string, op: number): void {
    for (let at: string | undefined = scope; at !== undefined; at = at === "" ? undefined : (this.outer.get(at) ?? "")) {
      const made = this.made.get(at)?.get(name);
      if (!made) continue;
      if (made.value < 0) made.value = this.values.push((at === "" && this.known(name)) || { name, dtype: "?", shape: "?" }) - 1;
      this.source.push(made.op);
      this.target.push(op);
      this.carries.push(made.value);
      return;
    }
  }

  done(): Pick<OpGraph, "source" | "target" | "carries" | "values"> {
    const { source, target, carries, values } = this;
    return { source: Int32Array.from(source), target: Int32Array.from(target), carries: Int32Array.from(carries), values };
  }
}
