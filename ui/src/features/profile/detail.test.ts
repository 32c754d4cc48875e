// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { detailOfNode, detailOfOp } from "./detail";
import { opRows } from "./model";
import { timesOf } from "./record";
import { clockOf } from "./said";

const ops = Array.from({ length: 8 }, (_, at) => ({ id: `v${at}`, name: `op${at}` }));
const { reference, pair } = timesOf({ reference: { nodes: [{ name: "cast", ops: [], inputs: ["float32[1]"] }, { name: "n", ops }] }, quantized: {}, ops: [
  { ops, type: "Conv", reference_us: 10, quantized_us: 4, conversion_us: 1, layout_us: 0, reference_nodes: ["Conv", "Add"], quantized_nodes: ["QLinearConv"] },
  { ops: ops.slice(0, 1), type: "Softmax", reference_us: 2, wrapped: true },
] });

it("a node says what it computes and reads", () => {
  expect(detailOfNode(reference.nodes[0]!)).toEqual([["Ops", "none: the runtime made this node"], ["Inputs", "float32[1]"]]);
  expect(detailOfNode(reference.nodes[1]!)).toEqual([["Ops", "op0, op1, op2, op3, op4, op5 and 2 more"]]);
});

it("an op says what computes it in either model", () => {
  const clock = clockOf([10]);
  const [conv, softmax] = opRows(reference, pair!);
  expect(detailOfOp(conv!, clock).slice(1)).toEqual([
    ["In float", "10.000 µs in Conv + Add"], ["In int8", "4.000 µs in QLinearConv, 1.000 µs for conversions"],
  ]);
  expect(detailOfOp(softmax!, clock).map(([name]) => name)).toEqual(["Ops", "In float", "Lost"]);
  expect(detailOfOp(softmax!, clock)[1]).toEqual(["In float", "computed with another op"]);
});
