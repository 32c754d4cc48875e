// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { ActivationRow } from "./model";
import { figuresOf, originOf, partsCsv, partsOf, samplesOf, whyNoParts } from "./parts";

const row = (fields: object) => fields as ActivationRow;
const whole = row({ mse: 8, sqnr_db: 14, local_mse: 4, local_sqnr_db: 20, rounding_mse: 1, clipping_mse: 0, weight_mse: 2, input_mse: 1,
  other_mse: null });

describe("the parts of an op's own error", () => {
  it("follow each other in the waterfall", () => {
    expect(partsOf(whole).map(({ id, from, share }) => [id, from, share])).toEqual([
      ["rounding", 0, 0.25], ["clipping", 0.25, 0], ["weight", 0.25, 0.5], ["input", 0.75, 0.25],
    ]);
  });
  it("say what SQNR each would leave alone", () => {
    const [rounding, clipping] = partsOf(whole);
    expect(rounding!.alone).toBeCloseTo(10 * Math.log10(400));
    expect(clipping!.alone).toBe(Infinity);
  });
  it("are none where none was measured, and the reason is told", () => {
    for (const nothing of [undefined, row({}), row({ rounding_mse: "nan" }), row({ rounding_mse: 0, weight_mse: 0 }), row({ rounding_mse: "inf" })]) {
      expect(partsOf(nothing)).toEqual([]);
    }
    expect(whyNoParts(undefined)).toContain("No activation");
    expect(whyNoParts(row({ local_mse: null }))).toContain("was not measured");
    expect(whyNoParts(row({ local_mse: 0 }))).toBe("It makes no error of its own.");
  });
  it("are saved as figures", () => expect(partsCsv(partsOf(whole)).split("\r\n")[3]).toMatch(/^Weight,2,0.5,23\./));
});

describe("figures of a row", () => {
  it("have intervals where they are stored", () => {
    const shown = figuresOf(row({ sqnr_db: 16.24, sqnr_db_interval: [15.9, 16.5], local_sqnr_db: "inf", output_share: 0.012,
      output_share_interval: [0, 0.03], mse: "nan" }));
    expect(shown.map(({ id, text, between }) => [id, text, between])).toEqual([
      ["sqnr", "16.2", "15.9 to 16.5"], ["local", "∞", ""], ["share", "1.2 %", "0 to 3 %"],
    ]);
  });
  it("are none of an empty row", () => expect(figuresOf(row({}))).toEqual([]));
});

describe("where the error comes from", () => {
  it("is told without the part of its inputs", () => expect(originOf(whole)).toMatch(/^About 38 % of the error here begins at this op/));
  it("is told of an op that makes next to nothing", () => {
    expect(originOf(row({ mse: 1, local_mse: 0.001, input_mse: 0 }))).toMatch(/^Less than 1 % of the error here begins/);
  });
  it("is told of an op that makes all of it", () => expect(originOf(row({ mse: 1, local_mse: 1.2, input_mse: 0 }))).toMatch(/^Nearly all/));
  it("is not told where it is not known", () => {
    for (const one of [row({}), row({ mse: 0, local_mse: 0 }), row({ mse: "inf", local_mse: 1 })]) expect(originOf(one)).toBe("");
  });
});

describe("worst samples", () => {
  it("come with their shares, the greatest first", () => {
    expect(samplesOf(row({ worst_samples: [{ sample: 3, name: "", share: 0.1 }, { sample: 1, name: "cat.png", share: 0.5 }] }))).toEqual([
      { name: "cat.png", share: 0.5 }, { name: "sample 3", share: 0.1 },
    ]);
  });
  it("are none where they are elsewhere", () => {
    expect(samplesOf(undefined)).toEqual([]);
    expect(samplesOf(row({ worst_samples: { rows: 8, stamp: "" } }))).toEqual([]);
  });
});
