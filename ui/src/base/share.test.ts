// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { shareBetween, shareOf } from "./share";

it("a share has the digits that it needs", () => {
  expect([0, 0.5, 0.012, 0.0001234, NaN].map(shareOf)).toEqual(["0 %", "50 %", "1.2 %", "0.01 %", "–"]);
  expect([0.0000123, -0.0000123, -0.012].map(shareOf)).toEqual(["< 0.01 %", "> −0.01 %", "−1.2 %"]);
});

it("an interval of shares has the digits that tell its ends apart", () => {
  expect(shareBetween([0.1, 0.3])).toBe("10 to 30 %");
  expect(shareBetween([-0.53, 0.72])).toBe("−53 to 72 %");
  expect(shareBetween([0.99, 1])).toBe("99.0 to 100.0 %");
  expect(shareBetween([0.0001, 0.0002])).toBe("0.01 to 0.02 %");
});

it("ends of an interval that round alike are told once", () => {
  expect(shareBetween([1, 1])).toBe("100 %");
  expect(shareBetween([0.99999, 1])).toBe("100 %");
  expect(shareBetween([0, 0])).toBe("0 %");
});
