// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figuresOf, nothingKnown } from "./figures";
import { counterpartsOf, figuresAcross } from "./pairs";
import { graphOf, tableOf } from "./testing";

// The quantized model has Conv and Relu as one op, with codes of its result, and a MatMul that stayed float.
const reference = graphOf(["Input", "Conv", "Relu", "MatMul", "Output"], [[0, 1], [1, 2], [2, 3], [3, 4]]);
const quantized = {
  ...graphOf(["Input", "QuantizeLinear", "QLinearConv", "QuantizeLinear", "DequantizeLinear", "MatMul", "Output"],
    [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]),
  ids: ["a", "qa", "conv8", "codes", "back", "d", "output:d"],
  kinds: ["input", "quantize", "qconv", "quantize", "dequantize", "matmul", "output"],
};
const values = quantized.ids.map((id) => ({ name: id, dtype: "uint8", shape: "?" }));
const figures = figuresOf(reference, nothingKnown).map((own, op) =>
  op === 1 || op === 2 ? { ...own, owner: 1, sqnr: 20, share: op === 1 ? 0.5 : NaN } : op === 3 ? { ...own, owner: 3, sqnr: 9 } : own);
const pairs = tableOf({ "op.id": ["b", "gone", "b"], quantized: ["codes", "x", "y"] });
const found = counterpartsOf(reference, { ...quantized, values }, pairs, figures);

describe("the op that stands for another one", () => {
  it("computes what its codes were made of, for all ops of the pattern", () => {
    expect([...found.toQuantized]).toEqual([0, 2, 2, 5, -1]);
  });
  it("is known the other way, too, and none of what the quantizer put in", () => {
    expect([...found.toReference]).toEqual([0, -1, 1, -1, -1, 3, -1]);
  });
  it("is the one of its name, and no conversion that gives back its value", () => {
    const same = { ...quantized, values, ids: ["a", "qa", "b", "codes", "back", "d", "output:d"] };
    expect([...counterpartsOf(reference, same, pairs, figures).toQuantized].slice(0, 3)).toEqual([0, 2, 2]);
    const back = { ...quantized, values, ids: ["a", "qa", "conv8", "codes", "c", "d", "output:d"] };
    expect([...counterpartsOf(reference, back, null, figures).toQuantized].slice(0, 3)).toEqual([0, -1, -1]);
  });
  it("is known by its id where there are no pairs", () => {
    expect([...counterpartsOf(reference, { ...quantized, values }, null, figures).toQuantized]).toEqual([0, -1, -1, 5, -1]);
  });
});

it("figures stand at the quantized ops, too", () => {
  const across = figuresAcross(figuresOf({ ...quantized, values }, nothingKnown), figures, found);
  expect(across[2]).toMatchObject({ id: "conv8", type: "QLinearConv", sqnr: 20, share: 0.5, owner: 2 });
  expect(across[5]).toMatchObject({ id: "d", sqnr: 9, owner: 5 });
  expect(across[1]).toMatchObject({ owner: -1, sqnr: NaN });
});
