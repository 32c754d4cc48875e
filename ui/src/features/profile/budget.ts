// SPDX-License-Identifier: Apache-2.0
// What one run is made of, as a picture and as a table.
import { percent } from "../../base/numbers";
import type { Column } from "../../base/table";
import { timeText } from "../../base/durations";
import { budgetOf, type Budget } from "./model";
import { clockOf, sideNames, type Clock } from "./said";
import type { Side, Times } from "./record";

export interface BudgetRow {
  label: string; // "FP32", "INT8"; of one model empty
  name: string; // of the model's file
  side: Side;
  budget: Budget;
}

export function budgetRows(times: Times): BudgetRow[] {
  const names = sideNames(times);
  return [times.reference, ...(times.quantized ? [times.quantized] : [])].map((side, index) => ({
    label: times.quantized ? names[index]! : "",
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
  rest: "Not accounted for",
};

const meanings: Record<SliceKind, string> = {
  kernels: "nodes that compute ops of the model",
  conversions: "quantizers and dequantizers",
  layouts: "reorders, transposes and casts that the runtime put in",
  outside: "entering and leaving the runtime",
  rest: "the run less all of these; below 0 where they add up to more than a run",
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

/** All that the picture and the table tell, to be saved: a row a model. */
export const runColumns: readonly Column<BudgetRow>[] = [
  { id: "name", title: "Model", meaning: "file", of: (row) => row.name, show: (row) => row.name, first: "up", width: 200 },
  ...kinds.map((kind) => saved(kind, `${titles[kind]} [µs]`, (row) => partOf(row.budget, kind))),
  saved("wall", "Median [µs]", ({ side }) => side.wall.median),
  saved("low", "95 % from [µs]", ({ side }) => side.wall.interval?.[0] ?? NaN),
  saved("high", "95 % to [µs]", ({ side }) => side.wall.interval?.[1] ?? NaN),
  saved("p90", "P90 [µs]", ({ side }) => side.wall.p90),
  saved("p95", "P95 [µs]", ({ side }) => side.wall.p95),
  saved("p99", "P99 [µs]", ({ side }) => side.wall.p99),
  saved("mean", "Mean [µs]", ({ side }) => side.wall.mean),
  saved("runs", "Runs", ({ side }) => side.wall.runs),
  saved("threads", "Threads", ({ side }) => side.threads),
  saved("batch", "Batch", ({ side }) => side.batch),
  saved("made", "Nodes of the runtime alone", ({ budget }) => budget.made.nodes),
  saved("madeTime", "Their time [µs]", ({ budget }) => budget.made.us),
  saved("timer", "Timer, taken off each node [µs]", ({ side }) => side.eventUs),
];

function saved(id: string, title: string, of: (row: BudgetRow) => number): Column<BudgetRow> {
  return { id, title, meaning: "", of, show: (row) => String(of(row)), first: "down", width: 120 };
}

/** Of the table below the picture. */
export interface Line {
  title: string;
  meaning: string;
  show: (row: BudgetRow) => string;
  share?: (row: BudgetRow) => string; // of a run
}

export interface RunTable {
  clock: Clock;
  parts: Line[]; // they add up to a run, which is the last of them
  more: Line[]; // how runs were timed
}

export function runTable(rows: readonly BudgetRow[]): RunTable {
  const walls = rows.map((row) => row.budget.wall);
  const clock = clockOf(walls, 4);
  const show = clock.figure;
  const share = (us: number, row: BudgetRow) => percent(us / row.budget.wall, 1);
  const isMean = rows.every((row) => row.side.source !== "quantlens");
  const part = (kind: SliceKind): Line => ({
    title: titles[kind],
    meaning: meanings[kind],
    show: (row) => show(partOf(row.budget, kind)),
    share: (row) => share(partOf(row.budget, kind), row),
  });
  const whole: Line = {
    title: "One run",
    meaning: `${isMean ? "mean" : "median"} of single runs`,
    show: ({ budget }) => show(budget.wall),
    share: (row) => share(row.budget.wall, row),
  };
  const line = (title: string, meaning: string, of: (row: BudgetRow) => string): Line => ({ title, meaning, show: of });
  return {
    clock,
    parts: [...kinds.map(part), whole],
    more: [
      line("95 % interval", "of the median", ({ side: { wall } }) => (wall.interval ? wall.interval.map(show).join(" to ") : "–")),
      line("P90, P95, P99", "so many of 100 runs took no longer", ({ side: { wall } }) => [wall.p90, wall.p95, wall.p99].map(show).join(", ")),
      line("Runs, threads, batch", "runs that were timed; samples of one run", ({ side }) =>
        [side.wall.runs, side.threads || "–", side.batch || "–"].join(", ")),
      line("Nodes of the runtime alone", "which it made for no op of the model, and their time", ({ budget: { made } }) =>
        made.nodes === 0 ? "none" : `${made.nodes}, ${show(made.us)}`),
      line("Timer, taken off each node", "what it costs to read the clock behind a node", ({ side }) =>
        Number.isFinite(side.eventUs) && side.source === "quantlens" ? timeText(side.eventUs) : "–"),
    ],
  };
}
