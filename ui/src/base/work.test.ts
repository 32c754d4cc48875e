// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { batchOf, extentsOf, outlineOf, shapesOf, shownWork, sumOf, workOf, type OutlineOp } from "./work";

const shapes = (given: Record<string, string>) => new Map(Object.entries(given).map(([name, shape]) => [name, extentsOf(shape)]));
const op = (kind: string, inputs: string[], roles: unknown = null): OutlineOp => ({ id: "o", kind, inputs, outputs: ["y"], roles });
const one = (given: OutlineOp, known: Record<string, string>) => workOf([given], shapes(known), "N").get("o");

it("shapes are read as graph.json writes them", () => {
  expect(extentsOf("[N,3,?,224]")).toEqual(["N", 3, "?", 224]);
  expect(extentsOf("[]")).toEqual([]);
  expect(extentsOf("?")).toBeNull();
  expect(extentsOf("")).toBeNull();
});

describe("multiply-adds", () => {
  it("of convolutions are a filter for each element of the result", () => {
    const known = { x: "[N,8,10,10]", w: "[16,4,3,3]", y: "[N,16,8,8]" };
    expect(one(op("conv", ["x", "w"], { is: "convolution", output_axis: 0, input_axis: 1 }), known)).toEqual({ count: 16 * 64 * 36, isLoose: false });
    expect(one(op("conv", ["x", "w"]), known)?.count).toBe(16 * 64 * 36);
    const transposed = one(op("conv_transpose", ["x", "w"], { output_axis: 1, input_axis: 0 }), { ...known, w: "[8,4,3,3]" });
    expect(transposed?.count).toBe(800 * 36);
  });
  it("of products are the inner extent for each element of the result", () => {
    expect(one(op("matmul", ["x", "w"]), { x: "[N,5,64]", w: "[64,10]", y: "[N,5,10]" })?.count).toBe(5 * 10 * 64);
    expect(one(op("gemm", ["x", "w"], { transposes_b: true }), { w: "[10,64]", y: "[N,10]" })?.count).toBe(640);
    expect(one(op("matmul", ["x", "w"]), { x: "[N,5,64]", w: "?", y: "[N,5,10]" })?.count).toBe(5 * 10 * 64);
    expect(one(op("matmul", ["x", "w"]), { x: "[10,64]", w: "[N,64,5]", y: "[N,10,5]" })?.count).toBe(3200);
  });
  it("of cells are each weight once a step", () => {
    const known = { x: "[7,N,3]", w: "[1,16,3]", r: "[1,16,4]" };
    expect(one(op("recurrent", ["x", "w", "r"], { is: "recurrence", input_axis: 2 }), known)?.count).toBe((21 * (48 + 64)) / 3);
  });
  it("take extents that have only a name for 1, and say so", () => {
    expect(one(op("matmul", ["x", "w"]), { w: "[64,10]", y: "[N,length,10]" })).toEqual({ count: 640, isLoose: true });
    const attention = { x: "[N,12,length,64]", w: "[N,12,64,length]", y: "[N,12,length,length]" };
    expect(one(op("matmul", ["x", "w"]), attention)).toEqual({ count: 768, isLoose: true });
  });
  it("are not known where shapes do not tell, and not there of other ops", () => {
    expect(one(op("conv", ["x", "w"]), { w: "?", y: "[N,4]" })).toBeUndefined();
    expect(one(op("conv", ["x", "w"]), { w: "[0,4,3,3]", y: "[N,4]" })).toBeUndefined();
    expect(one(op("matmul", []), {})).toBeUndefined();
    expect(one(op("relu", ["x"]), { x: "[4]", y: "[4]" })).toBeUndefined();
    expect(workOf([], new Map(), null).size).toBe(0);
  });
});

it("are added up and shown with three digits", () => {
  expect(sumOf([{ count: 5, isLoose: false }, { count: 6, isLoose: true }])).toEqual({ count: 11, isLoose: true });
  expect([NaN, 0, 999, 1234, 41_200_000, 3.5e9, 2e12].map(shownWork)).toEqual(["–", "0", "999", "1.23 k", "41.2 M", "3.5 G", "2 T"]);
});

it("an outline is made of columns, whatever is missing", () => {
  const columns = { op: ["a", "b"], kind: ["conv"], inputs: [["x"]], outputs: [["y"], null], roles: [{ is: "convolution" }] };
  expect(outlineOf({ rows: 2, offset: 0, count: 2, columns })).toEqual([
    { id: "a", kind: "conv", inputs: ["x"], outputs: ["y"], roles: { is: "convolution" } },
    { id: "b", kind: "", inputs: [], outputs: [], roles: undefined },
  ]);
});

it("shapes and the batch are read from tables", () => {
  const table = (columns: Record<string, unknown[]>) => ({ rows: 0, offset: 0, count: 0, columns });
  const values = table({ name: ["x", "y"], shape: ["[N,3]"] });
  expect([...shapesOf([values, null])]).toEqual([["x", ["N", 3]], ["y", null]]);
  expect(batchOf(values)).toBe("N");
  expect([batchOf(null), batchOf(table({})), batchOf(table({ name: ["x"], shape: ["[1,3]"] }))]).toEqual([null, null, null]);
});
