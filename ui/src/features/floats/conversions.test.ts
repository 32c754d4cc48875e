// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Fate } from "../../base/op-counts";
import { bordersOf, codedOf, countInFile, Links, ranOf } from "./conversions";

const page = (columns: Record<string, unknown[]>) => ({ rows: 0, offset: 0, count: 0, columns });
const op = (id: string, inputs: string[]) => ({ id, name: id.toUpperCase(), inputs, outputs: [id] });
const fates = (given: Record<string, Fate>) => (id: string) => given[id];

describe("borders", () => {
  const ops = new Links([op("a", ["x"]), op("b", ["a"]), op("c", ["b"]), op("d", ["b"])]);

  it("lie where codes are made of floats, and where floats are made of codes", () => {
    const coded = codedOf(page({ value: ["x", "a", "b"], all_uses: [false, true, true], uses: [[{ op: "a", input: 0 }], [], []] }));
    const found = bordersOf(coded, ops, fates({ a: "int8", b: "int8", c: "float", d: "int8" }), new Set());
    expect(found.map(({ name, direction, where, id }) => [name, direction, where, id])).toEqual([
      ["x", "to int8", "input of the model → A", ""], ["b", "to float", "B → C", "b"],
    ]);
  });
  it("lie before outputs of the model, too", () => {
    expect(bordersOf(new Map([["d", null]]), ops, fates({ d: "int8" }), new Set(["d"]))).toMatchObject([{ where: "D → output of the model" }]);
  });
  it("are of the uses that read codes alone", () => {
    const found = bordersOf(new Map([["b", new Set(["d"])]]), ops, fates({ b: "float", d: "int8" }), new Set());
    expect(found).toMatchObject([{ direction: "to int8", where: "B → D", id: "b" }]);
    expect(bordersOf(new Map(), new Links([]), () => undefined, new Set())).toEqual([]);
  });
});

it("what ran is read from a profile, the longest first", () => {
  const columns = {
    role: ["op", "quantize", "dequantize", "quantize"], name: ["c", "x_QuantizeLinear", "d1", "/a/a_out:0_QuantizeLinear_2"],
    mean_us: [9, 1.5, "nan"], inputs: [[], ["float32[1,8]"], null], ops: [[], [{ id: "i", name: "x_QuantizeLinear" }], null],
  };
  const links = new Links([op("a", ["x"]), { ...op("b", ["/a/a_out:0"]), outputs: [] }, ...["c", "d", "e", "f"].map((id) => op(id, ["x"]))]);
  expect(ranOf(page(columns), links)).toMatchObject([
    { name: "x_QuantizeLinear", direction: "to int8", shape: "float32[1,8]", time: 1.5, id: "", where: "input of the model → A, C, D and 2 more" },
    { name: "d1", direction: "to float", time: NaN, where: "" },
    { where: "input of the model → B" },
  ]);
  expect(ranOf(page({}), links)).toEqual([]);
});

it("nodes of the file are counted, those of weights apart", () => {
  const columns = { kind: ["quantize", "dequantize", "dequantize", "conv"], inputs: [["x"], ["x_q"], ["w_q"], null] };
  expect(countInFile(page(columns), new Set(["w_q"]))).toEqual({ quantizers: 1, dequantizers: 1, ofWeights: 1 });
  expect(countInFile(page({}), new Set())).toEqual({ quantizers: 0, dequantizers: 0, ofWeights: 0 });
});
