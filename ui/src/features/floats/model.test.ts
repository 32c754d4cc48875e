// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { compile } from "../../base/query";
import {
  columns, conversionsOf, countedOf, countsOf, itemOf, language, opsText, pilesOf, plannedOf, planColumns, reasonKey, remedyOf, workOf, type Planned,
} from "./model";

const page = (columns: Record<string, unknown[]>) => ({ rows: 0, offset: 0, count: 0, columns });
const rows: [string, string, boolean, string, string][] = [
  ["/conv/Conv", "Conv", true, "int8", ""],
  ["/add/Add", "Add", false, "fp32", "only float ops read its result: int8 would add rounding and save nothing"],
  ["/add/Add_1", "Add", false, "fp32", "only float ops read its result: int8 would add rounding and save nothing"],
  ["/softmax", "Softmax", false, "fp32", "Softmax has no integer form here"],
  ["/mm", "MatMul", true, "fp32", "the runtime runs MatMul in float"],
  ["/gather", "Gather", true, "w4", ""],
  ["/const", "Constant", false, "fp32", "Constant has no integer form here"],
];
const table = page({
  ...Object.fromEntries(planColumns.map((name) => [name, []])),
  "op.id": rows.map((_, index) => `v${index}`),
  "op.name": rows.map(([name]) => name),
  type: rows.map(([, type]) => type),
  kind: rows.map(([, type]) => type.toLowerCase()),
  quantized: rows.map(([, , quantized]) => quantized),
  precision: rows.map(([, , , precision]) => precision),
  reason: rows.map(([, , , , reason]) => reason),
});
const work = new Map([["v0", { count: 90, isLoose: false }], ["v4", { count: 10, isLoose: false }]]);
const ops = plannedOf(table, work, new Map([["v3", 4.5]]));
const reasoned = (reason: string, more: Partial<Planned> = {}): Planned => ({ ...ops[1]!, reason, ...more });

describe("the plan", () => {
  it("says what became of each op, constants left out", () => {
    expect(ops.map((op) => op.fate)).toEqual(["int8", "float", "float", "float", "otherwise", "stored"]);
    expect(ops.map((op) => op.work)).toEqual([90, NaN, NaN, NaN, 10, NaN]);
    expect(ops[3]).toMatchObject({ conversions: 4.5, precision: "fp32" });
    expect(plannedOf(page({}), new Map(), new Map())).toEqual([]);
    expect(plannedOf(page({ "op.id": ["a"] }), new Map(), new Map())[0]).toMatchObject({ name: "a", fate: "float", reason: "", precision: "fp32" });
  });
  it("is counted", () => {
    expect(countsOf(ops).map(({ fate, ops: count, work: sum }) => [fate, count, sum])).toEqual([
      ["int8", 1, 90], ["float", 3, 0], ["otherwise", 1, 10], ["stored", 1, 0],
    ]);
    expect(workOf([])).toBeNaN();
  });
  it("is asked by reasons, types and figures", () => {
    const found = (query: string) => ops.filter(compile(query, language).holds!).map((op) => op.id);
    expect(found('reason:"integer form"')).toEqual(["v3"]);
    expect(found("type:add | work>50")).toEqual(["v0", "v1", "v2"]);
    expect(columns.map((column) => column.id)).toContain("reason");
  });
});

describe("piles", () => {
  it("are by reason, most ops first; what runs otherwise is a pile of its own", () => {
    expect(pilesOf(ops, "reason").map((pile) => [pile.title, pile.ops.length])).toEqual([
      ["Only float ops read its result: int8 would add rounding and save nothing", 2],
      ["Planned int8, runs otherwise", 1],
      ["Softmax has no integer form here", 1],
      ["Stored in few bits, computed in float", 1],
    ]);
  });
  it("are by type, with how many of each", () => {
    expect(pilesOf(ops, "type").map((pile) => [pile.title, pile.types])).toEqual([
      ["Add", [["Add", 2]]], ["Gather", [["Gather", 1]]], ["MatMul", [["MatMul", 1]]], ["Softmax", [["Softmax", 1]]],
    ]);
    expect(pilesOf([], "type")).toEqual([]);
  });
  it("take reasons for one that differ in a name or a number", () => {
    const [a, b] = ["its value 'x/y' reaches 70000, beyond the 65504 of half", "its value 'z' reaches -8.1e+04, beyond the 65504 of half"];
    expect(reasonKey(a)).toBe(reasonKey(b));
    expect(pilesOf([reasoned(a), reasoned(b)], "reason")).toHaveLength(1);
    expect(pilesOf([reasoned(a)], "reason")[0]!.title).toContain("70000");
    expect(reasonKey("its data are float16")).toBe("its data are float16");
    expect(reasonKey("")).toBe("");
  });
});

