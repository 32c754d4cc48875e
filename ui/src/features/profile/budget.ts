// SPDX-License-Identifier: Apache-2.0
// What one run is made of, as a picture and as a table.
import type { Column } from "../../base/table";
import { budgetOf, type Budget } from "./model";
import { duration, sideNames } from "./said";
import type { Side, Times } from "./record";

export interface BudgetRow {
  label: string; // "Float", "Int8"
  name: string; // of the model's file
  side: Side;
  budget: Budget;
}

export function budgetRows(times: Times): BudgetRow[] {
  const names = sideNames(times);
  return [times.reference, ...(times.quantized ? [times.quantized] : [])].map((side, index) => ({
    label: times.quantized ? names[index]! : "Model",
    name: side.name,
    side,
    budget: budgetOf(side),
  }));
}

export type SliceKind = "kernels" | "conversions" | "layouts" | "outside" | "rest";

export interface Slice {
  kind: SliceKind;
  title: string;
  from: number;
  us: number;
}

export const titles: Record<SliceKind, string> = {
  kernels: "Kernels of ops",
  conversions: "Conversions",
  layouts: "Other layouts",
  outside: "Entering and leaving",
  rest: "Not explained",
};

const meanings: Record<SliceKind, string> = {
  kernels: "nodes that compute ops of the model",
  conversions: "quantizers and dequantizers",
  layouts: "reorders, transposes and casts that the runtime put in",
  outside: "entering and leaving the runtime",
  rest: "the run less all of these",
};

function partOf(budget: Budget, kind: SliceKind): number {
  if (kind === "outside" || kind === "rest") return budget[kind];
  return budget.parts[kind];
}

const kinds = Object.keys(titles) as SliceKind[];

/** One behind the other; what is below 0 has no place in a picture. */
export function slices(row: BudgetRow): Slice[] {
  const made: Slice[] = [];
  let from = 0;
  for (const kind of kinds) {
    const us = Math.max(0, partOf(row.budget, kind) || 0);
    if (us > 0) made.push({ kind, title: titles[kind], from, us });
    from += us;
  }
  return made;
}

export const shareColumns: readonly Column<BudgetRow>[] = [
  { id: "name", title: "Model", meaning: "file", of: (row) => row.name, show: (row) => row.name, first: "up", width: 200 },
  ...kinds.map((kind): Column<BudgetRow> => ({
    id: kind,
    title: `${titles[kind]} [us]`,
    meaning: meanings[kind],
    of: (row) => partOf(row.budget, kind),
    show: (row) => duration(partOf(row.budget, kind)),
    first: "down",
    width: 120,
  })),
];

/** What is known of the time of whole runs. */
export const wallLines: readonly [string, (side: Side) => string][] = [
  ["Median of single runs", (side) => duration(side.wall.median)],
  ["95 % interval of it", ({ wall }) => (wall.interval ? `${duration(wall.interval[0])} to ${duration(wall.interval[1])}` : "–")],
  ["P90, P95, P99", ({ wall }) => [wall.p90, wall.p95, wall.p99].map(duration).join(", ")],
  ["Runs, threads, batch", (side) => [side.wall.runs, side.threads || "–", side.batch || "–"].join(", ")],
  ["Nodes of the runtime alone", (side) => {
    const { made } = budgetOf(side);
    return made.nodes === 0 ? "none" : `${made.nodes}, ${duration(made.us)}`;
  }],
  ["Timer, taken off a node", (side) => (Number.isFinite(side.eventUs) && side.source === "quantlens" ? `${side.eventUs.toFixed(3)} us` : "–")],
];
