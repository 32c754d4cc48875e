// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figuresOf, nothingKnown, type Figures } from "./figures";
import { flowOf, reachedFrom } from "./flow";
import { graphOf } from "./testing";

//  a ─ b ─ c ─ d ─ e      b and f are compared, c and d are not; s makes a shape
//   ╲ f ────╱   s
const graph = graphOf(["Input", "Conv", "Mul", "Add", "Output", "Conv", "Shape"], [[0, 1], [1, 2], [2, 3], [3, 4], [0, 5], [5, 3], [1, 6], [6, 3]], {
  carries: Int32Array.from([0, 1, 2, 3, 0, 5, 1, 6]),
});

function figures(known: Record<number, number>): Figures[] {
  return figuresOf(graph, nothingKnown).map((own, op) => (op in known ? { ...own, owner: op, sqnr: known[op]!, mse: 1 / known[op]! } : own));
}

describe("the error that flows", () => {
  it("is that of the compared value that an edge carries", () => {
    const ordered = { ...graph, source: Int32Array.from([0, 1]), target: Int32Array.from([1, 2]), carries: Int32Array.from([0, 1]) };
    const { sqnr, mse, isOwn } = flowOf(ordered, figures({ 1: 20 }));
    expect([...sqnr]).toEqual([NaN, 20]);
    expect([...mse]).toEqual([NaN, 0.05]);
    expect([...isOwn]).toEqual([0, 1]);
  });

  it("is, of values that were not compared, the worst of what comes before", () => {
    const { sqnr, isOwn } = flowOf(graph, figures({ 1: 20 }));
    expect(sqnr[2]).toBe(20);
    expect(sqnr[3]).toBe(20);
    expect([isOwn[1], isOwn[2]]).toEqual([1, 0]);
    const inOrder = graphOf(["Conv", "Conv", "Add", "Mul", "Output"], [[0, 2], [1, 2], [2, 3], [3, 4]]);
    const all = figuresOf(inOrder, nothingKnown).map((own, op) => (op < 2 ? { ...own, owner: op, sqnr: [30, 15][op]! } : own));
    expect([...flowOf(inOrder, all).sqnr]).toEqual([30, 15, 15, 15]);
  });

  it("is none where shapes and indices are carried", () => {
    const values = graph.values.map((value, index) => (index === 6 ? { ...value, dtype: "int64" } : value));
    expect(flowOf({ ...graph, values }, figures({ 1: 20 })).sqnr[7]).toBeNaN();
  });

  it("is in codes, too", () => {
    const values = graph.values.map((value, index) => (index === 1 ? { ...value, dtype: "uint8" } : value));
    expect(flowOf({ ...graph, values }, figures({ 1: 20 })).sqnr[1]).toBe(20);
  });
});

it("an op's error reaches all that reads it, directly or not", () => {
  expect([...reachedFrom(graph, [5])]).toEqual([0, 0, 0, 1, 1, 1, 0]);
  expect([...reachedFrom(graph, [])]).toEqual([0, 0, 0, 0, 0, 0, 0]);
});
