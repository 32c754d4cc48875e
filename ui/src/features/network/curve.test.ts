// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { comparedOf } from "../../base/compared";
import {
  bandPath, dotsPath, dropsPath, linePath, marksPath, rangeOf, Scale, stepped, ticks, ticksPath, withStep, zoomed, zoomOf, zoomText,
} from "./curve";
import { stepsOf, type Step } from "./model";

const none = comparedOf({ rows: 1, offset: 0, count: 1, columns: { "op.id": ["a"], value: ["a"] } })[0]!;
const step = (sqnr: number, more: Partial<Step> = {}): Step => ({ ...stepsOf([none], [])[0]!, sqnr, ...more });
const box = { left: 0, right: 100, top: 0, bottom: 100 };
const range = { low: 0, high: 50, isCut: false };

describe("the zoom", () => {
  it("is read from the address, and whole where that is no sound one", () => {
    expect(zoomOf("2-5", 10)).toEqual({ from: 2, to: 5 });
    expect(zoomOf("2-500", 10)).toEqual({ from: 2, to: 9 });
    for (const bad of [undefined, "", "x", "5-5", "9-2", "20-30"]) expect(zoomOf(bad, 10)).toEqual({ from: 0, to: 9 });
    expect(zoomOf(undefined, 0)).toEqual({ from: 0, to: 0 });
  });
  it("is not held where it is whole", () => {
    expect(zoomText({ from: 0, to: 9 }, 10)).toBeNull();
    expect(zoomText({ from: 1, to: 9 }, 10)).toBe("1-9");
  });
  it("goes nearer and farther within the network", () => {
    expect(zoomed({ from: 0, to: 99 }, 90, 0.5, 100)).toEqual({ from: 50, to: 99 });
    expect(zoomed({ from: 50, to: 59 }, 55, 0.1, 100)).toEqual({ from: 53, to: 57 });
    expect(zoomed({ from: 10, to: 90 }, 50, 4, 100)).toEqual({ from: 0, to: 99 });
    expect(zoomed({ from: 0, to: 2 }, 1, 0.5, 3)).toEqual({ from: 0, to: 2 });
  });
  it("follows a step", () => {
    expect(withStep({ from: 10, to: 20 }, 5)).toEqual({ from: 5, to: 15 });
    expect(withStep({ from: 10, to: 20 }, 21)).toEqual({ from: 11, to: 21 });
    expect(withStep({ from: 10, to: 20 }, 15)).toEqual({ from: 10, to: 20 });
  });
});

describe("the range", () => {
  it("holds all figures in whole tens, at most 60 dB", () => {
    expect(rangeOf([])).toEqual({ low: 20, high: 30, isCut: false });
    expect(rangeOf([step(12, { local: 41 }), step(NaN)])).toEqual({ low: 10, high: 50, isCut: false });
    expect(rangeOf([step(-4, { local: Infinity, sqnrInterval: [-12, 3] })])).toEqual({ low: -20, high: 60, isCut: true });
    expect(rangeOf([step(-Infinity)]).low).toBe(-20);
  });
});

describe("paths", () => {
  const steps = [step(50, { sqnrInterval: [40, 50] }), step(NaN), step(25, { drop: 25, local: 30, part: "born" }), step(0, { sqnrInterval: [0, 5] })];
  const scale = new Scale(box, { from: 0, to: 3 }, range);

  it("know which step is at which x", () => {
    expect([0, 1, 3].map((index) => scale.x(index))).toEqual([12.5, 37.5, 87.5]);
    expect([-5, 10, 30, 99, 500].map((x) => scale.at(x))).toEqual([0, 0, 1, 3, 3]);
    expect(scale.y(Infinity)).toBe(0);
    expect(scale.y(-3)).toBe(100);
  });
  it("have gaps where there is no figure", () => {
    expect(linePath(steps, scale)).toBe("M12.5 0.0M62.5 50.0L87.5 100.0");
    expect(dotsPath(steps, scale, (one) => one.local)).toBe("M62.5 40.0h0");
    expect(linePath([], scale)).toBe("");
  });
  it("draw intervals as bands, that of a lone step as wide as its column", () => {
    const band = bandPath(steps, scale);
    expect(band.match(/M/g)).toHaveLength(2);
    expect(band).toContain("M0.0 0.0L25.0 0.0L25.0 20.0L0.0 20.0Z");
  });
  it("mark falls, ops and what a query holds for", () => {
    expect(dropsPath(steps, scale, 3)).toBe("M62.5 0.0V50.0");
    expect(marksPath(steps, scale, "born", "triangle")).toBe("M57.5 36.0H67.5L62.5 46.0Z");
    expect(marksPath(steps, scale, "inherited", "diamond")).toBe("");
    expect(ticksPath([false, true], scale)).toBe("M37.5 93.0v7");
  });
  it("show what is in sight alone", () => {
    expect(linePath(steps, new Scale(box, { from: 2, to: 3 }, range))).toBe("M25.0 50.0L75.0 100.0");
  });
});

it("ticks are round numbers", () => {
  expect(ticks(0, 60, 6)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  expect(ticks(1, 10_000, 8)).toEqual([2000, 4000, 6000, 8000, 10_000]);
  expect(ticks(3, 3, 5)).toEqual([3]);
});

it("keys lead along the network, and from birth to birth", () => {
  const steps = [step(1), step(1, { part: "born" }), step(1), step(1, { part: "born" }), step(1)];
  const from = (now: number) => (key: string) => stepped(steps, now, key);
  expect(["ArrowRight", "ArrowLeft", "Home", "End", "PageDown"].map(from(2))).toEqual([3, 1, 0, 4, 4]);
  expect(["ArrowDown", "ArrowUp"].map(from(2))).toEqual([3, 1]);
  expect(["ArrowDown", "ArrowUp"].map(from(3))).toEqual([3, 1]);
  expect(from(2)("x")).toBeUndefined();
  expect(stepped([], 0, "End")).toBe(0);
});
