// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { accuracyOf, pairOf } from "../../base/accuracies";
import { axisOf, csvOf, drawnOf, scalesOf, ticksOf, tickText } from "./axis";

const rate = (value: number) => ({ metric: "top1", value, interval: [value - 0.1, value + 0.1], samples: 100, is_rate: true, higher_is_better: true });
const pair = (change: object = {}) =>
  pairOf({ reference: rate(0.5), quantized: rate(0.45), difference: -0.05, difference_interval: [-0.1, 0], ratio: -0.1, lost: 6, gained: 1, ...change })!;
const names = ["FP32", "INT8"] as const;

describe("the axis", () => {
  it("has both accuracies, and the difference from the float model's on", () => {
    const axis = axisOf(pair(), null, names)!;
    expect(axis.marks.map(({ label, value, text, detail }) => [label, Number(value.toFixed(3)), text, detail])).toEqual([
      ["FP32", 0.5, "50.0 %", "40.0 to 60.0 %"],
      ["INT8", 0.45, "45.0 %", "35.0 to 55.0 %"],
      ["Difference", 0.45, "−5.0 points", "−10.0 to 0.0"],
      ["Relative change", 0.45, "−10.00 %", "−20.00 % to 0.00 %"],
    ]);
    expect(axis.marks[2]!.interval!.map((end) => Number(end.toFixed(3)))).toEqual([0.4, 0.5]);
    expect(axis.marks[3]!.interval!.map((end) => Number(end.toFixed(3)))).toEqual([0.4, 0.5]);
    expect(axis).toMatchObject({ zero: 0.5 });
    expect(axis.low).toBeCloseTo(0.335);
  });
  it("is not that of the difference, whose ticks are differences", () => {
    const [accuracies, difference] = scalesOf(axisOf(pair(), null, names)!);
    expect(accuracies!.marks.map(({ label }) => label)).toEqual(["FP32", "INT8"]);
    expect(accuracies!.ticks.map(({ text }) => text)).toEqual(["35 %", "40 %", "45 %", "50 %", "55 %", "60 %"]);
    expect(difference!.marks.map(({ label }) => label)).toEqual(["Difference"]);
    expect(difference!.ticks.map(({ at, text }) => [Number(at.toFixed(3)), text])).toEqual(
      [[0.35, "−15"], [0.4, "−10"], [0.45, "−5"], [0.5, "0"], [0.55, "+5"], [0.6, "+10"]]);
  });
  it("of one model has its figure alone", () => {
    const axis = axisOf(null, accuracyOf({ metric: "mse", value: 0.002, interval: null, samples: 10, is_rate: false, higher_is_better: false }), names)!;
    expect(axis.marks).toHaveLength(1);
    expect(axis.zero).toBeNull();
    expect(scalesOf(axis).map(({ marks }) => marks.length)).toEqual([1]);
    expect(axis.low).toBeLessThan(0.002);
    expect(axis.high).toBeGreaterThan(0.002);
    expect(axisOf(null, null, names)).toBeNull();
  });
  it("stays within a rate's bounds", () => {
    const axis = axisOf(pair({ reference: rate(0.95), quantized: rate(0.02), difference: -0.93 }), null, names)!;
    expect([axis.low, axis.high]).toEqual([0, 1]);
  });
  it("says that there is no ratio to nothing, and shows one of 0", () => {
    const none = axisOf(pair({ reference: rate(0), ratio: null, difference: 0.45 }), null, names)!.marks[3]!;
    expect(none).toMatchObject({ text: "–", detail: "no change relative to a figure of 0", value: NaN });
    expect(axisOf(pair({ ratio: 0, difference: 0, difference_interval: [0, 0] }), null, names)!.marks[3]!.text).toBe("0.00 %");
  });
  it("draws what it can of figures that are no numbers", () => {
    const quantized = { ...rate(0), value: "nan", interval: null, is_rate: false };
    const axis = axisOf(pair({ quantized, difference: "nan", difference_interval: null }), null, names)!;
    expect(Number.isFinite(axis.low) && Number.isFinite(axis.high)).toBe(true);
  });
});

it("ends what is drawn of an interval where the axis ends", () => {
  const axis = { low: 0, high: 1 };
  expect(drawnOf([0.2, 0.4], axis)).toEqual({ from: 0.2, to: 0.4, isCut: [false, false] });
  expect(drawnOf([-0.09, 0.1], axis)).toEqual({ from: 0, to: 0.1, isCut: [true, false] });
  expect(drawnOf([0.9, 1.2], axis)).toEqual({ from: 0.9, to: 1, isCut: [false, true] });
});

describe("ticks", () => {
  it("are round, and few", () => {
    expect(ticksOf(0.335, 0.665)).toEqual([0.4, 0.5, 0.6]);
    expect(ticksOf(-3, 12)).toEqual([0, 5, 10]);
    expect(ticksOf(-0.1, 0.1)).toEqual([-0.1, -0.05, 0, 0.05, 0.1]);
    for (const [low, high] of [[1, 1], [2, 1], [NaN, 1], [0, Infinity]] as const) expect(ticksOf(low, high)).toEqual([]);
  });
  it("have as few digits as tell them apart", () => {
    const axis = axisOf(pair(), null, names)!;
    expect(axis.ticks.map((tick) => tickText(tick, axis))).toEqual(["35 %", "40 %", "45 %", "50 %", "55 %", "60 %"]);
    const small = { ...axis, ticks: [0.0001, 0.0002], of: { ...axis.of, isRate: false } };
    expect(tickText(0.0002, small)).toBe("0.0002");
    expect(tickText(-0.05, { ...axis, ticks: [-0.05, 0] })).toBe("−5 %");
  });
});

it("ends where its steps are lost in rounding", () => {
  expect(ticksOf(1, 1 + 2 ** -52)).toEqual([]);
  expect(ticksOf(-1e300, Infinity)).toEqual([]);
});

it("is saved as figures: differences as differences, ratios as ratios", () => {
  expect(csvOf(axisOf(pair(), null, names)!).split("\r\n")).toEqual([
    "Figure,Value,95 % low,95 % high",
    '"FP32",0.5,0.4,0.6',
    '"INT8",0.45,0.35,0.55',
    '"Difference",-0.05,-0.1,0',
    '"Relative change",-0.1,-0.2,0',
    "",
  ]);
});
