// SPDX-License-Identifier: Apache-2.0
// What stands below a table of the row that is selected in it: what its cells have no room for.
import type { OpRow } from "./model";
import { counted, duration } from "./said";
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

export function detailOfOp(row: OpRow): Lines {
  return filled([
    ["Ops", namesOf(row.ops)],
    ["In float", row.floatNodes.length > 0 ? `${duration(row.float)} in ${counted(row.floatNodes)}` : "computed with another op"],
    ["In int8", row.int8Nodes.length > 0
      ? `${duration(row.kernels)} in ${counted(row.int8Nodes)}, ${duration(row.conversions)} for conversions, ${duration(row.layouts)} for other layouts`
      : ""],
    ["Lost", !row.isInt8 && row.isWrapped ? "the file has it between quantizers, but the runtime computes it in float" : ""],
  ]);
}
