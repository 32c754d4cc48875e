// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figuresOf, nothingKnown } from "./figures";
import type { Flow } from "./flow";
import { knownQuantities } from "./quantities";
import { graphOf, treeOf } from "./testing";
import { sentenceOf, toldOfGroup, toldOfOp, toldOfWire } from "./tips";

const graph = graphOf(["Input", "Conv", "Constant", "Relu", "Output"], [[0, 1], [1, 3], [2, 3], [3, 4]], { host: Int32Array.from([-1, -1, 3, -1, -1]) });
const all = figuresOf(graph, nothingKnown).map((own, op) =>
  op === 1 || op === 3
    ? { ...own, owner: 1, sqnr: 12, share: op === 1 ? 0.2 : NaN, precision: "fp32", reason: op === 3 ? "Relu has no integer form" : "" }
    : own);

describe("what is told of an op", () => {
  it("are its figures, what it reads and what it makes", () => {
    expect(toldOfOp(graph, all, 1, [["group", "32"]])).toEqual({
      name: "b", kind: "Conv", notes: [],
      figures: [
        ["SQNR", "12.0 dB"], ["Output share", "20.0 %"], ["Precision", "fp32"], ["In", "float32 [N,4]"], ["Out", "float32 [N,4]"],
        ["group", "32"],
      ],
    });
  });
  it("is why it stayed float, and what it is one with", () => {
    expect(toldOfOp(graph, all, 3).notes).toEqual([
      "One with b, whose figures these are.", "Not quantized: Relu has no integer form.", "Drawn with it: Constant.",
    ]);
    expect(toldOfOp(graph, all, 2).notes).toEqual(["Not compared by itself."]);
  });
  it("is, at the ends of the network, the value's name", () => {
    expect(toldOfOp(graph, all, 0)).toMatchObject({ name: "a_out", kind: "Input", notes: [] });
    expect(toldOfOp(graph, all, 4)).toMatchObject({ name: "d_out", kind: "Output" });
  });
  it("names each value once, and no more than some", () => {
    const wide = graphOf([..."abcdefgh"].map(() => "Op"), [[0, 7], [0, 7], [1, 7], [2, 7], [3, 7], [4, 7], [5, 7]]);
    const told = toldOfOp(wide, figuresOf(wide, nothingKnown), 7).figures;
    expect(told.map(([name]) => name)).toEqual(["In 1", "In 2", "In 3", "In 4", "In 5"]);
    expect(told[4]![1]).toBe("2 more");
  });
});

it("a group tells its worst op, and how it opens", () => {
  const tree = { ...treeOf(5, [0, { label: "x", inside: [1, 3] }, 4]), alike: Int32Array.from([-1, -1]) };
  const sqnr = knownQuantities(all).find(({ id }) => id === "sqnr")!;
  expect(toldOfGroup(tree, 6, sqnr, 12, false)).toEqual({
    name: "x", kind: "group of 2 ops", figures: [["SQNR, worst", "12.0 dB"]], notes: ["Double click or Enter opens it."],
  });
  const twice = toldOfGroup({ ...tree, alike: Int32Array.from([0, 0]) }, 6, sqnr, NaN, true);
  expect(twice).toMatchObject({ figures: [], notes: ["2 groups are built like this one."] });
});

describe("what is told of a wire", () => {
  const flow: Flow = {
    sqnr: Float64Array.from([NaN, 12, NaN, 30]), mse: Float64Array.from([NaN, 0.5, NaN, 0.1]), isOwn: Uint8Array.from([0, 1, 0, 0]),
  };
  it("is the value that it carries, with its error", () => {
    expect(toldOfWire(graph, flow, [1])).toEqual({
      name: "b_out", kind: "float32 [N,4]", figures: [["SQNR", "12.0 dB"], ["MSE", "0.5"], ["From", "b"], ["To", "d"]], notes: [],
    });
    expect(toldOfWire(graph, flow, [3]).notes).toEqual(["Not compared: figures of the values before it."]);
    expect(toldOfWire(graph, null, [1]).figures).toEqual([["From", "b"], ["To", "d"]]);
  });
  it("is the worst of several", () => {
    expect(toldOfWire(graph, flow, [0, 3, 1])).toMatchObject({ name: "3 values", figures: [["SQNR, worst", "12.0 dB"], ["MSE", "0.5"]] });
  });
});

it("all of it is one sentence to who listens", () => {
  const told = { name: "a", kind: "Conv", figures: [["SQNR", "3.0 dB"] as const], notes: ["Not quantized: x."] };
  expect(sentenceOf(told)).toBe("a, Conv; SQNR 3.0 dB. Not quantized: x.");
});
