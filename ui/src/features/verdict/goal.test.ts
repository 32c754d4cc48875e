// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { goalOf, lossText } from "./goal";

it("knows the goal, and that a resumed search has an earlier one's", () => {
  expect(goalOf(["tune", "m.onnx"])).toEqual({ maxLoss: 0.01, isAbsolute: false });
  expect(goalOf(["--max-loss=2%"])).toEqual({ maxLoss: 0.02, isAbsolute: false });
  expect(goalOf(["--max-loss", "0.5", "--absolute"])).toEqual({ maxLoss: 0.5, isAbsolute: true });
  expect(goalOf(["--resume", "last"])).toBeNull();
  expect(goalOf(["--max-loss=much"])).toBeNull();
});

it("tells losses in the goal's unit", () => {
  expect([lossText(0.012, false), lossText(-0.00001, false), lossText(0.012, true), lossText(-0.5, true)]).toEqual(["1.20 %", "0.00 %", "0.012", "−0.5"]);
  expect([lossText(NaN, false), lossText(Infinity, false), lossText(-Infinity, true)]).toEqual(["–", "all of it", "less than nothing"]);
});
