// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Leaf } from "./model";
import { depthOf, flameOf, neighbour } from "./flame";
import { treeOf } from "./scopes";

const leaf = (name: string, position: number, float: number, conversions = 0): Leaf => ({
  key: `op:${name}`, name, type: "Conv", position, isMade: false,
  of: [{ kernels: float, conversions: 0, layouts: 0 }, { kernels: float / 2, conversions, layouts: 0 }],
});
const tree = treeOf([leaf("/a/x", 0, 60), leaf("/a/y", 1, 20, 5), leaf("/b/z", 2, 19), leaf("/b/w", 3, 0.5), leaf("/b/v", 4, 0.5)], "net");
const float = flameOf(tree, "", 0, 0.01);
const at = (boxes: typeof float, name: string, kind = "op") => boxes.find((box) => box.name === name && box.kind === kind);

describe("the flame", () => {
  it("is as wide as the time", () => {
    expect(float[0]).toMatchObject({ key: "", x: 0, width: 1, depth: 0, us: 100 });
    expect(at(float, "/a/y")).toMatchObject({ x: 0.6, width: 0.2, depth: 2 });
    expect(at(float, "/b", "scope")).toMatchObject({ x: 0.8, width: 0.2, depth: 1 });
  });
  it("has one scale for both models", () => {
    const int8 = flameOf(tree, "", 1, 0.001);
    expect(int8[0]?.width).toBeCloseTo(0.55);
    expect(at(int8, "/a/y", "conversions")).toMatchObject({ width: 0.05, depth: 3 });
    expect(at(int8, "/a/y", "conversions")?.x).toBeCloseTo(0.4);
    expect(at(int8, "/a/x", "conversions")).toBeUndefined();
  });
  it("draws a node that only converts as what it does", () => {
    const made: Leaf = { key: "node:1", name: "cast", type: "Cast", position: 0, isMade: true, of: [{ kernels: 0, conversions: 0, layouts: 4 }] };
    const quantize: Leaf = { ...made, key: "node:2", name: "q", isMade: false, of: [{ kernels: 0, conversions: 6, layouts: 0 }] };
    expect(flameOf(treeOf([made, quantize], "net"), "", 0, 0.001).map((box) => [box.label, box.kind])).toEqual(
      [["net", "scope"], ["(made by the runtime)", "scope"], ["cast", "layouts"], ["q", "conversions"]]);
  });
  it("puts narrow neighbours together", () => {
    expect(float.filter((box) => box.kind === "small")).toMatchObject([{ label: "2 more", us: 1, width: 0.01, depth: 2 }]);
    expect(flameOf(tree, "", 0, 0.2).map((box) => box.label)).toEqual(["net", "a", "x", "y", "b", "3 more"]);
  });
  it("is zoomed to a scope, with the way to it above", () => {
    const zoomed = flameOf(tree, "/b", 0, 0.001);
    expect(zoomed.map((box) => [box.label, box.width])).toEqual([["net", 1], ["b", 1], ["z", 0.95], ["w", 0.025], ["v", 0.025]]);
    expect(flameOf(tree, "/gone", 0, 0.001)[0]?.label).toBe("net");
  });
  it("of nothing is one box without a width", () => {
    const empty = flameOf(treeOf([], "net"), "", 0, 0.01);
    expect(empty).toMatchObject([{ width: 0, us: 0 }]);
    expect(depthOf([])).toBe(0);
  });
});

describe("keys", () => {
  const index = (name: string) => float.findIndex((box) => box.name === name);
  it("lead to neighbours, into the longest, and out", () => {
    expect(neighbour(float, index("/a/x"), "ArrowRight")).toBe(index("/a/y"));
    expect(neighbour(float, index("/a"), "ArrowDown")).toBe(index("/a/x"));
    expect(neighbour(float, index("/b/z"), "ArrowUp")).toBe(index("/b"));
    expect(neighbour(float, 0, "ArrowUp")).toBeNull();
    expect(neighbour(float, index("/a/x"), "ArrowDown")).toBeNull();
    expect(neighbour(float, index("/a/x"), "ArrowLeft")).toBe(index("/a/x"));
  });
  it("begin at the first box, and know no others", () => {
    expect(neighbour(float, -1, "ArrowDown")).toBe(0);
    expect(neighbour([], -1, "ArrowDown")).toBeNull();
    expect(neighbour(float, 0, "x")).toBeNull();
  });
});
