// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figuresOf, languageOf, nothingKnown } from "./figures";
import { hitsOf, nextHit } from "./hits";
import { graphOf, treeOf } from "./testing";

const graph = graphOf(["Input", "Conv", "Constant", "Conv", "Add"], [[0, 1], [1, 3], [2, 3], [3, 4]], { host: Int32Array.from([-1, -1, 3, -1, -1]) });
const tree = treeOf(5, [0, { label: "x", inside: [1, { label: "y", inside: [3] }] }, 4]);
const all = figuresOf(graph, nothingKnown);
const search = (query: string) => hitsOf(query, languageOf(), all, graph, tree);

describe("a query", () => {
  it("finds ops, and is counted in the groups around them", () => {
    const { ops, counts } = search("type:conv");
    expect(ops).toEqual([1, 3]);
    expect([...counts!]).toEqual([0, 1, 0, 1, 0, 2, 2, 1]);
  });
  it("finds what hangs at its host", () => {
    expect([...search("type:constant").counts!]).toEqual([0, 0, 0, 1, 0, 1, 1, 1]);
  });
  it("that is empty finds nothing, one that is wrong says why", () => {
    expect(search("  ")).toEqual({ ops: [], counts: null });
    expect(search("nothing:1")).toMatchObject({ ops: [], counts: null, error: expect.stringContaining("nothing") });
  });
});

it("one hit leads to the next, and the last to the first", () => {
  expect([nextHit([1, 3, 9], 3, 1), nextHit([1, 3, 9], 9, 1), nextHit([1, 3, 9], -1, 1)]).toEqual([9, 1, 1]);
  expect([nextHit([1, 3, 9], 3, -1), nextHit([1, 3, 9], 1, -1), nextHit([], 1, 1)]).toEqual([1, 9, undefined]);
});
