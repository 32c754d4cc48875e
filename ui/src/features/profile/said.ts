// SPDX-License-Identifier: Apache-2.0
// What is said of a profile.
import { figure, percent } from "../../base/numbers";
import { timeText } from "../../base/durations";
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

/** Of a column whose head says [us]: all with two places behind the point. */
export function microseconds(us: number): string {
  return Number.isFinite(us) ? us.toFixed(2).replace(/^-(?=0\.00$)/, "").replace("-", "−") : figure(us);
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

/** Where so much is not explained that the nodes' times are in doubt; empty where that is so of no model. */
export function doubtOf(sides: readonly { label: string; budget: Budget }[]): string {
  const of = (sign: 1 | -1) =>
    sides.flatMap(({ label, budget }) => {
      const share = (sign * budget.rest) / budget.wall;
      return share > much ? [`${percent(share, 1)} of a run${label && ` of ${label}`}`] : [];
    });
  const [less, more] = [of(1).join(" and "), of(-1).join(" and ")];
  const said = [less && `Not explained: ${less}.`, more && `Explained twice: ${more}.`].filter(Boolean);
  return said.length > 0 ? `${said.join(" ")} The times of nodes are off by as much.` : "";
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
