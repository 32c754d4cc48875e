// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { Shown } from "../../graph/shown";
import { figuresOf, nothingKnown, type Figures } from "./figures";
import type { Flow } from "./flow";
import { colouredBy, detailsOf, hasUntold, litNodes, strokesOf, wiresOf, wiresWith, wordsOf } from "./look";
import { knownQuantities } from "./quantities";
import { graphOf, sceneOfWires, treeOf } from "./testing";

const graph = graphOf(["Input", "Conv", "Relu", "Constant", "Add", "Output"], [[0, 1], [1, 2], [2, 4], [0, 4], [3, 4], [4, 5]], {
  host: Int32Array.from([-1, -1, -1, 4, -1, -1]),
});
const tree = treeOf(6, [0, { label: "x", inside: [1, 2, 4] }, 5]);
const x = 7;
const all: Figures[] = figuresOf(graph, nothingKnown).map((own, op) => ({
  ...own, ...(op === 1 || op === 2 ? { owner: 1, sqnr: 24, share: op === 1 ? 0.3 : NaN } : {}), ...(op === 4 ? { owner: 4, sqnr: 8, share: 0.1 } : {}),
  precision: op === 1 || op === 2 ? "int8" : op === 4 ? "fp32" : "",
}));
const quantity = (id: string) => knownQuantities(all).find((one) => one.id === id)!;
const words = wordsOf(quantity("precision"), graph, all);
const coloured = (id: string) => colouredBy(quantity(id), words, graph, tree, all);

describe("boxes", () => {
  it("have the colour of their figure, groups that of their worst op", () => {
    const { steps, values } = coloured("sqnr");
    expect([...steps]).toEqual([0, 3, 3, 0, 5, 0, 5, 5]);
    expect(values[x]).toBe(8);
  });

  it("add up shares in groups, and colour a whole pattern by its share", () => {
    const { steps, values } = coloured("share");
    expect(values[x]).toBeCloseTo(0.4);
    expect([steps[1], steps[2], steps[4], steps[x]]).toEqual([5, 5, 4, 5]);
  });

  it("tell how many ops of a group have each colour, without what hangs on others", () => {
    const { strips } = coloured("sqnr");
    expect([...strips.slice(6)].map((part) => Math.round(part * 100))).toEqual([0, 0, 0, 67, 0, 33]);
  });

  it("have a word's colour, a group where all of it has", () => {
    const { steps } = coloured("precision");
    expect([steps[1], steps[4], steps[x], steps[0]]).toEqual([words.get("int8"), words.get("fp32"), 0, 0]);
    const one = colouredBy(quantity("precision"), words, graph, tree, all.map((own) => ({ ...own, precision: "int8" })));
    expect(one.steps[x]).toBe(words.get("int8"));
    expect([...wordsOf(quantity("type"), graph, all).keys()]).toEqual(["Add", "Conv", "Relu"]);
    expect(wordsOf(quantity("sqnr"), graph, all).size).toBe(0);
  });

  it("may be without a figure, or a word with a colour", () => {
    expect(hasUntold(quantity("sqnr"), words, graph, all)).toBe(false);
    expect(hasUntold(quantity("sqnr"), words, graph, all.map((own, op) => (op === 4 ? { ...own, sqnr: NaN } : own)))).toBe(true);
    expect(hasUntold(quantity("precision"), new Map([["int8", 1]]), graph, all)).toBe(true);
  });

  it("say their figure, or what they are one with", () => {
    const details = detailsOf(quantity("sqnr"), coloured("sqnr"), graph, tree, all);
    expect(details).toEqual(["", "24.0 dB", "with Conv", "", "8.0 dB", "", "3 ops · 8.0 dB", "3 ops · 8.0 dB"]);
    expect(detailsOf(quantity("precision"), coloured("precision"), graph, tree, all)[x]).toBe("3 ops");
  });

  it("are lit where an op in them is", () => {
    expect([...litNodes(tree, Uint8Array.from([0, 0, 1, 0, 0, 0]))!]).toEqual([0, 0, 1, 0, 0, 0, 1, 1]);
    expect(litNodes(tree, null)).toBeNull();
  });
});

describe("wires", () => {
  const scene = sceneOfWires(x);
  const shown = new Shown(graph, tree, scene);
  it("of an op begin or end at it, those of a way are all its pieces", () => {
    expect([...wiresOf(shown, 4, "all")]).toEqual([0, 3, 4, 5, 6]);
    expect([...wiresWith(shown, 5)]).toEqual([5, 6]);
    expect([...wiresWith(shown, 1)]).toEqual([0, 1]);
  });
});

it("edges have the colour of their error, dashed where it is that of what is before", () => {
  const flow: Flow = { sqnr: Float64Array.from([NaN, 24, 24, 50, NaN, 8]), mse: new Float64Array(6), isOwn: Uint8Array.from([0, 1, 0, 1, 0, 1]) };
  expect([...strokesOf(flow)]).toEqual([0, 3, 8, 1, 0, 5]);
});
