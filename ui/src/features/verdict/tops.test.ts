// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { toldOpCounts } from "../../base/op-counts";
import { told, worstOutput } from "./tops";

const float = { metric: "top1", value: 0.63, interval: [0.53, 0.72], samples: 100, is_rate: true, higher_is_better: true };
const int8 = { ...float, value: 0.6, interval: [0.5, 0.69] };
const paired = { reference: float, quantized: int8, difference: -0.03, difference_interval: [-0.07, -0.01], ratio: -0.0476, lost: 5, gained: 2, flips: [] };
const loss = (sqnr: unknown) => [{ says: "loss", figures: { sqnr: { is: "decibels", value: sqnr }, outputs: { is: "text", value: "all" } } }];
const diagnosis = { paired: 50, conclusions: loss(18.5), verdict: "The outputs keep 18.5 dB of SQNR.", findings: [] };
const asked = { words: ["tune", "m.onnx", "--max-loss=0.01"], hasEnded: true, names: ["a.onnx", "b.onnx"] as const };
const of = (result: unknown, change: object = {}) => told(result, { ...asked, ops: toldOpCounts(result), ...change });
const values = (result: unknown, change: object = {}) => of(result, change).tiles.map(({ label, value, detail }) => [label, value, detail]);

describe("a quantized model", () => {
  it("shows accuracies, what their difference is known by, and how well outputs are kept", () => {
    const result = { ...paired, ops_quantized: 56, ops_float: 2, diagnosis };
    expect(values(result)).toEqual([
      ["FP32", "63.0 %", "53.0 to 72.0 %"],
      ["INT8", "60.0 %", "50.0 to 69.0 %"],
      ["Difference", "−3.0 points", "−7.0 to −1.0"],
      ["Relative change", "−4.76 %", "of FP32"],
      ["Answers flipped", "7 of 100", "5 lost, 2 gained"],
      ["Outputs keep", "18.5 dB", "SQNR of the worst one"],
      ["Ops in int8", "56 of 58", "2 in float"],
    ]);
    expect(of(result)).toMatchObject({ headline: { text: "Accuracy lost", tone: "bad" }, sentence: diagnosis.verdict });
  });
  it("says what the samples tell of an accuracy", () => {
    const change = (difference_interval: unknown, more: object = {}) => of({ ...paired, difference_interval, ops_quantized: 1, ops_float: 0, ...more });
    expect(change([-0.07, 0.01]).headline).toEqual({ text: "No loss that 100 samples can tell", tone: "unsure" });
    expect(change([-0.07, 0.01]).sentence).toContain("cannot tell from none; 5 answers lost, 2 gained");
    expect(change([0, 0], { difference: 0 }).headline?.text).toBe("No answer changed");
    expect(change([0.01, 0.02], { difference: 0.015 }).headline).toEqual({ text: "Accuracy gained", tone: "good" });
  });
  it("without a metric is judged by its outputs", () => {
    const headline = (sqnr: unknown) => of({ ops_quantized: 1, ops_float: 0, diagnosis: { ...diagnosis, conclusions: loss(sqnr) } }).headline;
    expect(headline("inf")).toEqual({ text: "Outputs are equal", tone: "good" });
    expect([24, 15, 5, 1].map((sqnr) => headline(sqnr)?.tone)).toEqual(["good", "unsure", "bad", "bad"]);
    expect([24, 5, 1, -0.5].map((sqnr) => headline(sqnr)?.text)).toEqual([
      "Most of the signal is kept", "Much of the signal is lost", "More than half of the signal is lost", "The error is greater than the signal",
    ]);
    expect(headline("nan")).toBeNull();
  });
  it("counts ops as the view of those in float does, and nothing before they are counted", () => {
    const result = { ...paired, ops_quantized: 6, ops_float: 89, diagnosis };
    const ops = (counts: unknown) => of(result, { ops: counts }).tiles.at(-1);
    expect(ops({ all: 60, int8: 5, float: 54, constants: 35 })).toMatchObject({
      value: "5 of 60", detail: "54 in float", meaning: expect.stringContaining("35 constants are not counted") as string,
    });
    expect(ops(null)).toMatchObject({ label: "Ops in int8", value: "…", detail: "" });
  });
  it("without a diagnosis still says what is in int8", () => {
    expect(of({ ops_quantized: 56, ops_float: 2, output: "/x/m.int8.onnx" })).toEqual({
      headline: null,
      sentence: "56 ops are in int8, 2 in float. The model is m.int8.onnx.",
      tiles: [expect.objectContaining({ label: "Ops in int8", value: "56 of 58" })],
    });
  });
});

