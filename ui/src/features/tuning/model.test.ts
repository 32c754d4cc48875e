// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import {
  bestByThen, costsOf, figureAtGoal, int8Share, isBetter, kindOf, lossBetween, lossInterval, lossOf, lossText, optionsIn, paretoFront,
  progressText, timeUnit, toldOf,
} from "./model";
import { studyOf } from "./study";

const accuracy = (value: unknown) => ({ metric: "top1", value, interval: null, samples: 400, is_rate: true, higher_is_better: true });
const trial = (loss: number, change: object = {}) => ({ judged: "whole", accuracy: accuracy(0.8 * (1 - loss)), difference: -0.8 * loss, loss,
  difference_interval: [-0.8 * loss - 0.01, -0.8 * loss + 0.01], reached: loss <= 0.01, multiply_adds_quantized: 50, ops_quantized: 5,
  ops_float: 5, ...change });
const study = (trials: object[], change: object = {}) => studyOf({ goal: { max_loss: 0.01, absolute: false, objective: "int8" },
  reference: accuracy(0.8),
  multiply_adds: 100, trials: trials.map((one, index) => ({ number: index + 1, ...one })), ...change });

describe("a loss", () => {
  const goal = { maxLoss: 0.01, isAbsolute: false, objective: "int8" } as const;
  it("is a share of the float model's figure, or absolute", () => {
    expect(lossOf(goal, { value: 0.8, higherIsBetter: true }, -0.08)).toBeCloseTo(0.1);
    expect(lossOf(goal, { value: 0.5, higherIsBetter: false }, 0.1)).toBeCloseTo(0.2);
    expect(lossOf({ ...goal, isAbsolute: true }, { value: 0.8, higherIsBetter: true }, -0.08)).toBeCloseTo(0.08);
    expect(lossOf(goal, { value: 0, higherIsBetter: true }, -0.1)).toBe(Infinity);
    expect(lossOf(goal, { value: 0, higherIsBetter: true }, 0)).toBe(0);
    expect(lossOf(goal, { value: 0.8, higherIsBetter: true }, NaN)).toBe(Infinity);
  });
  it("has the interval of the difference", () => {
    const [one] = study([trial(0.05)]).trials;
    expect(lossInterval(goal, one!)?.map((end) => Number(end.toFixed(4)))).toEqual([0.0375, 0.0625]);
    expect(lossInterval(goal, { ...one!, differenceInterval: null })).toBeNull();
    expect(lossInterval(goal, { ...one!, accuracy: null })).toBeNull();
  });
  it("is told in its unit", () => {
    expect([0.0123, -0, Infinity, -Infinity, NaN].map((loss) => lossText(goal, loss))).toEqual(["1.23 %", "0.00 %", "all of it", "less than nothing", "–"]);
    expect(lossText({ ...goal, isAbsolute: true }, 0.0123)).toBe("0.0123");
    const [one] = study([trial(0.05)]).trials;
    expect(lossBetween(goal, one!)).toBe("3.75 to 6.25 %");
    expect(lossBetween({ ...goal, isAbsolute: true }, one!)).toBe("0.03 to 0.05");
    expect(lossBetween(goal, { ...one!, differenceInterval: null })).toBe("");
  });
  it("that just meets the goal is a figure", () => {
    expect(figureAtGoal(study([]))).toBeCloseTo(0.792);
    const mse = { metric: "mse", value: 30, higher_is_better: false };
    expect(figureAtGoal(study([], { goal: { max_loss: 2, absolute: true }, reference: mse }))).toBe(32);
  });
});

describe("trials", () => {
  it("are told apart by how they ended", () => {
    const kinds = study([trial(0), trial(0.5), trial(0, { judged: "met" }), trial(0, { judged: "missed" }), { judged: "failed" },
      { judged: "output_error" }]);
    expect(kinds.trials.map(kindOf)).toEqual(["within", "outside", "early within", "early outside", "failed", "outputs"]);
  });
  it("have a best one by then, among those over all samples", () => {
    const all = study([trial(0.5), trial(0, { judged: "missed" }), trial(0.3), trial(0.4), trial(0.01, { multiply_adds_quantized: 20 }),
      trial(0.005, { multiply_adds_quantized: 30 }), trial(0.001, { same_as: 1 })]);
    expect(bestByThen(all).map((one) => one?.number)).toEqual([1, 1, 3, 3, 5, 6, 6]);
    expect(bestByThen(study([{ judged: "failed" }]))).toEqual([null]);
  });
  it("are compared as the objective says", () => {
    const [a, b] = study([trial(0.002, { bytes: 10, predicted_us: 5, multiply_adds_quantized: 40 }), trial(0.004, { bytes: 8, predicted_us: 9 })]).trials;
    const goal = (objective: "int8" | "speed" | "size" | "accuracy") => ({ maxLoss: 0.01, isAbsolute: false, objective });
    expect(isBetter(goal("int8"), b!, a!)).toBe(true);
    expect(isBetter(goal("speed"), a!, b!)).toBe(true);
    expect(isBetter(goal("size"), b!, a!)).toBe(true);
    expect(isBetter(goal("accuracy"), a!, b!)).toBe(true);
  });
  it("have a share in int8: of multiplications, else of ops", () => {
    const counted = study([trial(0)]);
    expect(int8Share(counted, counted.trials[0]!)).toBe(0.5);
    const not = study([trial(0), { ops_quantized: 0, ops_float: 0 }], { multiply_adds: 0 });
    expect(int8Share(not, not.trials[0]!)).toBe(0.5);
    expect(int8Share(not, not.trials[1]!)).toBeNaN();
    expect(costsOf(not).map((cost) => cost.title)).toEqual(["Ops in int8 [%]", "Size of the model [MB]"]);
    expect(costsOf(study([trial(0, { predicted_us: 10 })])).map((cost) => cost.id)).toEqual(["share", "time", "size"]);
    expect(costsOf(counted)[0]?.word).toBe("Work in int8");
  });
  it("have predicted times in the unit of the longest", () => {
    const priced = study([trial(0, { predicted_us: 44.2 }), trial(0)]);
    expect(timeUnit(priced).name).toBe("µs");
    const time = costsOf(priced).find((cost) => cost.id === "time")!;
    expect([time.title, time.of(priced.trials[0]!), time.show(44.2)]).toEqual(["Predicted time of one run [µs]", 44.2, "44.2 µs"]);
    const slow = study([trial(0, { predicted_us: 900 }), trial(0, { predicted_us: 2500 })]);
    expect(costsOf(slow).find((cost) => cost.id === "time")?.of(slow.trials[0]!)).toBeCloseTo(0.9);
  });
});

