// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { costsOf } from "./model";
import { apart, bentMarks, bestLine, byNumber, nearest, rangeOf, scaleOf, tradeOf, withRoom } from "./points";
import { studyOf } from "./study";

const accuracy = (value: number) => ({ metric: "top1", value, interval: [value - 0.1, value + 0.1], samples: 48, is_rate: true, higher_is_better: true });
const trial = (number: number, loss: number, share: number, change: object = {}) => ({ number, judged: "whole",
  accuracy: accuracy(0.8 * (1 - loss)), difference: -0.8 * loss,
  difference_interval: [-0.8 * loss - 0.008, -0.8 * loss + 0.008], loss, reached: loss <= 0.01, multiply_adds_quantized: share,
  ops_quantized: 1, ...change });
const study = studyOf({ goal: { max_loss: 0.01 }, reference: accuracy(0.8), multiply_adds: 100, best: 3, reached: true, reference_bytes: 4e6,
  trials: [
  trial(1, 0.05, 100), trial(2, 0.2, 90, { judged: "missed" }), trial(3, 0.005, 80), { number: 4, judged: "failed", loss: "inf" },
  { number: 5, judged: "output_error", output_error: 0.1 }, trial(6, 0.05, 70),
] });
const loss = scaleOf(study, "loss");

describe("trials as points", () => {
  it("stand at their number, failed ones without a figure", () => {
    const points = byNumber(study, loss);
    expect(points.map((point) => [point.number, point.kind, point.y])).toEqual(
      [[1, "outside", 5], [2, "early outside", 20], [3, "within", 0.5], [4, "failed", NaN], [6, "outside", 5]]);
    expect(points[0]?.span?.map((end) => Number(end.toFixed(2)))).toEqual([4, 6]);
    expect(points[2]?.isBest).toBe(true);
    expect(bestLine(study, points, loss)).toEqual([5, 5, 0.5, 0.5, 0.5]);
  });
  it("are not pressed flat by one that loses all", () => {
    expect(loss.bend).toBe(1);
    expect(scaleOf({ ...study, trials: study.trials.filter((one) => one.number !== 2) }, "loss").bend).toBeNull();
    expect(scaleOf(study, "figure").bend).toBeNull();
    expect(bentMarks(1, [-4, 25])).toEqual([-3, -1, 0, 1, 3, 10]);
    expect(bentMarks(1, [-0.5, 99])).toEqual([0, 1, 10, 30]);
    expect(bentMarks(0.01, [0, 0.005])).toEqual([0]);
  });
  it("may show the metric instead", () => {
    const figure = scaleOf(study, "figure");
    expect(figure.title).toBe("top1 [%]");
    expect(figure.goal).toBeCloseTo(79.2);
    expect(byNumber(study, figure)[0]?.span?.map((end) => Number(end.toFixed(2)))).toEqual([66, 86]);
    expect(figure.show(79.234)).toBe("79.23 %");
    expect(loss.show(-3)).toBe("−3 %");
  });
  it("of no trials are none", () => {
    const none = studyOf(null);
    const scale = scaleOf(none, "loss");
    expect(byNumber(none, scale)).toEqual([]);
    expect(bestLine(none, [], scale)).toEqual([]);
    expect(tradeOf(none, scale, costsOf(none)[0]!).front).toEqual([]);
  });
});

it("a trade-off has a front of trials over all samples, and the float model", () => {
  const [share, size] = costsOf(study);
  const { points, front } = tradeOf(study, loss, share!);
  expect(points.map((point) => [point.number, point.x])).toEqual([[0, 0], [6, 70], [3, 80], [2, 90], [1, 100]]);
  expect(front.map((point) => point.number)).toEqual([3, 1]);
  expect(tradeOf(study, loss, size!).points.map((point) => point.number)).toEqual([0]);
});

it("the axis holds all points, whiskers and lines", () => {
  expect(rangeOf(byNumber(study, loss), [1, NaN])[1]).toBeGreaterThan(21);
  expect(rangeOf([], [])).toEqual([0, 1]);
  expect(rangeOf([], [5])).toEqual([4.5, 5.5]);
  expect(rangeOf([], [0])).toEqual([-1, 1]);
});

it("marks that are too close are left out, but 0 and the outer ones", () => {
  expect([...withRoom([-1, -0.1, 0, 0.1, 1, 10], (mark) => 20 * mark)]).toEqual([0, 10, -1, 1]);
  expect([...withRoom([], () => 0)]).toEqual([]);
});

it("names of two levels stay apart, in their order", () => {
  const places = [[10, 40], [10, 14], [14, 10], [10, 10], [5], []];
  expect(places.map((one) => apart(one, 12))).toEqual([[10, 40], [6, 18], [18, 6], [4, 16], [5], []]);
});

it("the nearest point is found, if it is near", () => {
  const places = [{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: NaN, y: 0 }];
  expect(nearest(places, { x: 8, y: 1 })).toBe(1);
  expect(nearest(places, { x: 100, y: 1 })).toBeNull();
  expect(nearest([], { x: 0, y: 0 })).toBeNull();
});
