// SPDX-License-Identifier: Apache-2.0
// What stands below a table of the row that is selected in it: what its cells have no room for.
import type { OpRow } from "./model";
import { counted, type Clock } from "./said";
import type { NodeRow, OpRef } from "./record";

type Lines = [string, string][];
const mostNames = 6;

function namesOf(ops: readonly OpRef[]): string {
  const names = ops.slice(0, mostNames).map((op) => op.name).join(", ");
  return ops.length > mostNames ? `${names} and ${ops.length - mostNames} more` : names;
}

function filled(lines: Lines): Lines {
  return lines.filter(([, value]) => value !== "");
}

export function detailOfNode(node: NodeRow): Lines {
  return filled([
    ["Ops", namesOf(node.ops) || (node.defined === 1 ? "none: the runtime made this node" : "")],
    ["Inputs", node.inputs.join(", ")],
    ["Outputs", node.outputs.join(", ")],
    ["Provider", node.provider],
  ]);
}

/** What takes no time is not told. */
function spent(us: number, on: string, { text }: Clock): string[] {
  return us > 0 ? [`${text(us)} ${on}`] : [];
}

export function detailOfOp(row: OpRow, clock: Clock): Lines {
  const { kernels, conversions, layouts, floatNodes, int8Nodes } = row;
  const int8 = [
    `${clock.text(kernels)} in ${counted(int8Nodes)}`, ...spent(conversions, "for conversions", clock), ...spent(layouts, "for other layouts", clock),
  ];
  return filled([
    ["Ops", namesOf(row.ops)],
    ["In float", floatNodes.length > 0 ? `${clock.text(row.float)} in ${counted(floatNodes)}` : "computed with another op"],
    ["In int8", int8Nodes.length > 0 ? int8.join(", ") : ""],
    ["Lost", !row.isInt8 && row.isWrapped ? "the file has it between quantizers, but the runtime computes it in float" : ""],
  ]);
}