describe("the Pareto front", () => {
  it("holds what no other one beats, from the best x on", () => {
    const points = [{ x: 100, loss: 0.05 }, { x: 90, loss: 0.02 }, { x: 95, loss: 0.06 }, { x: 90, loss: 0.03 }, { x: 50, loss: 0 }, { x: 40, loss: 0 }];
    expect(paretoFront(points)).toEqual([0, 1, 4]);
  });
  it("leaves out what has no figure", () => {
    expect(paretoFront([{ x: NaN, loss: 0 }, { x: 1, loss: Infinity }])).toEqual([]);
    expect(paretoFront([])).toEqual([]);
    expect(paretoFront([{ x: 1, loss: 1 }, { x: 1, loss: 1 }])).toEqual([0]);
  });
});

describe("what is told of a search", () => {
  it("that reached its goal: how sure that is", () => {
    const reached = study([trial(0.5), trial(0.005)], { best: 2, reached: true });
    expect(toldOf(reached, "success")).toEqual(["The loss of trial 2 is 0.50 % (95 % interval −0.75 to 1.75 %), and 1.00 % is allowed."]);
    expect(toldOf(studyOf({ ...reached, trials: [{ judged: "whole", reached: true, ops_quantized: 1 }], best: 1, reached: true }), "success")).toEqual([]);
  });
  it("that was timed", () => {
    const timed = { ...study([trial(0)], { best: 1, reached: true }), times: { reference: 1, float: 2000, best: 1500 } };
    expect(toldOf(timed, "success").at(-1)).toBe("One run takes 1.500 ms, 0.75 of the 2.000 ms of the float model.");
    expect(toldOf({ ...timed, times: { reference: 1, float: 1000, best: 1500 } }, "success").at(-1)).toContain("Int8 makes it no faster here.");
    const fast = { ...timed, times: { reference: 1, float: 24.594, best: 24.558 } };
    expect(toldOf(fast, "success").at(-1)).toContain("takes 24.56 µs, 1.00 of the 24.59 µs");
  });
  it("that reached it with nothing in int8: what to try next", () => {
    expect(toldOf(study([trial(0, { ops_quantized: 0 })], { best: 1, reached: true }), "success").at(-1)).toContain("take another --strategy");
  });
  it("that missed it, and why", () => {
    const said = toldOf(study([trial(0.015), { judged: "failed" }], { best: 1, is_limited: true }), "success").join(" ");
    expect(said).toContain("Chance leaves it open");
    expect(said).toContain("1 trial failed.");
    expect(said).toContain("--resume");
    expect(toldOf(study([]), "success")[0]).toContain("found nothing else to try");
  });
  it("that is under way, or was ended", () => {
    expect(toldOf(study([trial(0.5)], { best: 1 }), "wip")).toEqual([
      "The loss of trial 1 is 50.00 % (95 % interval 48.75 to 51.25 %), and 1.00 % is allowed.",
    ]);
    expect(toldOf(study([trial(0.5, { difference_interval: null })], { best: 1 }), "failure")).toEqual([]);
    expect(toldOf(study([]), "failure")).toEqual(["No trial has a figure yet."]);
  });
  it("with options of the command line apart", () => {
    expect(optionsIn("go on with --resume, or --max-trials")).toEqual([
      { text: "go on with ", isOption: false }, { text: "--resume", isOption: true }, { text: ", or ", isOption: false },
      { text: "--max-trials", isOption: true },
    ]);
    expect(optionsIn("")).toEqual([]);
  });
  it("of how far it is", () => {
    expect(progressText({ step: "trial 6", done: 120, total: 400 })).toBe("trial 6, 120 of 400 samples");
    expect(progressText({ step: "outputs", done: 1, total: null })).toBe("outputs, 1 sample");
    expect(progressText({ step: "trial 6" })).toBe("trial 6");
    expect(progressText(null)).toBe("");
  });
});
