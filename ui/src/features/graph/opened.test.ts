// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { firstOpen, openOf, openText, showingOp, withOpen, withoutOpen } from "./opened";
import { treeOf } from "./testing";

const tree = treeOf(6, [0, { label: "x", inside: [1, { label: "y,%", inside: [2, 3] }] }, { label: "w", inside: [4, 5] }]);
const [x, w, y] = [7, 8, 9];
const sorted = (open: ReadonlySet<number>) => [...open].sort((one, other) => one - other);

describe("groups that are open at first", () => {
  it("are all of a small network", () => {
    expect(sorted(firstOpen(tree, 150, -1))).toEqual([x, w, y]);
  });
  it("are those around the op in question in a large one", () => {
    expect(sorted(firstOpen(tree, 151, 3))).toEqual([x, y]);
    expect(sorted(firstOpen(tree, 151, -1))).toEqual([]);
  });
  it("are the outer ones that hold all else", () => {
    const nested = treeOf(4, [0, { label: "model", inside: [{ label: "net", inside: [1, { label: "a", inside: [2] }, { label: "b", inside: [3] }] }] }]);
    expect(sorted(firstOpen(nested, 9000, -1)).map((group) => nested.paths[group - 4])).toEqual(["model", "model/net"]);
  });
});

describe("the address", () => {
  it("holds open groups by their paths", () => {
    expect(openText(tree, new Set([y, x]))).toBe("x,x/y%2C%25");
    expect(openText(tree, new Set())).toBe("-");
    expect(openText(tree, new Set([x, y, w]))).toBe("*");
  });
  it("leads back to them", () => {
    for (const open of [[], [x], [x, y], [w], [x, y, w]].map((groups) => new Set(groups))) {
      expect(sorted(openOf(tree, openText(tree, open)))).toEqual(sorted(open));
    }
    expect(sorted(openOf(tree, "gone,w"))).toEqual([w]);
  });
  it("does not grow without end", () => {
    const wide = treeOf(1, [...Array.from({ length: 2000 }, (_, index) => ({ label: `group ${index}`, inside: [] })), 0]);
    const open = new Set(Array.from({ length: 1999 }, (_, index) => 2 + index));
    const text = openText(wide, open);
    expect(text.length).toBeLessThan(8000);
    expect(openOf(wide, text).size).toBeGreaterThan(400);
  });
});

describe("a group", () => {
  it("opens with those around it, and closes with those in it", () => {
    expect(sorted(withOpen(tree, new Set([w]), y))).toEqual([x, w, y]);
    expect(sorted(withoutOpen(tree, new Set([x, w, y]), x))).toEqual([w]);
  });
  it("opens where an op in it is to be seen", () => {
    expect(sorted(showingOp(tree, new Set(), 2))).toEqual([x, y]);
    const open = new Set([x, y]);
    expect(showingOp(tree, open, 2)).toBe(open);
  });
});
