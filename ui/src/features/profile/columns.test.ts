// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { compile } from "../../base/query";
import { csv, sorted } from "../../base/table";
import { nodeColumns, nodeLanguage, ofTypes, opColumns, opLanguage, precision } from "./columns";
import { opRows } from "./model";
import { timesOf } from "./record";

const ref = (name: string) => ({ id: name, name });
const node = { name: "a_nchwc", type: "Conv", role: "op", position: 0, ops: [ref("/l/a")], total_us: 600.4, cpu_us: 600.4, accelerator_us: 0,
  mean_us: 10, runs: 60, operations: 20_000, share: 0.5, scaling: "nan" };
const { reference, pair } = timesOf({ reference: { nodes: [node, { ...node, name: "q", role: "quantize", ops: [] }] }, quantized: {},
  ops: [{ ops: [ref("/l/a"), ref("/l/b")], type: "Conv", reference_us: 10, quantized_us: 4, conversion_us: 1, layout_us: 0, gain_us: 5, quantized: true },
    { ops: [ref("/m/c")], type: "Softmax", reference_us: 2, quantized_us: 2, conversion_us: 1, layout_us: 0, gain_us: -1, wrapped: true }] });
const rows = opRows(reference, pair!);
const columns = opColumns(rows, 10);
const ofNodes = nodeColumns(reference.nodes);

describe("the table of nodes", () => {
  it("has the predecessors' columns", () => {
    expect(ofNodes.map((column) => column.id)).toEqual(expect.arrayContaining(["name", "accelerator", "cpu", "defined", "run", "total"]));
    const shown = Object.fromEntries(ofNodes.map((column) => [column.id, column.show(reference.nodes[0]!)]));
    expect(shown).toMatchObject({ total: "600.40", mean: "10.000", share: "50.0 %", scaling: "–", bound: "–", ops: "/l/a" });
  });
  it("is asked by role, type and figures", () => {
    const found = (text: string) => reference.nodes.filter(compile(text, nodeLanguage(ofNodes)).holds!).map((row) => row.name);
    expect(found("role:quantize")).toEqual(["q"]);
    expect(found("role=op & mean>5 & scope:l")).toEqual(["a_nchwc"]);
  });
});

describe("the table of both models", () => {
  it("has speed-ups and throughput of each", () => {
    const shown = Object.fromEntries(columns.map((column) => [column.id, column.show(rows[0]!)]));
    expect(shown).toMatchObject({ int8: "5.000", speedup: "2.00×", gain: "5.000", share: "50.0 %", gops: "2", gops8: "5", total: "600.40", precision: "int8" });
    expect(Object.fromEntries(columns.map((column) => [column.id, column.show(rows[1]!)]))).toMatchObject({ gain: "−1.000", gops: "–", run: "–" });
  });
  it("has all times in the unit of the longest, also where they are asked and saved", () => {
    const long = rows.map((row) => ({ ...row, float: 1000 * row.float }));
    const [float, gain] = ["float", "gain"].map((id) => opColumns(long, 10).find((column) => column.id === id)!);
    expect([float!.title, float!.show(long[0]!), float!.of(long[0]!), gain!.show(long[0]!)]).toEqual(["FP32 [ms]", "10.000", 10, "0.005"]);
    expect(long.filter(compile("float>5", opLanguage(opColumns(long, 10))).holds!)).toHaveLength(1);
  });
  it("says where the runtime lost a kernel", () => {
    expect(rows.map(precision)).toEqual(["int8", "float, lost"]);
    expect(rows.filter(compile("precision:lost", opLanguage(columns)).holds!)).toHaveLength(1);
    expect(rows.filter(compile("speedup<1", opLanguage(columns)).holds!).map((row) => row.name)).toEqual(["/m/c"]);
  });
  it("is sorted and saved", () => {
    expect(sorted(rows, columns, { column: "gain", direction: "up" }).map((row) => row.type)).toEqual(["Softmax", "Conv"]);
    expect(csv(rows, columns).split("\r\n")[1]).toContain("/l/a +1,Conv,10,5,2,5");
  });
});

it("columns are called as those of other views", () => {
  expect(columns.slice(0, 4).map((column) => column.title)).toEqual(["Op", "Type", "FP32 [µs]", "INT8 [µs]"]);
  expect(ofNodes[0]?.title).toBe("Node");
  expect([...columns, ...ofNodes].map((column) => column.meaning).filter((meaning) => /^[A-Z][a-z]/.test(meaning))).toEqual([]);
});

it("a row of a type is named after it", () => {
  const types = ofTypes(columns);
  expect(types[0]).toMatchObject({ id: "name", title: "Type" });
  expect(types.some((column) => column.id === "type")).toBe(false);
});
