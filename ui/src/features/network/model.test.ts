// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csv } from "../../base/table";
import { comparedOf, type Compared } from "../../base/compared";
import { columns, figuresOf, graphOf, partOf, sentenceOf, stepsOf, type GraphOp } from "./model";

const op = (id: string, outputs: string[], inputs: string[] = []): GraphOp => ({ id, name: id, type: "Conv", kind: "conv", inputs, outputs });
const row = (id: string, value: string, more: Partial<Compared> = {}): Compared => ({
  ...comparedOf({ rows: 1, offset: 0, count: 1, columns: { "op.id": [id], "op.name": [id], value: [value], type: ["Conv"] } })[0]!,
  ...more,
});

describe("steps", () => {
  const graph = [op("a", ["a", "a2"]), op("b", ["b"]), op("relu", ["r"]), op("c", ["c"])];

  it("stand in the order in which the network makes their values", () => {
    const rows = [row("c", "c"), row("b", "r"), row("x", "x", { type: "Input" }), row("a", "a2"), row("a", "a"), row("?", "?")];
    const steps = stepsOf(rows, graph);
    expect(steps.map((step) => step.value)).toEqual(["x", "a2", "a", "r", "c", "?"]);
    expect(steps.map((step) => step.place)).toEqual([-1, 0, 0, 1, 3, -1]);
  });
  it("of nothing are none", () => {
    expect(stepsOf([], graph)).toEqual([]);
    expect(stepsOf([row("a", "a")], []).map((step) => step.place)).toEqual([-1]);
  });
});

describe("error", () => {
  const part = (sqnr: number, drop: number, local: number, share: number) => partOf({ sqnr, drop, local, share });

  it("is born where its share is large, or where SQNR falls by the op's own error", () => {
    expect(part(40, 0, 60, 0.06)).toBe("born");
    expect(part(20, 5, 22, 0.01)).toBe("born");
    expect(part(22, 5, 24, 0.002)).toBe("");
    expect(part(20, 5, NaN, NaN)).toBe("born");
  });
  it("is not born where the fall leaves it good, or is that of others", () => {
    expect(part(38, 22, 38, 0.01)).toBe("");
    expect(part(25, 5, 40, 0)).toBe("");
  });
  it("is inherited where SQNR is low and the op's own error is small", () => {
    expect(part(12, 0.2, 35, 0.001)).toBe("inherited");
    expect(part(12, -1, Infinity, 0)).toBe("inherited");
    expect(part(12, 0.2, NaN, NaN)).toBe("inherited");
    expect(part(12, 0.2, 15, 0.01)).toBe("");
    expect(part(NaN, NaN, NaN, NaN)).toBe("");
  });
});

describe("a step", () => {
  const steps = stepsOf([row("a", "a", { sqnr: 12.34, sqnrInterval: [12, 13], drop: NaN, local: Infinity, share: 0.051 })], [op("a", ["a"])]);

  it("is told in figures", () => {
    expect(figuresOf(steps[0]!)).toEqual([
      ["SQNR", "12.3 dB (12.0 to 13.0)"], ["Drop", "–"], ["Local SQNR", "∞ dB"], ["Output share", "5.1 %"],
    ]);
    expect(sentenceOf(steps[0]!)).toContain("a, Conv: SQNR 12.3 dB");
    expect(sentenceOf(steps[0]!)).toContain("error is born here");
  });
  it("is saved with all its digits", () => {
    const lines = csv(steps.map((step, index) => ({ ...step, number: index + 1 })), columns).split("\r\n");
    expect(lines[1]).toBe("1,a,Conv,a,12.34,12,13,NaN,Infinity,0.051,error is born here");
  });
});

it("a graph is made of columns, whatever is missing", () => {
  const columns = { op: ["a", "b"], name: ["A"], inputs: [["x"], null], outputs: [["y"]] };
  expect(graphOf({ rows: 2, offset: 0, count: 2, columns })).toEqual([
    { id: "a", name: "A", type: "", kind: "", inputs: ["x"], outputs: ["y"] },
    { id: "b", name: "b", type: "", kind: "", inputs: [], outputs: [] },
  ]);
});
