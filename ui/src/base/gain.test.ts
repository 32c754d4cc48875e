// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { expectedText, gainOfAll, gainReason, gainsOf, gainText, isOtherThanFloat, shareReason, shareUnit, type Gain } from "./gain";

const gain = (share: number, more: Partial<Gain> = {}): Gain => ({ share, interval: null, by: "estimated", ...more });

describe("what a remedy gains", () => {
  const finding = { output_share: 0.41, output_share_interval: [0.18, 0.63], share_is_measured: true, measured_gain: null };
  it("is its finding's share, with the interval", () => {
    expect(gainsOf([finding, { ...finding, share_is_measured: false }, {}])).toEqual([
      { share: 0.41, interval: [0.18, 0.63], by: "measured" },
      { share: 0.41, interval: [0.18, 0.63], by: "estimated" },
      { share: NaN, interval: null, by: "estimated" },
    ]);
  });
  it("is measured in float, though it asks for another thing", () => {
    const remedy = { op_name_dict: { a: { weight: { granularity: "per_channel" } } } };
    const all = [{ ...finding, remedy }, { ...finding, remedy: { op_name_dict: { a: "fp32" } } }];
    expect(gainsOf(all).map(({ by }) => by)).toEqual(["in float", "measured"]);
    expect(gainsOf([{ ...finding, remedy, share_is_measured: false }])[0]!.by).toBe("estimated");
  });
  it("is what it added where it was tried, with an interval where it was the first", () => {
    const tried = [{ ...finding, measured_gain: 0.5, measured_gain_interval: [0.4, 0.6] }, finding, { ...finding, measured_gain: 0.75 }];
    expect(gainsOf(tried)).toEqual([
      { share: 0.5, interval: [0.4, 0.6], by: "tried" },
      { share: 0.41, interval: [0.18, 0.63], by: "measured" },
      { share: 0.25, interval: null, by: "tried" },
    ]);
  });
});

describe("what several parts gain", () => {
  it("is a sum, and that of one is what is known of it", () => {
    expect(gainOfAll([gain(0.41), gain(0.31), gain(NaN)])).toEqual({ share: 0.72, interval: null, by: "sum" });
    expect(gainOfAll([gain(NaN), gain(0.4, { interval: [0.1, 0.7] })])).toEqual(gain(0.4, { interval: [0.1, 0.7] }));
    expect(gainOfAll([]).share).toBeNaN();
  });
  it("is told as a sum, also where that is more than there is", () => {
    expect(gainText(gain(0.72, { by: "sum" }))).toBe("parts add up to 72 % less error");
    expect(gainText(gain(1.13, { by: "sum" }))).toBe("parts add up to more than 100 %, so they overlap");
    expect(gainText(gain(-0.1, { by: "sum" }))).toBe("parts add up to 10 % more error");
  });
});

describe("a gain", () => {
  it("is told by its interval, else as about so much", () => {
    expect(gainText(gain(0.41, { interval: [0.18, 0.63] }))).toBe("18 to 63 % less error");
    expect(gainText(gain(0.1, { interval: [-0.2, 0.4] }))).toBe("from 20 % more error to 40 % less error");
    expect(gainText(gain(-0.2, { interval: [-0.3, -0.1] }))).toBe("10 to 30 % more error");
    expect(gainText(gain(0.41))).toBe("about 41 % less error");
    expect(gainText(gain(-0.41))).toBe("about 41 % more error");
    expect(gainText(gain(NaN))).toBe("");
  });
  it("says how it is known, and that it bounds nothing unless it was tried", () => {
    for (const by of ["measured", "estimated", "sum"] as const) expect(gainReason(gain(0.4, { by }))).toMatch(/no bound/);
    expect(gainReason(gain(0.4, { by: "measured" }))).toMatch(/first 16 samples/);
    expect(gainReason(gain(0.4, { by: "sum" }))).toMatch(/overlap, less .* hide each other, more/);
    expect(gainReason(gain(0.4, { by: "tried" }))).not.toMatch(/no bound/);
    expect(gainReason(gain(NaN))).toMatch(/Nothing that is stored/);
  });
});

it("a gain before a run is told as expected, or as what was measured where the remedy is another", () => {
  const interval = [0.999, 1] as const;
  expect(expectedText(gain(1, { interval, by: "measured" }))).toBe("expected: 99.90 to 100.00 % less error");
  expect(expectedText(gain(1, { interval: [1, 1], by: "in float" }))).toBe("measured in float: 100 % less error");
  expect(expectedText(gain(0.72, { by: "sum" }))).toBe("parts add up to 72 % less error");
  expect(expectedText(gain(NaN))).toBe("gain not known");
  expect(gainReason(gain(1, { by: "in float" }))).toMatch(/not float, so it may take away less\. It is no bound/);
});

it("a remedy is float, or another thing", () => {
  const half = { activation: { dtype: "fp16" }, weight: { dtype: "fp16" } };
  const float = { activation: { dtype: "fp32" }, weight: { dtype: "fp32" } };
  for (const same of [null, {}, { op_name_dict: { a: "fp32", b: float } }, { op_type_dict: { Conv: "fp32" } }]) {
    expect(isOtherThanFloat(same)).toBe(false);
  }
  for (const other of [{ op_name_dict: { a: "fp32", b: half } }, { op_name_dict: { a: "fp16" } }, { recipes: { smooth_quant: true } }]) {
    expect(isOtherThanFloat(other)).toBe(true);
  }
});

it("a share is what it was made of: measured by computing in float, or apportioned", () => {
  expect([shareUnit(true), shareUnit(false)]).toEqual(["less error in float", "of the error, estimated"]);
  expect([shareUnit(true, true), shareUnit(false, true)]).toEqual(["less error if in float", "of the error, estimated"]);
  expect(shareReason(true)).toMatch(/^Measured: .* goes away .* do not add up\. “Output share” in tables is an estimate/);
  expect(shareReason(false)).toMatch(/^Estimated, as “Output share”/);
});
