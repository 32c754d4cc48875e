// SPDX-License-Identifier: Apache-2.0
// What is said of a profile.
import { percent } from "../../base/numbers";
import { timeColumn, timeText, unitOf, type TimeUnit } from "../../base/durations";
import { amount, budgetOf, opName, type Budget } from "./model";
import type { Side, Times } from "./record";

/** "QLinearConv", of "com.microsoft.QLinearConv". */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1) || type;
}

/** "Conv × 12 + Add": types in the order of their first use, without their domains. */
export function counted(types: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const type of types.map(shortType)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, times]) => (times === 1 ? type : `${type} × ${times}`)).join(" + ");
}

/** How all times of one screen are written: in a column below its head, and with their unit beside a bar. */
export interface Clock {
  unit: TimeUnit;
  figure: (us: number) => string;
  text: (us: number) => string;
}

/** By the longest of these, which has so many digits. */
export function clockOf(times: readonly number[], digits = 5): Clock {
  const most = times.reduce((longest, us) => Math.max(longest, Math.abs(us) || 0), 0);
  const unit = unitOf(most);
  const figure = timeColumn([most], unit, digits);
  return { unit, figure, text: (us) => (Number.isFinite(us) ? `${figure(us)} ${unit.name}` : "–") };
}

/** "1.52×"; nothing where either time is not known. */
export function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : "–";
}

function nodesText(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}

/** What must be known of where the times are from; empty where quantlens took them, whose way is told apart. */
export function sourceText(side: Side): string {
  const { wall, source } = side;
  const said: string[] = [];
  if (wall.runs === 0) said.push(`The times of whole runs are not known; ${nodesText(side.nodes.length)} take ${timeText(side.nodesUs)}.`);
  if (source !== "quantlens") {
    said.push(`Timed by the profiler of ${source === "onnxruntime" ? "ONNX Runtime" : "TensorFlow"}: what that costs is in the figures.`);
  }
  return said.join(" ");
}

const much = 0.1; // of a run: as the command line says it

/** Where nodes add up to so much more or less than a run that their times are in doubt; empty where that is so of no model. */
export function doubtOf(sides: readonly { label: string; budget: Budget }[]): string {
  return sides
    .flatMap(({ label, budget }) => {
      const off = -budget.rest / budget.wall;
      if (!(Math.abs(off) > much)) return [];
      const sum = `Node times${label && ` of ${label}`} add up to ${percent(1 + off, 1)} of a run`;
      return [`${sum}, so each may be off by about ${percent(Math.abs(off))}.`];
    })
    .join(" ");
}

export const doubtReason = "The machine was busy, or the nodes are too many and too short to be told apart.";

/** Of one model, beyond the verdict, which names the type: which node, what it converts. */
export function mostOf(side: Side): string {
  const budget = budgetOf(side);
  if (!(budget.wall > 0) || side.nodes.length === 0) return "";
  const share = (us: number) => percent(us / budget.wall, us < 0.1 * budget.wall ? 1 : 0);
  const node = side.nodes.reduce((most, row) => (amount(row.mean) > amount(most.mean) ? row : most), side.nodes[0]!);
  const said = [`The longest of ${nodesText(side.nodes.length)}, ${opName(node)}, takes ${share(amount(node.mean))} of a run`];
  const isWorthIt = (us: number) => us / budget.wall >= 0.001;
  if (isWorthIt(budget.parts.conversions)) said.push(`conversions between float and int8 take ${share(budget.parts.conversions)}`);
  if (isWorthIt(budget.parts.layouts)) said.push(`other layouts take ${share(budget.parts.layouts)}`);
  return `${said.join("; ")}.`;
}

/** What the models are called beside each other. */
export function sideNames(shown: Times): string[] {
  return shown.quantized ? ["FP32", "INT8"] : [shown.reference.name || "Model"];
}