it("a diagnosis has its accuracy inside", () => {
  const told = of({ ...diagnosis, accuracy: paired });
  expect(told.sentence).toBe(diagnosis.verdict);
  expect(told.tiles.map((one) => one.label)).toEqual(["FP32", "INT8", "Difference", "Relative change", "Answers flipped", "Outputs keep"]);
  expect(values({ ...diagnosis, samples: 64 })).toContainEqual(["Compared", "50 values", "over 64 samples"]);
  expect(of(diagnosis).headline).toEqual({ text: "Some of the signal is lost", tone: "unsure" });
});

describe("a search", () => {
  const result = {
    reached: true, evaluations: 3, best: 2, reference: float, quantized: int8, loss: 0.0048, difference: -0.003, difference_interval: [-0.01, 0.004],
    int8_share: 0.973, ops_quantized: 50, ops_float: 8, trials: [{}, {}, {}], float_us: 3000, best_us: 1500,
  };
  it("says whether its goal was reached, by which trial, and how much is lost", () => {
    expect(of(result).headline).toEqual({ text: "Goal reached", tone: "good" });
    expect(of(result).sentence).toBe("Trial 2 of 3 reaches the goal: a relative change of −0.48 %, −1.00 % is allowed; 50 of 58 ops in int8.");
    expect(values(result).slice(0, 3)).toEqual([
      ["Relative change", "−0.48 %", "−1.00 % is allowed"],
      ["FP32", "63.0 %", "53.0 to 72.0 %"],
      ["INT8, trial 2", "60.0 %", "50.0 to 69.0 %"],
    ]);
    expect(values(result)).toContainEqual(["Work in int8", "97.3 %", "of the multiply-adds"]);
    expect(values(result)).toContainEqual(["Speed-up", "2.00×", "3.00 ms to 1.50 ms"]);
  });
  it("tells a change with the sign that the figure moves by", () => {
    expect(values({ ...result, loss: -0.002 })[0]).toEqual(["Relative change", "+0.20 %", "−1.00 % is allowed"]);
    const mse = { ...float, metric: "mse", is_rate: false, higher_is_better: false };
    expect(values({ ...result, reference: mse, quantized: { ...mse, value: 0.64 } })[0]).toEqual(["Relative change", "+0.48 %", "+1.00 % is allowed"]);
  });
  it("counts no op before the plan is read", () => {
    expect(of(result, { ops: null }).sentence).toBe("Trial 2 of 3 reaches the goal: a relative change of −0.48 %, −1.00 % is allowed.");
  });
  it("that missed says what comes nearest", () => {
    expect(of({ ...result, reached: false })).toMatchObject({
      headline: { text: "Goal missed", tone: "bad" },
      sentence: "Trial 2 of 3 comes nearest: a relative change of −0.48 %, −1.00 % is allowed. It is kept.",
    });
    expect(of({ reached: false, evaluations: 1, best: null, reference: float, quantized: null, trials: [{}] })).toMatchObject({
      sentence: "The goal was missed: no trial has a figure.",
    });
    expect(of({ ...result, ops_quantized: 0 }).headline?.text).toBe("Nothing is in int8");
  });
  it("that goes on tells the best so far", () => {
    expect(of(result, { hasEnded: false })).toMatchObject({
      headline: null,
      sentence: "Trial 2 is the best of 3 so far: a relative change of −0.48 %, −1.00 % is allowed.",
    });
    expect(of({ trials: [], best: null, reached: false, reference: float }, { hasEnded: false }).sentence).toBe("");
  });
  it("in the metric's own unit, or with another run's goal", () => {
    expect(of(result, { words: ["tune", "--absolute", "--max-loss", "0.02"] }).sentence).toContain("a change of −0.0048, −0.02 is allowed");
    expect(of(result, { words: ["tune", "--resume=last"] }).sentence).toContain("a relative change of −0.48 %;");
  });
});

