// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { age, decibels, figure, fixed, interval, percent, real } from "./numbers";

describe("reals", () => {
  it("are read as records write them", () => {
    expect(real("inf")).toBe(Infinity);
    expect(real("-inf")).toBe(-Infinity);
    expect(real(null)).toBeNaN();
    expect(interval([1, 2])).toEqual([1, 2]);
    expect(interval(["nan", 2])).toBeNull();
  });

  it("are shown with the digits that people compare", () => {
    expect(figure(0.112384)).toBe("0.112");
    expect(figure(6.73e-6)).toBe("6.73e−6");
    expect(figure(-2500000)).toBe("−2.50e6");
    expect(figure(-6.73e-6)).toBe("−6.73e−6");
    expect(figure(0)).toBe("0");
    expect(figure(NaN)).toBe("–");
    expect(decibels(-9.54)).toBe("−9.5");
    expect(decibels(-0.02)).toBe("0.0");
    expect(percent(0.018662, 1)).toBe("1.9 %");
  });

  it("of a column have as many places behind the point", () => {
    expect([0.9414, 0.00038981, -0.5, -1e-9, 1].map((value) => fixed(value, 5))).toEqual(["0.94140", "0.00039", "−0.50000", "0.00000", "1.00000"]);
    expect([NaN, Infinity].map((value) => fixed(value, 5))).toEqual(["–", "∞"]);
  });
});

describe("age", () => {
  const hour = 3600_000;
  it("counts in the largest whole unit", () => {
    expect(age(0, 5000)).toBe("just now");
    expect(age(0, 2 * hour)).toBe("2 hours ago");
    expect(age(0, 26 * hour)).toBe("1 day ago");
    expect(age(0, 24 * 400 * hour)).toBe("1 year ago");
  });
});
