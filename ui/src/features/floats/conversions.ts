// SPDX-License-Identifier: Apache-2.0
// Quantizers and dequantizers: those in the file, where the plan has borders between float and int8, and those that a profile
// saw run.
import type { Schemas } from "../../api/client";
import { real, type Real } from "../../base/numbers";
import type { Fate } from "../../base/op-counts";
import { languageOf, type Column } from "../../base/table";

export type Direction = "to int8" | "to float";

export interface Conversion {
  id: string; // op to be selected; empty: none
  name: string; // value, or node of the runtime
  direction: Direction;
  where: string; // between which ops
  shape: string;
  time: number; // microseconds; NaN: not measured
}

interface Op {
  id: string;
  name: string;
  inputs: readonly string[];
  outputs: readonly string[];
}

/** Who makes and who reads values of the reference. */
export class Links {
  private readonly makers = new Map<string, Op>();
  private readonly readers = new Map<string, Op[]>();

  constructor(ops: readonly Op[]) {
    for (const op of ops) {
      for (const value of op.outputs) this.makers.set(value, op);
      for (const value of new Set(op.inputs)) {
        const known = this.readers.get(value);
        if (known) known.push(op);
        else this.readers.set(value, [op]);
      }
    }
  }
  maker(value: string): Op | undefined {
    return this.makers.get(value);
  }
  readersOf(value: string): readonly Op[] {
    return this.readers.get(value) ?? [];
  }
}

const mostNamed = 3;

function between(from: Op | undefined, to: readonly Op[]): string {
  const names = to.slice(0, mostNamed).map((op) => op.name).join(", ");
  const more = to.length > mostNamed ? ` and ${to.length - mostNamed} more` : "";
  return `${from?.name ?? "input of the model"} → ${names ? names + more : "output of the model"}`;
}

/** Where a value with codes is made or read in float: a quantizer or a dequantizer has to run there. */
export function bordersOf(
  coded: ReadonlyMap<string, ReadonlySet<string> | null>, // values with codes, and ids of ops that read them; null: all do
  links: Links,
  fate: (id: string) => Fate | undefined,
  outputs: ReadonlySet<string>,
): Conversion[] {
  const isInt8 = (op: Op) => fate(op.id) === "int8";
  return [...coded].flatMap(([value, uses]): Conversion[] => {
    const from = links.maker(value);
    const all = links.readersOf(value).filter((op) => uses === null || uses.has(op.id));
    const row = { name: value, id: from?.id ?? "", shape: "", time: NaN };
    if (!from || !isInt8(from)) return [{ ...row, direction: "to int8", where: between(from, all.filter(isInt8)) }];
    const floats = all.filter((op) => !isInt8(op));
    return floats.length > 0 || outputs.has(value) ? [{ ...row, direction: "to float", where: between(from, floats) }] : [];
  });
}

/** Values with codes, of plan.json. */
export function codedOf(table: Schemas["TablePage"]): Map<string, Set<string> | null> {
  const [all, uses] = [table.columns["all_uses"] ?? [], table.columns["uses"] ?? []];
  return new Map(
    (table.columns["value"] ?? []).map((value, row) => {
      const list = Array.isArray(uses[row]) ? (uses[row] as { op?: string }[]) : [];
      return [String(value), all[row] === true ? null : new Set(list.map((use) => use.op ?? ""))];
    }),
  );
}

/** Those that ran, by a profile; the longest first. Nodes of the file are named after their values. */
export function ranOf(table: Schemas["TablePage"], links: Links): Conversion[] {
  const cells = (name: string) => table.columns[name] ?? [];
  const [roles, names, inputs, means, ops] = [cells("role"), cells("name"), cells("inputs"), cells("mean_us"), cells("ops")];
  const found: Conversion[] = [];
  roles.forEach((role, row) => {
    if (role !== "quantize" && role !== "dequantize") return;
    const own = Array.isArray(ops[row]) ? (ops[row] as { name?: string }[]) : [];
    const name = String(names[row] ?? "");
    const value = /^(.*)_(?:Dequantize|Quantize)Linear/.exec(own[0]?.name ?? name)?.[1] ?? "";
    const [maker, readers] = [links.maker(value), links.readersOf(value)];
    found.push({
      id: maker?.id ?? "",
      name,
      direction: role === "quantize" ? "to int8" : "to float",
      where: maker || readers.length > 0 ? between(maker, readers) : "",
      shape: Array.isArray(inputs[row]) ? String((inputs[row] as string[])[0] ?? "") : "",
      time: real(means[row] as Real),
    });
  });
  return found.sort((a, b) => (b.time || 0) - (a.time || 0));
}

export interface InFile {
  quantizers: number;
  dequantizers: number; // of activations
  ofWeights: number;
}

/** Nodes of the quantized file. */
export function countInFile(ops: Schemas["TablePage"], weights: ReadonlySet<string>): InFile {
  const [kinds, inputs] = [ops.columns["kind"] ?? [], ops.columns["inputs"] ?? []];
  const count: InFile = { quantizers: 0, dequantizers: 0, ofWeights: 0 };
  kinds.forEach((kind, row) => {
    const first = Array.isArray(inputs[row]) ? String((inputs[row] as string[])[0]) : "";
    if (kind === "quantize") ++count.quantizers;
    else if (kind === "dequantize") ++count[weights.has(first) ? "ofWeights" : "dequantizers"];
  });
  return count;
}

export const columns: readonly Column<Conversion>[] = [
  { id: "name", title: "Value or node", meaning: "what is converted", of: (row) => row.name, show: (row) => row.name, first: "up", width: 260 },
  { id: "direction", title: "Direction", meaning: "to codes or back", of: (row) => row.direction, show: (row) => row.direction, first: "up", width: 90 },
  { id: "time", title: "Time [µs]", meaning: "of one run", of: (row) => row.time, show: (row) => (Number.isNaN(row.time) ? "–" : row.time.toFixed(1)),
    first: "down", width: 104 },
  { id: "where", title: "Between", meaning: "ops before and behind it", of: (row) => row.where, show: (row) => row.where, first: "up", width: 360 },
  { id: "shape", title: "Reads", meaning: "type and shape", of: (row) => row.shape, show: (row) => row.shape, first: "up", width: 170 },
];

export const language = languageOf<Conversion>(
  (row) => row.name,
  [
    { names: ["direction"], meaning: "to codes or back", text: (row) => row.direction },
    { names: ["where"], meaning: "ops before and behind it", text: (row) => row.where },
    { names: ["shape"], meaning: "type and shape", text: (row) => row.shape },
  ],
  columns,
);