describe("times", () => {
  const wall = (median_us: number) => ({ runs: 200, median_us, median_interval: [median_us * 0.99, median_us * 1.01], p95_us: 2 * median_us });
  const pair = {
    wall_us: 1500, verdict: "int8 takes 0.5 of the time.", ratio: 0.5, ratio_interval: [0.48, 0.52], findings: [],
    reference: { wall: wall(3000) }, quantized: { wall: wall(1500), explained: 0.97, threads: 2, batch_size: 1 },
  };
  it("of two models say how many times as fast", () => {
    expect(of(pair).headline).toEqual({ text: "2.00× faster", tone: "good" });
    expect(values(pair)).toEqual([
      ["FP32", "3.000 ms", "2.970 to 3.030"],
      ["INT8", "1.500 ms", "1.485 to 1.515"],
      ["Speed-up", "2.00×", "1.92 to 2.08"],
      ["Accounted for", "97.0 %", "of INT8's median"],
      ["Threads", "2", "batch of 1"],
    ]);
    expect(of({ ...pair, ratio: 1.25, ratio_interval: [1.2, 1.3] }).headline).toEqual({ text: "1.25× slower", tone: "bad" });
    expect(of({ ...pair, ratio: 1.01, ratio_interval: [0.98, 1.03] }).headline?.tone).toBe("unsure");
    expect(of({ ...pair, ratio: null, ratio_interval: null }).headline).toBeNull();
  });
  it("of one model say what takes most", () => {
    const one = { wall_us: 3000, wall: wall(3000), explained: 0.98, threads: 0, batch_size: 8, types: [{ type: "Conv", share: 0.7 }], nodes: [] };
    expect(of(one).sentence).toBe("One run takes 3.00 ms; Conv takes 70 % of it.");
    expect(values(one)).toContainEqual(["95th percentile", "6.00 ms", "of 200 runs"]);
    expect(values(one)).toContainEqual(["Threads", "–", "batch of 8"]);
    expect(of({ wall_us: 3000, wall: wall(3000) }).sentence).toBe("One run takes 3.00 ms.");
  });
  const result = (model: string, batch_size: number, samples_per_second: number) => ({ model, batch_size, latency_ms: 1.5, samples_per_second, threads: 1 });
  it("of a benchmark are of the fastest, and of two models' ratio", () => {
    const one = { results: [result("/m.onnx", 1, 500), result("/m.onnx", 8, 900)], ratios: [] };
    expect(of(one).sentence).toBe("m.onnx: 900 samples/s at best, with a batch of 8.");
    expect(values(one)).toContainEqual(["Latency", "1.50 ms", "a sample, batch of 1"]);
    const two = { results: [result("/m.onnx", 1, 500), result("/q.onnx", 1, 800)], ratios: [{ batch_size: 1, ratio: 0.62, interval: [0.61, 0.63] }] };
    expect(of(two)).toMatchObject({ headline: { text: "1.61× faster" }, sentence: "q.onnx takes 0.62 (0.61 to 0.63) of the time of m.onnx." });
    expect(of({ ...two, ratios: [{ batch_size: 1, ratio: 0.62, interval: [0, "inf"] }] })).toMatchObject({
      headline: { tone: "unsure" },
      sentence: "q.onnx takes 0.62 of the time of m.onnx.",
    });
    expect(of({ results: [], ratios: [] }).tiles).toHaveLength(2);
  });
});

describe("an evaluation", () => {
  it("of one model is its figure", () => {
    expect(of({ ...float, workload: "x" })).toMatchObject({ headline: null, sentence: "top1 is 63.0 % (95 %: 53.0 to 72.0 %), over 100 samples." });
  });
  it("of two has their files' names", () => {
    const told = of({ ...int8, against: float, difference: -0.03, difference_interval: [-0.07, -0.01], ratio: -0.0476, lost: 5, gained: 2 });
    expect(told.sentence).toBe("top1 of b.onnx differs from that of a.onnx by −3.0 points (−7.0 to −1.0); 5 answers lost, 2 gained.");
    expect(told.tiles.map((one) => one.label).slice(0, 2)).toEqual(["a.onnx", "b.onnx"]);
  });
  it("of nothing says nothing", () => {
    for (const result of [null, {}, [], 3, { workload: "x" }]) expect(of(result)).toEqual({ headline: null, sentence: "", tiles: [] });
  });
});

it("a calibration says how it is used", () => {
  expect(of({ output: "/w/statistics.bin", samples: 100, values: 52 }).sentence).toBe(
    "Statistics of 52 values over 100 samples: quantize with --ranges /w/statistics.bin.",
  );
});

it("finds the worst output's SQNR among statements of any shape", () => {
  expect(worstOutput({ conclusions: [{ says: "caveat" }, null, ...loss("-inf")] })).toBe(-Infinity);
  for (const bad of [{}, { conclusions: {} }, { conclusions: [{ says: "loss" }] }, { conclusions: [{ says: "loss.no_output", figures: {} }] }]) {
    expect(worstOutput(bad)).toBeNaN();
  }
});
