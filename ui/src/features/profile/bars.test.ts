// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csv } from "../../base/table";
import { barColumns, commonScope, linesOf, longest, longestBar, segments, tickedBars, toggled, type Bar } from "./bars";

const bar = (key: string, float: number, conversions = 0): Bar => ({
  key, label: key, name: `/net/${key}`, of: [{ kernels: float, conversions: 0, layouts: 0 }, { kernels: float / 2, conversions, layouts: 0 }],
});
const bars = Array.from({ length: 12 }, (_, at) => bar(`op${at}`, at));

describe("bars", () => {
  it("are the ten longest at first", () => {
    const keys = longest(bars);
    expect(keys.size).toBe(10);
    expect(keys.has("op1")).toBe(false);
    expect(longest([]).size).toBe(0);
  });
  it("are those that are ticked, the longest first", () => {
    expect(tickedBars([...bars, bar("slow", 0, 40)], new Set(["op3", "op9", "slow", "gone"])).map((one) => one.key)).toEqual(["slow", "op9", "op3"]);
    expect([...toggled(new Set(["a"]), "a")]).toEqual([]);
    expect([...toggled(new Set(["a"]), "b")]).toEqual(["a", "b"]);
  });
  it("are made of parts that take time", () => {
    expect(segments({ kernels: 3, conversions: 0, layouts: 2 })).toEqual([{ kind: "kernels", from: 0, us: 3 }, { kind: "layouts", from: 3, us: 2 }]);
    expect(segments({ kernels: -1, conversions: 0, layouts: 0 })).toEqual([]);
    expect(longestBar([])).toBe(0);
    expect(longestBar(bars)).toBe(11);
  });
  it("leave out the scope that all lie in", () => {
    expect(commonScope(["/enc/l.0/a/x", "/enc/l.0/b", "/enc/l.01/c"])).toBe("/enc/");
    expect(commonScope(["/enc/x", "/head/y"])).toBe("/");
    expect(commonScope(["a", "/head/y"])).toBe("");
    expect(commonScope(["/head/y", "a"])).toBe("");
    expect(commonScope(["/enc/l.0/x", "/head/y", "Transpose"])).toBe("");
    expect(commonScope(["/enc/x"])).toBe("");
    expect(commonScope([])).toBe("");
  });
  it("have their scopes in a line of their own", () => {
    expect(linesOf("/block1/conv/Conv +2")).toEqual(["/block1/conv", "Conv +2"]);
    expect(["Conv", "/Conv", "a/"].map(linesOf)).toEqual([["", "Conv"], ["", "/Conv"], ["", "a/"]]);
  });
  it("are saved with the figures of each model", () => {
    expect(csv([bar("a", 3, 2)], barColumns(["FP32", "INT8"], "Op")).split("\r\n")).toEqual([
      "Op,FP32 [us],FP32 kernels [us],FP32 conversions [us],FP32 layouts [us],INT8 [us],INT8 kernels [us],INT8 conversions [us],INT8 layouts [us]",
      "/net/a,3,3,0,0,3.5,1.5,2,0", ""]);
  });
});
