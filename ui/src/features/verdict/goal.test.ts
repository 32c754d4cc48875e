// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { changeText, goalOf } from "./goal";

it("knows the goal, and that a resumed search has an earlier one's", () => {
  expect(goalOf(["tune", "m.onnx"])).toEqual({ maxLoss: 0.01, isAbsolute: false });
  expect(goalOf(["--max-loss=2%"])).toEqual({ maxLoss: 0.02, isAbsolute: false });
  expect(goalOf(["--max-loss", "0.5", "--absolute"])).toEqual({ maxLoss: 0.5, isAbsolute: true });
  expect(goalOf(["--resume", "last"])).toBeNull();
  expect(goalOf(["--max-loss=much"])).toBeNull();
});

it("tells losses as changes, in the goal's unit", () => {
  const text = (loss: number, isAbsolute: boolean, higherIsBetter = true) => changeText(loss, isAbsolute, higherIsBetter);
  expect([text(0.012, false), text(-0.00001, false)]).toEqual(["−1.20 %", "0.00 %"]);
  expect([text(0.012, true), text(-0.5, true), text(0, true)]).toEqual(["−0.012", "+0.5", "0"]);
  expect([text(0.012, false, false), text(-0.5, true, false)]).toEqual(["+1.20 %", "−0.5"]);
  expect([text(NaN, false), text(Infinity, false), text(-Infinity, true)]).toEqual(["–", "−∞", "+∞"]);
});
