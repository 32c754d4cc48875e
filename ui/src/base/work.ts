// SPDX-License-Identifier: Apache-2.0
// Multiplications, each with its addition, of ops of one sample: counted from the shapes that graph.json tells, as a tuning
// counts them from what it runs.
import type { Schemas } from "../api/client";

type Extent = number | string; // a name of the file, or "?"
export type Shapes = ReadonlyMap<string, readonly Extent[] | null>; // null: not even the rank is known

/** "[N,3,?]" */
export function extentsOf(shape: string): Extent[] | null {
  const found = /^\[(.*)\]$/.exec(shape.trim());
  if (!found) return null;
  const inside = found[1]!.trim();
  return inside === "" ? [] : inside.split(",").map((part) => (/^\d+$/.test(part.trim()) ? Number(part) : part.trim()));
}

export interface OutlineOp {
  id: string;
  kind: string;
  inputs: readonly string[];
  outputs: readonly string[];
  roles: unknown;
}

export interface Work {
  count: number; // multiply-adds; NaN: the shapes do not tell
  isLoose: boolean; // extents that the file gives a name only (a length of text) count as 1
}

interface Roles {
  is?: string;
  operands?: { data?: number; weight?: number; recurrent?: number };
  output_axis?: number;
  input_axis?: number;
  transposes_a?: boolean;
  transposes_b?: boolean;
}

const nothing: Work = { count: NaN, isLoose: false };

/** Product of extents; those of the batch and those that have no number count as 1. */
function elements(shape: readonly Extent[] | null | undefined, batch: string | null): Work {
  if (!shape) return nothing;
  let [count, isLoose] = [1, false];
  for (const extent of shape) {
    if (typeof extent === "number") count *= extent;
    else isLoose ||= extent !== batch;
  }
  return { count, isLoose };
}

function times(work: Work, factor: number | string | undefined): Work {
  if (typeof factor === "number") return { ...work, count: work.count * factor };
  return factor === undefined ? nothing : { ...work, isLoose: true };
}

function workOfOp(op: OutlineOp, shapes: Shapes, batch: string | null): Work {
  const roles = (op.roles && typeof op.roles === "object" ? op.roles : {}) as Roles;
  const shapeOf = (input: number | undefined) => shapes.get(op.inputs[input ?? -1] ?? "");
  const [data, weight] = [shapeOf(roles.operands?.data ?? 0), shapeOf(roles.operands?.weight ?? 1)];
  const result = elements(shapes.get(op.outputs[0] ?? ""), batch);
  switch (op.kind) {
    case "conv":
    case "conv_transpose": {
      const isTransposed = op.kind === "conv_transpose";
      const channels = weight?.[(isTransposed ? roles.input_axis : roles.output_axis) ?? (isTransposed ? 1 : 0)];
      const all = elements(weight, null);
      if (typeof channels !== "number" || channels === 0 || all.isLoose) return nothing;
      return times(isTransposed ? elements(data, batch) : result, all.count / channels);
    }
    case "gemm":
    case "matmul": {
      const inner = weight ? weight[weight.length - (roles.transposes_b || weight.length === 1 ? 1 : 2)] : undefined;
      return times(result, inner ?? data?.[data.length - (roles.transposes_a && data.length > 1 ? 2 : 1)]);
    }
    case "recurrent": {
      const inputs = weight?.[roles.input_axis ?? 2];
      const [own, again] = [elements(weight, null), elements(shapeOf(roles.operands?.recurrent ?? 2), null)];
      return typeof inputs === "number" && inputs > 0 ? times(elements(data, batch), (own.count + again.count) / inputs) : nothing;
    }
    default:
      return nothing;
  }
}

/** Of the ops that multiply; others are not there. */
export function workOf(ops: readonly OutlineOp[], shapes: Shapes, batch: string | null): Map<string, Work> {
  const found = new Map<string, Work>();
  for (const op of ops) {
    const work = workOfOp(op, shapes, batch);
    if (!Number.isNaN(work.count)) found.set(op.id, work);
  }
  return found;
}

export function sumOf(all: Iterable<Work>): Work {
  let [count, isLoose] = [0, false];
  for (const work of all) {
    count += work.count;
    isLoose ||= work.isLoose;
  }
  return { count, isLoose };
}

/** "12.3 M" */
export function shownWork(count: number): string {
  if (!Number.isFinite(count)) return "–";
  const steps: [number, string][] = [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const [size, unit] = steps.find(([least]) => count >= least) ?? [1, ""];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}

/** Shapes by name, of tables of values. */
export function shapesOf(tables: readonly (Schemas["TablePage"] | null)[]): Map<string, Extent[] | null> {
  const shapes = new Map<string, Extent[] | null>();
  for (const table of tables) {
    const texts = table?.columns["shape"] ?? [];
    (table?.columns["name"] ?? []).forEach((name, row) => shapes.set(String(name), extentsOf(String(texts[row] ?? ""))));
  }
  return shapes;
}

/** What the first input calls its first extent. */
export function batchOf(inputs: Schemas["TablePage"] | null): string | null {
  const first = extentsOf(String(inputs?.columns["shape"]?.[0] ?? ""))?.[0];
  return typeof first === "string" ? first : null;
}

export function outlineOf(table: Schemas["TablePage"]): OutlineOp[] {
  const cells = (name: string) => table.columns[name] ?? [];
  const [kinds, inputs, outputs, roles] = [cells("kind"), cells("inputs"), cells("outputs"), cells("roles")];
  const list = (cell: unknown) => (Array.isArray(cell) ? (cell as string[]) : []);
  return cells("op").map((id, row) => ({
    id: String(id), kind: String(kinds[row] ?? ""), inputs: list(inputs[row]), outputs: list(outputs[row]), roles: roles[row],
  }));
}
