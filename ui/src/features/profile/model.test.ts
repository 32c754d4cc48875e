// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { added, budgetOf, byType, leavesOfPair, leavesOfSide, opName, opRows, totalOf } from "./model";
import { timesOf } from "./record";

const ref = (name: string) => ({ id: name, name });
const node = (name: string, role: string, mean: number, ops = [name]) => ({ name, type: role === "op" ? "Conv" : role, role, position: 5,
  ops: ops.map(ref), mean_us: mean, total_us: 60 * mean, cpu_us: 60 * mean, accelerator_us: 0, runs: 60, defined: 1, operations: 100 });
const wall = { runs: 60, median_us: 100, mean_us: 102, median_interval: [99, 101], p95_us: 120 };
const float = { model: "/m/net.onnx", source: "quantlens", threads: 2, wall, nodes_us: 90, outside_us: 4, event_us: 0.0512,
  nodes: [node("a", "op", 50), node("b", "op", 30), node("r", "reorder", 10, [])], types: [{ ...node("Conv", "op", 80), defined: 2 }] };
const int8 = { ...float, nodes: [node("a_int8", "op", 20), node("q", "quantize", 5), node("c", "cast", 2, [])] };
const row = (ops: string[], type: string, reference: unknown, rest: [number, number, number]) => ({ ops: ops.map(ref), type, reference_us: reference,
  quantized_us: rest[0], conversion_us: rest[1], layout_us: rest[2], gain_us: 1, reference_nodes: ["Conv"], quantized_nodes: ["QLinearConv"],
  quantized: true });
const pair = { reference: float, quantized: int8, ratio: 0.5, ratio_interval: [0.4, 0.6],
  ops: [row(["a"], "Conv", 50, [20, 5, 0]), row(["b", "c"], "Conv", 30, [10, 0, 2]), row([], "", "nan", [0, 0, 1])], findings: [], verdict: "" };
const both = timesOf(pair);

describe("times", () => {
  it("of a model are what its nodes are there for", () => {
    const budget = budgetOf(both.quantized!);
    expect(budget.parts).toEqual({ kernels: 20, conversions: 5, layouts: 2 });
    expect(budget).toMatchObject({ wall: 100, outside: 4, rest: 69, made: { nodes: 1, us: 2 } });
  });
  it("without a figure add nothing", () => {
    expect(totalOf(added({ kernels: 1, conversions: 0, layouts: 0 }, { kernels: NaN, conversions: Infinity, layouts: 2 }))).toBe(3);
  });
  it("of both models stand beside each other, in the order of execution", () => {
    const leaves = leavesOfPair(both.reference, both.pair!);
    expect(leaves.map((leaf) => leaf.of.map(totalOf))).toEqual([[50, 25], [30, 12], [0, 1]]);
    expect(leaves.map((leaf) => leaf.isMade)).toEqual([false, false, true]);
    expect(leaves[2]?.position).toBe(Infinity);
  });
  it("of one model are of the runtime's nodes", () => {
    expect(leavesOfSide(both.reference).map((leaf) => [leaf.name, leaf.isMade])).toEqual([["a", false], ["b", false], ["r", true]]);
  });
  it("of a node are those of the op that it computes, not of its quantizers", () => {
    expect(opName({ name: "n", ops: [ref("x_DequantizeLinear"), ref("/l/Conv"), ref("y_QuantizeLinear")] })).toBe("/l/Conv");
    expect(opName({ name: "n", ops: [ref("x_QuantizeLinear")] })).toBe("x_QuantizeLinear");
    expect(opName({ name: "n", ops: [] })).toBe("n");
  });
  it("of rows know what the float model's nodes say", () => {
    const rows = opRows(both.reference, both.pair!);
    expect(rows[0]?.nodes).toEqual({ total: 3000, accelerator: 0, cpu: 3000, runs: 60, defined: 1, operations: 100 });
    expect(rows[2]?.nodes).toMatchObject({ defined: 0 });
    expect(rows[2]?.nodes.total).toBeNaN();
  });
  it("add up by type, the longest first", () => {
    const types = byType(opRows(both.reference, both.pair!));
    expect(types.map((type) => [type.name, type.count, type.float, totalOf(type)])).toEqual([["Conv", 2, 80, 37], ["(no op of the model)", 1, NaN, 1]]);
    expect(types[0]?.nodes).toMatchObject({ defined: 2, operations: 200 });
    expect(byType([])).toEqual([]);
  });
  it("keep their rows when they are added up", () => {
    const rows = opRows(both.reference, both.pair!);
    byType(rows);
    expect(rows[0]?.ops).toHaveLength(1);
    expect(rows[0]?.float).toBe(50);
  });
});
