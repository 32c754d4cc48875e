// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { barsOf, outline, partsOf, type Pair } from "./model";

type Row = Parameters<typeof partsOf>[0];

describe("the parts of an op's own error", () => {
  it("come with their shares, the greatest first", () => {
    const row = { rounding_mse: 1, clipping_mse: 0, weight_mse: 3, input_mse: null, other_mse: 0 } as unknown as Row;
    expect(partsOf(row).map(({ name, share }) => [name, share])).toEqual([["its weight", 0.75], ["rounding of its result", 0.25]]);
  });
  it("are none where no local error was measured", () => {
    expect(partsOf(undefined)).toEqual([]);
    expect(partsOf({ rounding_mse: null } as unknown as Row)).toEqual([]);
  });
});

describe("bars", () => {
  const pair = { edges: [0, 1, 2], reference: [0, 99], quantized: [9, 90] } as unknown as Pair;
  it("are shares of the fullest bin of both sides", () => {
    expect(barsOf(pair, false)).toEqual({ reference: [0, 1], quantized: [9 / 99, 90 / 99], fullest: 99 });
    expect(barsOf(pair, true).quantized[0]).toBeCloseTo(0.5);
  });
  it("without a quantized side are one outline", () => expect(barsOf({ ...pair, quantized: null }, false).quantized).toEqual([]));
  it("are drawn as steps", () => expect(outline([0, 1], 10, 4)).toBe("M0 4L0.0 4.0L5.0 4.0L5.0 0.0L10.0 0.0L10 4Z"));
});
