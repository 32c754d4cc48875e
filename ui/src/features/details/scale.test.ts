// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { countTicks, heightOf, inside, shortCount, ticksOf, tickTexts, zoomed } from "./scale";

describe("ticks", () => {
  it("stand at round numbers inside of the axis", () => {
    expect(ticksOf([-1.3, 4.2], 6)).toEqual([-1, 0, 1, 2, 3, 4]);
    expect(ticksOf([0, 1], 4)).toEqual([0, 0.5, 1]);
  });
  it("are none where there is no axis", () => {
    expect(ticksOf([1, 1], 5)).toEqual([]);
    expect(ticksOf([NaN, 1], 5)).toEqual([]);
    expect(ticksOf([1, 1 + 2 ** -52], 5)).toEqual([]);
    expect(ticksOf([0, Infinity], 5)).toEqual([]);
    expect(ticksOf([0, 1], 0)).toEqual([]);
  });
  it("say what their step needs", () => {
    expect(tickTexts([-0.5, 0, 0.5])).toEqual(["−0.5", "0", "0.5"]);
    expect(tickTexts([10, 20])).toEqual(["10", "20"]);
    expect(tickTexts([0, 2e-5, 4e-5])).toEqual(["0", "2.0e−5", "4.0e−5"]);
    expect(tickTexts([])).toEqual([]);
  });
});

describe("counts", () => {
  it("are short", () => expect([0, 950, 1200, 3e6, 2.5e9].map(shortCount)).toEqual(["0", "950", "1.2k", "3M", "2.5G"]));
  it("have a height for 0 and for all", () => {
    expect(heightOf(0, 99, true)).toBe(0);
    expect(heightOf(9, 99, true)).toBeCloseTo(0.5);
    expect(heightOf(99, 99, false)).toBe(1);
    expect(heightOf(5, 0, false)).toBe(0);
    expect(heightOf(NaN, 9, true)).toBe(0);
  });
  it("have ticks at powers of ten, or at round whole numbers", () => {
    expect(countTicks(2500, true, 5).map((tick) => tick.count)).toEqual([0, 1, 10, 100, 1000]);
    expect(countTicks(3e8, true, 5).map((tick) => tick.text)).toEqual(["0", "100", "10k", "1M", "100M"]);
    expect(countTicks(2500, false, 5).map((tick) => tick.text)).toEqual(["0", "500", "1k", "1.5k", "2k", "2.5k"]);
    expect(countTicks(1, false, 5).map((tick) => tick.count)).toEqual([0, 1]);
    expect(countTicks(0, true, 5)).toEqual([]);
  });
});

describe("a part of the axis", () => {
  it("stays inside of all", () => {
    expect(inside([-5, 5], [0, 100], 1)).toEqual([0, 10]);
    expect(inside([-50, 500], [0, 100], 1)).toEqual([0, 100]);
  });
  it("is never narrower than told", () => expect(inside([50, 50], [0, 100], 4)).toEqual([48, 52]));
  it("keeps what it is zoomed at", () => {
    expect(zoomed([0, 10], 0.5, 0)).toEqual([0, 5]);
    expect(zoomed([0, 10], 0.5, 5)).toEqual([2.5, 7.5]);
  });
});
