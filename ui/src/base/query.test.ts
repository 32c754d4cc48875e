// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { compile, isInScope, type Language } from "./query";

interface Row {
  name: string;
  type: string;
  sqnr: number;
  clip: number;
}

const language: Language<Row> = {
  name: (row) => row.name,
  fields: [
    { names: ["type", "kind"], meaning: "the operator", text: (row) => row.type },
    { names: ["sqnr"], meaning: "dB", number: (row) => row.sqnr },
    { names: ["clip"], meaning: "share", number: (row) => row.clip },
  ],
};

const rows: Row[] = [
  { name: "/layer.3/attention/MatMul", type: "MatMul", sqnr: 12, clip: 0 },
  { name: "/layer.31/attention/MatMul", type: "MatMul", sqnr: 30, clip: 0.02 },
  { name: "/stem/depthwise/Conv", type: "Conv", sqnr: 18.5, clip: 0.3 },
  { name: "softmax", type: "Softmax", sqnr: NaN, clip: 0 },
];

function found(text: string): number[] {
  const { holds, error } = compile(text, language);
  if (!holds) throw new Error(error);
  return rows.flatMap((row, index) => (holds(row) ? [index] : []));
}

describe("a query", () => {
  it("that is empty holds for all", () => expect(found(" ")).toEqual([0, 1, 2, 3]));
  it("compares figures, and a row without one never holds", () => {
    expect(found("sqnr<20")).toEqual([0, 2]);
    expect(found("sqnr >= 18.5")).toEqual([1, 2]);
    expect(found("clip>1%")).toEqual([1, 2]);
  });
  it("looks for text in a field whatever its case", () => expect(found("kind:conv")).toEqual([2]));
  it("looks for bare words in the name", () => {
    expect(found("depthwise")).toEqual([2]);
    expect(found('"/layer.3"')).toEqual([0, 1]);
  });
  it("knows scopes part by part", () => {
    expect(found("scope:layer.3")).toEqual([0]);
    expect(isInScope("a.layer.3", "layer.3")).toBe(true);
    expect(isInScope("player.3/x", "layer.3")).toBe(false);
  });
  it("takes names of JavaScript's own for names", () => {
    expect(found("sqnr constructor 10")).toEqual([]);
    expect(found("toString")).toEqual([]);
  });
  it("binds and before or, and negates", () => {
    expect(found("type:Softmax | sqnr<20 & type:Conv")).toEqual([2, 3]);
    expect(found("!(sqnr<20) !type:softmax")).toEqual([1]);
    expect(found("attention sqnr>20")).toEqual([1]);
  });
  it.each([
    ["sqnr<", "missing"],
    ["sqnr<abc", "no number"],
    ["colour:red", "there is no field 'colour'; known: scope, type"],
    ["(sqnr<3", "not closed"],
    ["a)", "not expected"],
    ["& a", "missing"],
    ['"a', "not closed"],
    ["type<3", "no figure"],
    ["(".repeat(20_000), "nested too deeply"],
    ["!".repeat(20_000), "nested too deeply"],
  ])("that is %s says what is wrong", (text, said) => expect(compile(text, language).error).toContain(said));
});
