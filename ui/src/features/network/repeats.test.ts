// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { GraphOp } from "./model";
import { crossings, findRepeat, repeatsOf } from "./repeats";

/** Letters are types; each op reads the one before it. */
const chain = (letters: string): GraphOp[] =>
  [...letters].map((type, index) => ({
    id: `v${index}`, name: `${type}_${index}`, type, kind: "", inputs: index > 0 ? [`v${index - 1}`] : ["x"], outputs: [`v${index}`],
  }));
const found = (letters: string) => repeatsOf(chain(letters), 4).map(({ start, period, count }) => [start, period, count]);

describe("repeated types", () => {
  it("are found between what is not repeated", () => {
    expect(found("xyzz" + "mabcdmeafg".repeat(6) + "wv")).toEqual([[4, 10, 6]]);
  });
  it("are found where pieces of a block are alike, too", () => {
    expect(found("x" + "abcdeabcdf".repeat(5))).toEqual([[1, 10, 5]]);
  });
  it("are of four ops where shorter ones cover no more", () => expect(found("ab".repeat(14))).toEqual([[0, 4, 7]]));
  it("may be several", () => expect(found("abcde".repeat(3) + "qrs" + "uvwuxy".repeat(4))).toEqual([[0, 5, 3], [18, 6, 4]]));
  it("are not the same op again and again, nor nothing", () => {
    expect(found("aaaaaaaaaaaa")).toEqual([]);
    expect(found("abcdefghijkl")).toEqual([]);
    expect(found("")).toEqual([]);
    expect(findRepeat([], 0, 0)).toBeNull();
  });
  it("begin where one value alone is handed on", () => {
    // the op before the first block is of the type that ends each block; two values cross the border before it
    const ops = chain("n" + "bcdn".repeat(3));
    const wide = ops.map((op, index) => (index > 0 && op.type === "n" ? { ...op, inputs: [`v${index - 1}`, `v${index - 2}`] } : op));
    expect(repeatsOf(wide, 4)).toEqual([{ start: 1, period: 4, count: 3 }]);
  });
  it("are found in a large network", () => {
    const ops = chain("x" + "abacadaeafagahaiajakalamanao".repeat(600) + "y");
    expect(repeatsOf(ops, 4)[0]).toMatchObject({ start: 1, count: 600 });
  });
});

it("values cross borders from where they are made to where they are read last", () => {
  const ops = chain("abcd");
  ops[3] = { ...ops[3]!, inputs: ["v2", "v0"] };
  expect(crossings(ops)).toEqual([0, 1, 2, 2]);
  expect(crossings([])).toEqual([]);
});
