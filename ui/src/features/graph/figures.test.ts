// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { comparedOf, type Compared } from "../../base/compared";
import { compile } from "../../base/query";
import { figuresOf, languageOf, nodeTimesOf, nothingKnown, plansOf, readersOf } from "./figures";
import { graphOf, tableOf } from "./testing";

const row = (id: string, more: Partial<Compared>): Compared => ({
  ...comparedOf(tableOf({ "op.id": [id], "op.name": [id], type: ["Conv"], value: [`${id}_out`] }))[0]!, ...more,
});
const graph = graphOf(["Input", "Conv", "BatchNorm", "Relu", "Add", "Output"], [[0, 1], [1, 2], [2, 3], [3, 4], [1, 4], [4, 5]]);
const known = {
  ...nothingKnown,
  compared: [row("b", { pattern: "Conv BatchNorm Relu", sqnr: 20, share: 0.4, drop: 3 }), row("e", { type: "Add", sqnr: 12, share: 0.1 })],
};

describe("figures of ops", () => {
  it("stand at all ops of a pattern; what is added up, at the first alone", () => {
    const all = figuresOf(graph, known);
    expect(all.map(({ owner }) => owner)).toEqual([-1, 1, 1, 1, 4, -1]);
    expect(all.map(({ sqnr }) => sqnr)).toEqual([NaN, 20, 20, 20, 12, 12]); // the last one is an output of the network
    expect(all.map(({ share }) => share)).toEqual([NaN, 0.4, NaN, NaN, 0.1, NaN]);
    expect(all[2]).toMatchObject({ id: "c", name: "c", type: "BatchNorm", drop: 3 });
  });

  it("are those of the worst value where an op has several", () => {
    const compared = [row("e", { sqnr: 30, value: "x" }), row("e", { sqnr: 12, value: "y" }), row("e", { sqnr: 40 })];
    const all = figuresOf(graph, { ...known, compared });
    expect(all[4]).toMatchObject({ sqnr: 12, value: "y" });
  });

  it("leave rows of ops that the graph does not have", () => {
    expect(figuresOf(graph, { ...known, compared: [row("z", { sqnr: 1 })] }).every(({ owner }) => owner < 0)).toBe(true);
  });

  it("come with precision, reason, dtype and time", () => {
    const plans = plansOf(tableOf({ "op.id": ["b", "e"], precision: ["int8", "fp32"], reason: ["", "no integer form"] }));
    const all = figuresOf(graph, { ...known, plans, times: new Map([["e", 12]]) });
    expect(all[1]).toMatchObject({ precision: "int8", reason: "", dtype: "float32", time: NaN });
    expect(all[4]).toMatchObject({ precision: "fp32", reason: "no integer form", time: 12 });
    expect(all[5]).toMatchObject({ precision: "", dtype: "" });
    const found = (query: string) => all.filter(compile(query, languageOf()).holds!).map(({ id }) => id);
    expect(found("precision:fp32 time>10")).toEqual(["e"]);
    expect(found("reason:integer | sqnr>15 type:relu")).toEqual(["d", "e"]);
  });
});

it("ops know what reads them", () => {
  expect(readersOf(graph)).toEqual([[1], [2, 4], [3], [4], [5], []]);
});

it("times of nodes add up at the first op of each", () => {
  const ops = [[{ id: "a" }, { id: "b" }], [{ id: "a" }], [], null];
  expect([...nodeTimesOf(tableOf({ ops, mean_us: [3, 4, 9, 9] }))]).toEqual([["a", 7]]);
});
