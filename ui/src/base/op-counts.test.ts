// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fatesOf, opCountsOf, toldOpCounts } from "./op-counts";

const rows: [kind: string, quantized: boolean, precision: string | null, reason: string | null][] = [
  ["conv", true, "int8", ""],
  ["gemm", true, "int16", null],
  ["add", false, "fp32", "only float ops read its result"],
  ["constant", false, "fp32", "a constant"],
  ["matmul", true, "fp32", "the runtime runs MatMul in float"],
  ["gather", true, "w4", ""],
  ["constant", true, "int8", ""],
];
const column = (at: number) => rows.map((row) => row[at]);
const table = { rows: 7, offset: 0, count: 7, columns: { kind: column(0), quantized: column(1), precision: column(2), reason: column(3) } };

describe("ops", () => {
  it("compute on codes, stay float, run otherwise, or are stored in few bits; constants compute nothing", () => {
    expect(fatesOf(table)).toEqual(["int8", "int8", "float", null, "otherwise", "stored", null]);
    expect(fatesOf({ ...table, columns: {} })).toEqual([]);
  });
  it("are counted without constants", () => {
    expect(opCountsOf(fatesOf(table))).toEqual({ all: 5, int8: 2, float: 1, constants: 2 });
  });
  it("are those of the result where there is no plan", () => {
    expect(toldOpCounts({ ops_quantized: 3, ops_float: 1 })).toEqual({ all: 4, int8: 3, float: 1, constants: NaN });
    expect(toldOpCounts({ ops_quantized: 3 })).toMatchObject({ all: 3, int8: 3 });
    for (const nothing of [null, {}, [], { ops_float: 3 }]) expect(toldOpCounts(nothing)).toBeNull();
  });
});
