// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { Shown } from "../../graph/shown";
import { graphOf, sceneOf, treeOf } from "./testing";
import { siblings, walked } from "./walk";

//       a          group x holds b, c, d; e hangs on d
//     ╱   ╲
//    b     c
//     ╲   ╱
//       d ── f
const graph = graphOf(["Input", "Conv", "Conv", "Add", "Constant", "Output"], [[0, 1], [0, 2], [1, 3], [2, 3], [4, 3], [3, 5]], {
  host: Int32Array.from([-1, -1, -1, -1, 3, -1]),
});
const tree = { ...treeOf(6, [0, { label: "x", inside: [1, 2, 3] }, 5]) };
tree.parent[4] = 7;
const x = 7;
const closed = new Shown(graph, tree, sceneOf({ open: [], boxes: [[0, 0, 0], [x, 0, 100], [5, 0, 200]] }));
const open = new Shown(graph, tree, sceneOf({
  open: [[x, -100, 80, 300, 200]], boxes: [[0, 0, 0], [1, -80, 100], [2, 80, 100], [3, 0, 200], [5, 0, 320]],
}));

describe("what stands for an op", () => {
  it("is its box, its host's, or its closed group's", () => {
    expect([0, 1, 3, 4, 5].map((op) => closed.of(op))).toEqual([0, 1, 1, 1, 2]);
    expect([0, 1, 2, 3, 4, 5, x].map((node) => open.of(node))).toEqual([1, 2, 3, 4, 4, 5, 0]);
    expect([open.isFrame(0), open.isFrame(1), open.isFrame(-1)]).toEqual([true, false, false]);
  });
});

describe("arrow keys", () => {
  it("lead along edges, past closed groups", () => {
    expect(walked(closed, 0, "down", -1)).toBe(1);
    expect(walked(closed, 1, "down", -1)).toBe(2);
    expect(walked(closed, 2, "down", -1)).toBe(2);
    expect(walked(closed, 2, "up", -1)).toBe(1);
  });
  it("lead to the nearest of several, and back to where one came from", () => {
    expect(walked(open, 1, "down", -1)).toBe(2);
    expect(walked(open, 4, "up", 3)).toBe(3);
    expect(walked(open, 1, "down", 3)).toBe(3);
  });
  it("lead to what lies beside", () => {
    expect(walked(open, 2, "right", -1)).toBe(3);
    expect(walked(open, 3, "left", -1)).toBe(2);
    expect(walked(open, 3, "right", -1)).toBe(3);
  });
  it("lead to what else reads the value that one came along, and what else is read", () => {
    expect([walked(open, 2, "right", 1), walked(open, 3, "left", 1), walked(open, 3, "right", 1)]).toEqual([3, 2, 3]);
    expect([walked(open, 2, "right", 4), walked(open, 3, "left", 4)]).toEqual([3, 2]);
    expect([siblings(open, 2, 1), siblings(open, 3, 4), siblings(open, 2, -1), siblings(open, 2, 5)]).toEqual([[2, 3], [2, 3], [], []]);
  });
  it("lead out of an open group", () => {
    expect(walked(open, 0, "down", -1)).toBe(5);
    expect(walked(open, 0, "up", -1)).toBe(1);
  });
});
