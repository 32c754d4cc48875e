// SPDX-License-Identifier: Apache-2.0
// What times add up to.
import type { JoinedRow, NodeRow, Pair, Role, Side } from "./record";

/** What a run spends on ops, and what on getting from one precision or layout to another. Microseconds. */
export interface Parts {
  kernels: number;
  conversions: number; // quantizers and dequantizers
  layouts: number; // reorders, transposes and casts that the runtime put in
}

export function totalOf(parts: Parts): number {
  return parts.kernels + parts.conversions + parts.layouts;
}

export const noTime: Parts = { kernels: 0, conversions: 0, layouts: 0 };

export function amount(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

export function added(a: Parts, b: Parts): Parts {
  return {
    kernels: a.kernels + amount(b.kernels),
    conversions: a.conversions + amount(b.conversions),
    layouts: a.layouts + amount(b.layouts),
  };
}

const partOfRole: Record<Role, keyof Parts> = {
  op: "kernels", quantize: "conversions", dequantize: "conversions", reorder: "layouts", transpose: "layouts", cast: "layouts",
};

export function partsOfNode(node: NodeRow): Parts {
  return { ...noTime, [partOfRole[node.role]]: amount(node.mean) };
}

/** Of the float model all counts as kernels: what it converts is charged to its ops. */
export function partsOfJoined(row: JoinedRow): Parts[] {
  return [
    { ...noTime, kernels: amount(row.float) },
    added(noTime, row),
  ];
}

/** One op, or one node of the runtime's graph, with its times in each model that is shown. */
export interface Leaf {
  key: string;
  name: string;
  type: string;
  position: number; // in the order of execution
  isMade: boolean; // by the runtime: no op of the model
  of: Parts[];
}

/** The op that people look for in a node that computes several: not its quantizers. */
export function opName(node: Pick<NodeRow, "name" | "ops">): string {
  const own = node.ops.find((op) => op.name !== "" && !/quantizelinear/i.test(op.name)) ?? node.ops[0];
  return own?.name || node.name;
}

export function leavesOfSide(side: Side): Leaf[] {
  return side.nodes.map((node) => ({
    key: node.key,
    name: opName(node),
    type: node.type,
    position: node.position,
    isMade: node.ops.length === 0,
    of: [partsOfNode(node)],
  }));
}

/** Where each op of the float model is in the order of execution. */
function positionsOf(side: Side): Map<string, number> {
  const positions = new Map<string, number>();
  for (const node of side.nodes) for (const op of node.ops) if (op.id) positions.set(op.id, node.position);
  return positions;
}

export function leavesOfPair(reference: Side, pair: Pair): Leaf[] {
  const positions = positionsOf(reference);
  return pair.ops.map((row) => ({
    key: row.key,
    name: row.ops[0]?.name ?? row.name,
    type: row.type,
    position: Math.min(...row.ops.map((op) => positions.get(op.id) ?? Infinity)),
    isMade: row.ops.length === 0,
    of: partsOfJoined(row),
  }));
}

/** What the float model's nodes that compute a row's ops say of it. */
export interface FloatNodes {
  total: number;
  accelerator: number;
  cpu: number;
  runs: number;
  defined: number;
  operations: number; // NaN: not known of all
}

export type OpRow = JoinedRow & { nodes: FloatNodes; count: number };

const noNodes: FloatNodes = { total: NaN, accelerator: NaN, cpu: NaN, runs: NaN, defined: 0, operations: NaN };

function withNode(sum: FloatNodes, node: NodeRow): FloatNodes {
  if (sum.defined === 0) {
    const { total, accelerator, cpu, runs, defined, operations } = node;
    return { total, accelerator, cpu, runs, defined, operations };
  }
  return {
    total: sum.total + node.total,
    accelerator: sum.accelerator + node.accelerator,
    cpu: sum.cpu + node.cpu,
    runs: Math.max(sum.runs, node.runs),
    defined: sum.defined + node.defined,
    operations: sum.operations + node.operations,
  };
}

/** Rows of both models, with what the float model's nodes say of each. */
export function opRows(reference: Side, pair: Pair): OpRow[] {
  const rowOf = new Map<string, number>();
  pair.ops.forEach((row, index) => row.ops.forEach((op) => op.id && rowOf.set(op.id, index)));
  const sums: FloatNodes[] = pair.ops.map(() => noNodes);
  for (const node of reference.nodes) {
    if (node.role !== "op") continue;
    const index = node.ops.map((op) => rowOf.get(op.id)).find((one) => one !== undefined);
    if (index !== undefined) sums[index] = withNode(sums[index]!, node);
  }
  return pair.ops.map((row, index) => ({ ...row, nodes: sums[index]!, count: 1 }));
}

/** One row a type. */
export function byType(rows: readonly OpRow[]): OpRow[] {
  const types = new Map<string, OpRow>();
  for (const row of rows) {
    const name = row.type || "(no op of the model)";
    const sum = types.get(name);
    if (!sum) {
      types.set(name, { ...row, key: `type:${name}`, name, ops: [...row.ops], floatNodes: [...row.floatNodes], int8Nodes: [...row.int8Nodes] });
      continue;
    }
    const parts = added(sum, row);
    sum.kernels = parts.kernels;
    sum.conversions = parts.conversions;
    sum.layouts = parts.layouts;
    sum.float += amount(row.float);
    sum.gain += amount(row.gain);
    sum.count += 1;
    sum.isInt8 ||= row.isInt8;
    sum.isWrapped ||= row.isWrapped;
    sum.ops.push(...row.ops);
    sum.floatNodes.push(...row.floatNodes);
    sum.int8Nodes.push(...row.int8Nodes);
    sum.nodes = row.nodes.defined === 0 ? sum.nodes : sum.nodes.defined === 0 ? row.nodes : summed(sum.nodes, row.nodes);
  }
  return [...types.values()].sort((a, b) => totalOf(b) - totalOf(a));
}

function summed(a: FloatNodes, b: FloatNodes): FloatNodes {
  return {
    total: a.total + b.total,
    accelerator: a.accelerator + b.accelerator,
    cpu: a.cpu + b.cpu,
    runs: Math.max(a.runs, b.runs),
    defined: a.defined + b.defined,
    operations: a.operations + b.operations,
  };
}

/** Where one run of a model goes. */
export interface Budget {
  wall: number;
  parts: Parts;
  outside: number; // entering and leaving the runtime
  rest: number; // not accounted for; below 0 where timers cost more in the model than was taken off
  made: { nodes: number; us: number }; // by the runtime, for no op of the model
}

export function budgetOf(side: Side): Budget {
  const wall = side.source === "quantlens" ? side.wall.median : side.wall.mean;
  let parts = noTime;
  const made = { nodes: 0, us: 0 };
  for (const node of side.nodes) {
    parts = added(parts, partsOfNode(node));
    if (node.ops.length > 0) continue;
    made.nodes += 1;
    made.us += amount(node.mean);
  }
  const outside = amount(side.outsideUs);
  return { wall, parts, outside, rest: wall - totalOf(parts) - outside, made };
}