describe("a remedy", () => {
  it("asks for int8 where a recipe can", () => {
    const [pile] = pilesOf(ops, "reason");
    expect(remedyOf(pile!, "reason")).toMatchObject({ label: "2 ops in int8", recipe: { op_name_dict: { "/add/Add": "int8", "/add/Add_1": "int8" } } });
    expect(itemOf(pile!, "reason")).toMatchObject({ label: "Still float: 2 ops in int8", gain: NaN });
  });
  it("asks for a whole type where it can for each op of it", () => {
    expect(remedyOf({ ops: ops.filter((op) => op.type === "Add") }, "type")?.recipe).toEqual({ op_type_dict: { Add: "int8" } });
    expect(remedyOf({ ops: [reasoned("inside GELU"), reasoned("its result is constant")] }, "type")).toBeNull();
    expect(remedyOf({ ops: ops.filter((op) => op.type === "Softmax") }, "type")).toBeNull();
  });
  it("turns a switch round", () => {
    const kept = reasoned("the recipe keeps the first Conv, MatMul or Gemm in float (first_conv_or_matmul_quantization)");
    expect(remedyOf({ ops: [kept] }, "reason")?.recipe).toEqual({ recipes: { first_conv_or_matmul_quantization: true } });
  });
  it.each([
    "the recipe keeps it in float", "its inputs are float: int8 would add rounding and save nothing", "inside GELU",
    "it looks up a constant table: int8 would add rounding and save no time", "a logarithm (Log_16) reads its result, and 8 bits lose the small values",
    "numbers of its constant are far apart: with one scale for all, 0.001 would become 0, 255 step(s) of its result's codes",
  ])("is known where %s", (reason) => expect(remedyOf({ ops: [reasoned(reason)] }, "reason")).not.toBeNull());
  it("is not there where no recipe helps, or for several reasons", () => {
    expect(remedyOf({ ops: [reasoned("Softmax has no integer form here")] }, "reason")).toBeNull();
    expect(remedyOf({ ops: [reasoned("inside GELU"), reasoned("its result is constant")] }, "reason")).toBeNull();
    expect(remedyOf({ ops: [reasoned("inside GELU", { fate: "otherwise" })] }, "reason")).toBeNull();
    expect(remedyOf({ ops: [] }, "reason")).toBeNull();
    expect(itemOf({ id: "x", ops: [] }, "reason")).toBeNull();
  });
});

it("what a search counted is that of its best trial", () => {
  const trials = [{ number: 1, multiply_adds_quantized: 3 }, { number: 2, multiply_adds_quantized: 7 }];
  expect(countedOf({ multiply_adds: 10, trials, best: 2 })).toEqual({ all: 10, int8: 7 });
  const elsewhere = { multiply_adds: 9, trials: { rows: 2000, stamp: "" }, best: 1 };
  const none = [null, {}, { multiply_adds: 0, trials, best: 1 }, elsewhere, { multiply_adds: 9, trials, best: null }];
  expect(none.map(countedOf)).toEqual([null, null, null, null, null]);
});

it("conversions stand at the first op of a unit", () => {
  const ops = [{ id: "a", name: "A" }, { id: "b", name: "B" }];
  const unit = { ops, type: "", reference: 1, kernels: 1, conversions: 2, layouts: 0, gain: 0, isQuantized: true };
  expect([...conversionsOf([unit, { ...unit, ops: [] }, { ...unit, conversions: 0 }, { ...unit, conversions: NaN }])]).toEqual([["a", 2]]);
});

it("ops are counted by the word for one, or for several", () => expect([1, 0, 7].map(opsText)).toEqual(["1 op", "0 ops", "7 ops"]));
