// SPDX-License-Identifier: Apache-2.0
// What became of each op of a plan, and how many there are of each kind: one count wherever ops are counted.
import type { Schemas } from "../api/client";
import { numberOf, objectOf } from "./loose";

export type Fate = "int8" | "float" | "otherwise" | "stored";

export const fateColumns = ["kind", "quantized", "precision", "reason"] as const;

function fateOf(isQuantized: boolean, precision: unknown, reason: unknown): Fate {
  if (!isQuantized) return "float";
  if (reason !== null && reason !== undefined && reason !== "") return "otherwise";
  return precision === "int8" || precision === "int16" || !precision ? "int8" : "stored";
}

/** Of each row of plan.ops; null: a constant, which computes nothing. */
export function fatesOf(table: Schemas["TablePage"]): (Fate | null)[] {
  const cells = (name: (typeof fateColumns)[number]) => table.columns[name] ?? [];
  const [quantized, precisions, reasons] = [cells("quantized"), cells("precision"), cells("reason")];
  return cells("kind").map((kind, row) => (kind === "constant" ? null : fateOf(quantized[row] === true, precisions[row], reasons[row])));
}

export interface OpCounts {
  all: number; // without constants
  int8: number; // that compute on codes
  float: number; // that were not quantized; those that are left run otherwise, or are stored in few bits
  constants: number; // NaN: not known
}

export function opCountsOf(fates: readonly (Fate | null)[]): OpCounts {
  const count = (wanted: Fate | null) => fates.filter((fate) => fate === wanted).length;
  const constants = count(null);
  return { all: fates.length - constants, int8: count("int8"), float: count("float"), constants };
}

/** As a run's result has them, which counts no constants either; null: it quantized nothing. */
export function toldOpCounts(result: unknown): OpCounts | null {
  const { ops_quantized, ops_float } = objectOf(result);
  const [int8, float] = [numberOf(ops_quantized), numberOf(ops_float)];
  return Number.isNaN(int8) ? null : { all: int8 + (float || 0), int8, float, constants: NaN };
}
