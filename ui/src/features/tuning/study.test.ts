// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { isSame, studyOf, trialAt, trialsElsewhere } from "./study";

const accuracy = { metric: "top1", value: 0.7, interval: [0.65, 0.75], samples: 400, is_rate: true, higher_is_better: true };
const trial = { number: 1, why: "the recipe as given", recipe: { approach: "static" }, judged: "whole", same_as: null, accuracy, difference: -0.02,
  difference_interval: [-0.04, 0], loss: 0.02, reached: false, output_error: null, multiply_adds_quantized: 90, ops_quantized: 9, ops_float: 1,
  bytes: 1_500_000, predicted_us: "nan" };
const record = { goal: { max_loss: 0.01, absolute: false, objective: "speed" }, reference: accuracy, multiply_adds: 100, trials: [trial], best: 1,
  reached: false, metric: "top1", data: "a.yaml", samples: 400 };

describe("a study", () => {
  it("is read, with the times beside it", () => {
    const study = studyOf(record, { reference: 6.5, trials: [4.25], float_us: 900, best_us: null });
    expect(study).toMatchObject({ best: 1, goal: { maxLoss: 0.01, objective: "speed" }, multiplyAdds: 100, times: { reference: 6.5, float: 900 } });
    expect(study.times.best).toBeNaN();
    expect(study.trials[0]).toMatchObject({ number: 1, seconds: 4.25, differenceInterval: [-0.04, 0], multiplyAdds: 90, sameAs: null });
    expect(study.trials[0]?.predicted).toBeNaN();
    expect(trialAt(study, 1)?.why).toBe("the recipe as given");
    expect(trialAt(study, null)).toBeNull();
  });
  it("may have its trials in a file of their own", () => {
    const long = { ...record, trials: { rows: 2000, stamp: "a" } };
    expect(trialsElsewhere(long)).toBe(2000);
    expect(trialsElsewhere(record)).toBe(0);
    expect(studyOf(long).trials).toEqual([]);
    expect(studyOf(long, null, [trial]).trials).toHaveLength(1);
  });
  it("that is read again may have nothing new", () => {
    expect(isSame(studyOf(record), studyOf(record))).toBe(true);
    expect(isSame(studyOf(record), studyOf({ ...record, trials: [trial, { ...trial, number: 2 }] }))).toBe(false);
    expect(isSame(null, null)).toBe(true);
    expect(isSame(null, studyOf(record))).toBe(false);
  });
  it("that is damaged shows what it has", () => {
    for (const bad of [null, 3, [], { trials: 3, goal: null, reference: "x" }]) {
      const study = studyOf(bad, bad);
      expect(study).toMatchObject({ trials: [], best: null, goal: { objective: "int8" } });
      expect(study.reference.value).toBeNaN();
    }
    const [odd] = studyOf({ trials: [{ judged: "sideways", loss: "inf" }], best: 7 }).trials;
    expect(odd).toMatchObject({ number: 1, judged: "failed", loss: Infinity, accuracy: null, recipe: {} });
    expect(studyOf({ trials: [{}], best: 7 }).best).toBeNull();
  });
});
