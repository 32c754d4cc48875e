// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { intervalPath, marks, marksIn } from "./axis";

it("axes have round marks", () => {
  expect(marks(1.2)).toEqual([0, 0.5, 1]);
  expect(marks(97, 4)).toEqual([0, 50]);
  expect(marks(0)).toEqual([0]);
  expect(marks(NaN)).toEqual([0]);
});

it("no more than have room", () => {
  expect([20, 140, 180, 2000].map(marksIn)).toEqual([1, 3, 4, 6]);
});

it("an interval has ends", () => {
  expect(intervalPath(2, 9, 10, 4)).toBe("M2 10H9M2 6v8M9 6v8");
});
