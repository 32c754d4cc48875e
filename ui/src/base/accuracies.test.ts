// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { accuracyOf, metricText, outcomeOf, pairOf, shownDifference, shownDifferences, shownFigure, shownInterval, shownRatio } from "./accuracies";

const rate = { metric: "top1", value: 0.63, interval: [0.53, 0.72], samples: 100, is_rate: true, higher_is_better: true };
const error = { metric: "mse", value: 1.25e-5, interval: [1e-5, 1.5e-5], samples: 64, is_rate: false, higher_is_better: false };
const pair = (difference: number | null, span: unknown, reference: object = rate, quantized: object = rate) =>
  pairOf({ reference, quantized, difference, difference_interval: span, ratio: null, lost: 3, gained: 1 })!;

describe("an accuracy", () => {
  it("is read whatever is missing", () => {
    expect(accuracyOf(rate)).toEqual({ metric: "top1", value: 0.63, interval: [0.53, 0.72], samples: 100, isRate: true, higherIsBetter: true });
    expect(accuracyOf({ metric: "f1", value: "nan", interval: null })).toMatchObject({ value: NaN, interval: null, samples: 0, higherIsBetter: true });
    for (const bad of [null, undefined, 3, [], {}, { metric: "top1" }, { value: 1 }, { metric: "f1", value: null }]) expect(accuracyOf(bad)).toBeNull();
  });
  it("of a rate is percent, else in its own unit", () => {
    const [top1, mse] = [accuracyOf(rate)!, accuracyOf(error)!];
    expect(shownFigure(top1.value, top1)).toBe("63.0 %");
    expect(shownInterval(top1.interval, top1)).toBe("53.0 to 72.0 %");
    expect(shownFigure(mse.value, mse)).toBe("1.250e−5");
    expect(metricText(mse)).toBe("mse, lower is better");
    const f1 = accuracyOf({ ...error, metric: "f1", value: 0.5, interval: [0.41, 0.7], higher_is_better: true })!;
    expect(shownFigure(f1.value, f1)).toBe("0.5000");
    expect(shownInterval(f1.interval, f1)).toBe("0.4100 to 0.7000");
    expect(shownInterval(null, f1)).toBe("");
    const many = accuracyOf({ ...rate, samples: 50_000 })!;
    expect(shownFigure(many.value, many)).toBe("63.00 %");
  });
  it("that is no number is a dash", () => {
    const none = accuracyOf({ ...error, value: "nan" })!;
    expect(shownFigure(none.value, none)).toBe("–");
    expect(shownFigure(Infinity, none)).toBe("∞");
  });
});

describe("a difference", () => {
  it("of rates is points, with its sign", () => {
    const top1 = accuracyOf(rate)!;
    expect(shownDifference(-0.012, top1)).toBe("−1.2 points");
    expect(shownDifference(0.01, top1)).toBe("+1.0 points");
    expect(shownDifference(0, top1)).toBe("0.0 points");
    expect(shownDifference(-0.0001, top1)).toBe("0.0 points");
    expect(shownDifference(NaN, top1)).toBe("–");
    expect(shownDifferences([-0.045, 0.065], top1)).toBe("−4.5 to +6.5");
  });
  it("of others is in their unit", () => {
    const mae = accuracyOf({ ...error, metric: "mae", value: 12.5 })!;
    expect(shownDifference(0.25, mae)).toBe("+0.25");
    expect(shownDifference(-3, mae)).toBe("−3.00");
    expect(shownDifferences([-1, 2], mae)).toBe("−1.00 to +2.00");
    expect(shownDifferences(null, mae)).toBe("");
  });
  it("tells a loss where its whole interval is one", () => {
    expect(outcomeOf(pair(-0.02, [-0.032, -0.003]))).toBe("loss");
    expect(outcomeOf(pair(0.02, [0.003, 0.032]))).toBe("gain");
    expect(outcomeOf(pair(-0.01, [-0.03, 0.01]))).toBe("unclear");
    expect(outcomeOf(pair(0, [0, 0]))).toBe("equal");
    expect(outcomeOf(pair(0.1, [0.05, 0.2], error, error))).toBe("loss");
    expect(outcomeOf(pair(-0.1, null))).toBe("loss");
    expect(outcomeOf(pair(0, null))).toBe("unclear");
  });
});

describe("a ratio", () => {
  it("of 0 is one", () => {
    expect(shownRatio(0)).toBe("0.00 %");
    expect(shownRatio(-0.019)).toBe("−1.90 %");
    expect(shownRatio(0.019)).toBe("+1.90 %");
    expect(shownRatio(-0.00001)).toBe("0.00 %");
    expect(shownRatio(NaN)).toBe("–");
  });
  it("is made where a record has none, unless the float model has nothing", () => {
    expect(pair(-0.063, null).ratio).toBeCloseTo(-0.1);
    expect(pair(0, [0, 0]).ratio).toBe(0);
    expect(pair(0.1, null, { ...rate, value: 0 }).ratio).toBeNaN();
  });
});

it("of one model is no pair", () => {
  expect(pairOf({ quantized: rate, reference: null })).toBeNull();
  expect(pairOf(null)).toBeNull();
  expect(pairOf([])).toBeNull();
});
