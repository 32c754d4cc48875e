// SPDX-License-Identifier: Apache-2.0
// Times of ops in both models, from a profile of just these two files that the workspace has.
import type { Schemas } from "../api/client";
import { real, type Real } from "./numbers";

type Models = Schemas["ShownRun"]["models"];

/** Ops that both runtimes compute as a unit; microseconds of one run. */
export interface UnitTime {
  ops: { id: string; name: string }[];
  type: string;
  reference: number;
  kernels: number;
  conversions: number;
  layouts: number;
  gain: number; // of int8; below 0: it is slower
  isQuantized: boolean;
}

export interface Timed {
  run: string; // the profile
  units: UnitTime[];
  referenceWall: number; // microseconds of a whole run
  quantizedWall: number;
}

function hashes(models: Models, roles: readonly string[]): Set<string> {
  return new Set(models.filter((model) => roles.includes(model.role) && model.sha256 !== "").map((model) => model.sha256));
}

/** Profiles of two models that are these, the newest first. */
export function matching(models: Models, runs: readonly Schemas["ListedRun"][]): Schemas["ListedRun"][] {
  const [references, quantized] = [hashes(models, ["reference", "edited"]), hashes(models, ["quantized"])];
  const has = (run: Schemas["ListedRun"], role: string, wanted: Set<string>) =>
    run.models.some((model) => model.role === role && wanted.has(model.sha256));
  return runs
    .filter((run) => run.verb === "profile" && run.state === "success" && has(run, "reference", references) && has(run, "quantized", quantized))
    .sort((a, b) => b.created.localeCompare(a.created));
}

export function unitsOf(table: Schemas["TablePage"]): UnitTime[] {
  const cells = (name: string) => table.columns[name] ?? [];
  const number = (name: string) => {
    const all = cells(name);
    return (row: number) => real(all[row] as Real);
  };
  const [types, quantized] = [cells("type"), cells("quantized")];
  const [reference, kernels, conversions] = [number("reference_us"), number("quantized_us"), number("conversion_us")];
  const [layouts, gain] = [number("layout_us"), number("gain_us")];
  return cells("ops").map((ops, row) => ({
    ops: Array.isArray(ops) ? (ops as UnitTime["ops"]) : [],
    type: String(types[row] ?? ""),
    reference: reference(row),
    kernels: kernels(row),
    conversions: conversions(row),
    layouts: layouts(row),
    gain: gain(row),
    isQuantized: quantized[row] === true,
  }));
}

export const unitColumns = ["ops", "type", "reference_us", "quantized_us", "conversion_us", "layout_us", "gain_us", "quantized"] as const;
