// SPDX-License-Identifier: Apache-2.0
// Times as people read them, and what is said of a profile.
import { percent } from "../../base/numbers";
import { amount, budgetOf, opName, type Budget } from "./model";
import type { Side, Times } from "./record";

/** "Conv x12 + Add": types in the order of their first use. */
export function counted(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, times]) => (times === 1 ? type : `${type} x${times}`)).join(" + ");
}

/** "812 us", "1.24 ms", "2.30 s". */
export function duration(us: number): string {
  if (!Number.isFinite(us)) return "–";
  const size = Math.abs(us);
  const sign = us < 0 ? "−" : "";
  if (size >= 1e6) return `${sign}${(size / 1e6).toFixed(2)} s`;
  if (size >= 1e4) return `${sign}${(size / 1e3).toFixed(1)} ms`;
  if (size >= 1e3) return `${sign}${(size / 1e3).toFixed(2)} ms`;
  return `${sign}${size >= 100 ? size.toFixed(0) : size.toFixed(size >= 10 ? 1 : 2)} us`;
}

/** A duration at a mark of an axis: "50 us". */
export function markText(us: number): string {
  return us === 0 ? "0" : duration(us).replace(/(\.\d*?)0+ /, (_, digits: string) => `${digits === "." ? "" : digits} `);
}

/** "1.52×"; nothing where either time is not known. */
export function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : "–";
}

function nodesText(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}

/** How a model was timed, and what its timers cost. */
export function howTimed(side: Side): string {
  const { wall, threads } = side;
  if (wall.runs === 0) return `No whole run is told of; ${nodesText(side.nodes.length)} take ${duration(side.nodesUs)}.`;
  if (side.source !== "quantlens") {
    const run = `One run takes ${duration(wall.mean)} (mean of ${wall.runs}; p95 ${duration(wall.p95)}).`;
    return `${run} Taken by ${side.source === "onnxruntime" ? "ONNX Runtime" : "TensorFlow"}: the cost of its profiler is in the figures.`;
  }
  const between = wall.interval ? `, 95 % ${duration(wall.interval[0])} to ${duration(wall.interval[1])}` : "";
  const on = threads > 0 ? `, ${threads} thread${threads === 1 ? "" : "s"}` : "";
  const off = Number.isFinite(side.eventUs) ? ` ${side.eventUs.toFixed(3)} us for its timer is taken off each node.` : "";
  return `One run takes ${duration(wall.median)} (median of ${wall.runs}${between}; p95 ${duration(wall.p95)}${on}).${off}`;
}

const much = 0.1; // of a run: as the command line says it

/** Where so much is not explained that the nodes' times are in doubt; empty where that is so of no model. */
export function doubtOf(sides: readonly { label: string; budget: Budget }[]): string {
  const said = sides.flatMap(({ label, budget }) => {
    const share = budget.rest / budget.wall;
    if (!(Math.abs(share) > much)) return [];
    return [`${percent(Math.abs(share), 1)} of a run${label && ` of ${label}`} ${share > 0 ? "is not explained" : "is explained twice"}`];
  });
  return said.length > 0 ? `${said.join(", ")}: the times of nodes are off by as much.` : "";
}

export const doubtReason = "The machine was busy, or the nodes are too many and too short to be told apart.";

/** Of one model, beyond the verdict, which names the type: which node, what it converts. */
export function mostOf(side: Side): string {
  const budget = budgetOf(side);
  if (!(budget.wall > 0) || side.nodes.length === 0) return "";
  const share = (us: number) => percent(us / budget.wall, us < 0.1 * budget.wall ? 1 : 0);
  const node = side.nodes.reduce((most, row) => (amount(row.mean) > amount(most.mean) ? row : most), side.nodes[0]!);
  const said = [`the longest of ${nodesText(side.nodes.length)}, ${opName(node)}, takes ${share(amount(node.mean))} of a run`];
  if (budget.parts.conversions > 0) said.push(`conversions between float and int8 take ${share(budget.parts.conversions)}`);
  if (budget.parts.layouts > 0) said.push(`other layouts ${share(budget.parts.layouts)}`);
  const sentence = said.join("; ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1) + ".";
}

/** What the models are called beside each other. */
export function sideNames(shown: Times): string[] {
  return shown.quantized ? ["Float", "Int8"] : [shown.reference.name || "Model"];
}
