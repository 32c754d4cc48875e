// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { gainOfAll, gainReason, gainsOf, gainText, shareReason, shareUnit, type Gain } from "./gain";

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

it("a share is what it was made of: measured by computing in float, or apportioned", () => {
  expect([shareUnit(true), shareUnit(false)]).toEqual(["less error in float", "of the error, estimated"]);
  expect(shareReason(true)).toMatch(/^Measured: .* goes away .* do not add up\. “Output share” in tables is an estimate/);
  expect(shareReason(false)).toMatch(/^Estimated, as “Output share”/);
});
