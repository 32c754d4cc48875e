// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { bytesText, durationText, momentText, rateText, remainingText, secondsBetween, shortAge } from "./quantities";

describe("times", () => {
  it("have two units at most", () => {
    expect(durationText(0.04)).toBe("0.0 s");
    expect(durationText(9.96)).toBe("10 s");
    expect(durationText(59.6)).toBe("1 min");
    expect(durationText(200)).toBe("3 min 20 s");
    expect(durationText(7500)).toBe("2 h 5 min");
    expect(durationText(7200)).toBe("2 h");
    expect(durationText(86400 * 3)).toBe("3 days");
    expect(durationText(NaN)).toBe("–");
    expect(durationText(-1)).toBe("–");
  });
  it("that are left are not told too finely", () => {
    expect(remainingText(0.3)).toBe("< 1 s left");
    expect(remainingText(42.4)).toBe("42 s left");
    expect(remainingText(125)).toBe("2 min left");
    expect(remainingText(3600 * 5)).toBe("5 h left");
    expect(remainingText(NaN)).toBe("");
    expect(remainingText(0)).toBe("");
    expect(remainingText(Infinity)).toBe("");
  });
  it("that have passed are one word", () => {
    const hour = 3_600_000;
    expect(shortAge(0, 20_000)).toBe("now");
    expect(shortAge(0, hour / 2)).toBe("30 min");
    expect(shortAge(0, 5 * hour)).toBe("5 h");
    expect(shortAge(0, 50 * hour)).toBe("2 d");
    expect(shortAge(0, 24 * 70 * hour)).toBe("2 mo");
    expect(shortAge(0, 24 * 800 * hour)).toBe("2 y");
    expect(shortAge(NaN, 5)).toBe("");
    expect(shortAge(hour, 0)).toBe("now");
  });
  it("lie between moments", () => {
    expect(secondsBetween("2026-11-27T10:00:00.000Z", "2026-11-27T10:00:01.500Z")).toBe(1.5);
    expect(secondsBetween("2026-11-27T10:00:00.000Z", "")).toBeNaN();
    expect(momentText("")).toBe("–");
    expect(momentText("soon")).toBe("–");
    expect(momentText("2026-11-27T10:00:00.000Z")).toMatch(/27 Nov 2026/);
  });
});

describe("sizes and rates", () => {
  it("have two or three digits", () => {
    expect(bytesText(0)).toBe("0 B");
    expect(bytesText(1250)).toBe("1.3 kB");
    expect(bytesText(999_600)).toBe("1.0 MB");
    expect(bytesText(25_400_000)).toBe("25 MB");
    expect(bytesText(5e15)).toBe("5000 TB");
    expect(bytesText(NaN)).toBe("–");
    expect(rateText(0.123)).toBe("0.12/s");
    expect(rateText(12.6)).toBe("13/s");
    expect(rateText(0)).toBe("");
    expect(rateText(NaN)).toBe("");
  });
});
