// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { labelsOf } from "./labels";
import { drawnOps } from "./ops";
import { graphOf, treeOf } from "./testing/small";

const graph = drawnOps(graphOf(["Input", "com.microsoft.QLinearConv", "Constant", "Add", "Output"], [[0, 1], [1, 3], [2, 3], [3, 4]], {
  host: Int32Array.from([-1, -1, 3, -1, -1]), names: ["pixels", "/x/a/Conv", "/x/b/Constant", "/x/b/Add", "logits"],
}));
const tree = { ...treeOf(5, [0, { label: "a", inside: [1] }, { label: "b", inside: [3] }, 4]), alike: Int32Array.from([-1, 0, 0]) };
const widthOf = (title: string) => title.length * 7;
const labels = labelsOf(graph, tree, widthOf);

describe("boxes", () => {
  it("are called by type, ends of the network and groups by name", () => {
    expect(labels.titles).toEqual(["pixels", "QLinearConv", "Constant", "Add", "logits", "", "a", "b"]);
  });
  it("say how many ops hang on them, and how many groups are like them", () => {
    expect(labels.marks.slice(1)).toEqual(["", "", "+1", "", "", "1 of 2 alike", "1 of 2 alike"]);
  });
  it("have room for what is written in them", () => {
    const [width, height] = [labels.sizes[2], labels.sizes[3]];
    expect(width).toBeGreaterThan(widthOf("QLinearConv"));
    expect(height).toBe(40);
    expect(labels.sizes[2 * 3]).toBe(76);
    expect(labels.sizes[2 * 6]).toBeGreaterThanOrEqual(150);
  });
  it("are no wider than a tile reaches, whatever a group is called", () => {
    const long = { ...tree, labels: ["", "averylongnameofascope".repeat(9), "b"] };
    const { titles, sizes } = labelsOf(graph, long, widthOf);
    expect(sizes[2 * 6]).toBe(260);
    expect(titles[6]).toMatch(/^….*ofascope$/);
    expect(widthOf(titles[6]!)).toBeLessThan(240);
  });
});
