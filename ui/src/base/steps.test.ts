// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { stepFigures } from "./steps";

it("takes what was told", () => {
  expect(stepFigures({ step: "diagnose", done: 40, total: 100, seconds: 8, rate: 6, remaining_seconds: 10 })).toEqual({
    step: "diagnose", done: 40, total: 100, rate: 6, remaining: 10,
  });
});

it("reckons the rest from the time so far", () => {
  expect(stepFigures({ step: "calibrate", done: 40, total: 100, seconds: 8 })).toMatchObject({ rate: 5, remaining: 12 });
  expect(stepFigures({ step: "calibrate", done: 40, seconds: 8 })).toMatchObject({ rate: 5, remaining: NaN });
});

it("knows nothing of what has just begun", () => {
  for (const told of [null, {}, { step: null, done: 0, total: 10, seconds: 0 }]) {
    expect(stepFigures(told)).toMatchObject({ step: "starting", rate: NaN, remaining: NaN });
  }
});
