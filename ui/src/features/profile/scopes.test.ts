// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csv } from "../../base/table";
import { totalOf, type Leaf } from "./model";
import { allRows, madeByRuntime, openAtFirst, rowsInSight, savedColumns, scopeAt, split, treeColumns, treeOf, wayTo } from "./scopes";

const leaf = (name: string, position: number, float: number, int8 = float / 2, isMade = false): Leaf => ({
  key: `op:${name}`, name, type: "Conv", position, isMade,
  of: [{ kernels: float, conversions: 0, layouts: 0 }, { kernels: int8, conversions: 1, layouts: 0 }],
});
const leaves = [
  leaf("/enc/layer.1/q/MatMul", 6, 10), leaf("/enc/layer.0/q/MatMul", 1, 20), leaf("/enc/layer.0/Add", 2, 4), leaf("/head/fc/Gemm", 9, 8),
  leaf("reorder", 3, 2, 0, true),
];
const tree = treeOf(leaves, "net.onnx");
const labels = (open: string[]) => rowsInSight(tree, (key) => open.includes(key)).map((row) => `${" ".repeat(row.depth)}${row.label}`);

describe("scopes of a name", () => {
  it("are between slashes, else dots", () => {
    expect(split("/enc/layer.0/q/MatMul")).toEqual({ path: ["enc", "layer.0", "q"], label: "MatMul" });
    expect(split("model.conv1.weight")).toEqual({ path: ["model", "conv1"], label: "weight" });
    expect(split("Conv_3")).toEqual({ path: [], label: "Conv_3" });
    expect(split("")).toEqual({ path: [], label: "" });
  });
  it("are known of ops without a name, too", () => expect(split("Relu:/a/b/out")).toEqual({ path: ["a", "b"], label: "Relu:out" }));
});

describe("the tree", () => {
  it("adds up all that lies in a scope, in each model", () => {
    expect(tree.of.map(totalOf)).toEqual([44, 26]);
    expect(scopeAt(tree, "/enc/layer.0")?.of.map(totalOf)).toEqual([24, 14]);
    expect(tree.ops).toBe(5);
  });
  it("is in the order of execution", () => expect(labels([])).toEqual(["enc", madeByRuntime, "head/fc"]));
  it("opens scopes, and mixes ops and scopes by their order", () => {
    expect(labels(["/enc", "/enc/layer.0"])).toEqual(
      ["enc", " layer.0", "  q", "  Add", " layer.1/q", madeByRuntime, "head/fc"],
    );
  });
  it("has what the runtime made apart", () => expect(scopeAt(tree, `/${madeByRuntime}`)?.leaves[0]?.name).toBe("reorder"));
  it("is open where the time is, as far as there is room", () => {
    expect(openAtFirst(tree, 3).size).toBe(0);
    expect([...openAtFirst(tree, 5)]).toEqual(["/enc"]);
    expect(openAtFirst(tree, 100).has("/enc/layer.0/q")).toBe(true);
  });
  it("knows the way to a scope", () => {
    expect(wayTo(tree, "/enc/layer.0").map((scope) => scope.label)).toEqual(["net.onnx", "enc", "layer.0"]);
    expect(wayTo(tree, "/nowhere").map((scope) => scope.label)).toEqual(["net.onnx"]);
    expect(scopeAt(tree, "/nowhere")).toBeNull();
  });
  it("is saved with what each row is", () => {
    const lines = csv(allRows(tree), savedColumns(["FP32", "INT8"], tree)).split("\r\n");
    expect(lines[0]).toBe("Scope,Ops,FP32 [us],INT8 [us],Speed-up,Gain [us],Share of INT8,Conversions [us],Layouts [us],Kind");
    expect(lines[1]).toMatch(/^\/enc,3,34,20,1.7,14,.*,scope$/);
    expect(treeColumns(["Time"], tree).map((column) => column.id)).toEqual(["name", "ops", "total0", "share", "conversions", "layouts"]);
  });
  it("of nothing is empty", () => {
    const empty = treeOf([], "net");
    expect(rowsInSight(empty, () => true)).toEqual([]);
    expect(openAtFirst(empty).size).toBe(0);
  });
  it("of 10,000 ops has them all", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => leaf(`/l.${at % 100}/m.${at % 10}/op${at}`, at, 1));
    const all = rowsInSight(treeOf(many, "net"), () => true);
    expect(all.length).toBeGreaterThan(10_000);
  });
});
