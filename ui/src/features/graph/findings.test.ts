// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { badgesOf, findingsOf } from "./findings";

const finding = (id: string, more: object = {}) => ({
  rule: "outlier_channel", op: { id, name: `/${id}` }, ops: [{ id, name: "" }, { id: "z", name: "" }], ...more,
});

describe("findings", () => {
  it("are those of the diagnosis, with the ops that they are about", () => {
    expect(findingsOf({ diagnosis: { findings: [finding("a", { output_share: 0.41 })] } })).toEqual([
      { title: "a, outlier channel", ops: ["a", "z"] },
    ]);
    expect(findingsOf({ findings: [finding("a", { output_share: -0.3 })] })[0]!.title).toBe("a, outlier channel");
  });

  it("are none of a run that has none, and none without an op", () => {
    for (const result of [null, {}, { findings: null }, { findings: [{ rule: "x" }] }]) expect(findingsOf(result)).toEqual([]);
  });

  it("are not all offered where there are thousands", () => {
    expect(findingsOf({ findings: Array.from({ length: 9000 }, (_, index) => finding(String(index))) })).toHaveLength(40);
  });

  it("are numbered at each box that stands for one of their ops, the first one where there are several", () => {
    expect(badgesOf([[3, 5], [2], [], [3, 4], [9]], (op) => (op === 9 ? -1 : op % 2))).toEqual([{ box: 1, text: "1" }, { box: 0, text: "2" }]);
    expect(badgesOf([[3, 4], [2]], (op) => op)).toEqual([{ box: 3, text: "1" }, { box: 4, text: "1" }, { box: 2, text: "2" }]);
  });
});
