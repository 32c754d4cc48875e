// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { comparedOf } from "../../base/compared";
import type { Point } from "./model";
import { Axis, dots, inside, labelled, nearest, placesOf, planeOf, stepped } from "./plane";

const none = comparedOf({ rows: 1, offset: 0, count: 1, columns: { "op.id": ["a"] } })[0]!;
const point = (gain: number, share: number, local = NaN): Point => ({
  ...none, key: "", names: [], gain, share, local, detail: "", isInt8: true, name: `op ${gain}`,
});
const box = { left: 0, right: 100, top: 0, bottom: 100 };

describe("an axis", () => {
  it("is logarithmic on both sides of a linear middle", () => {
    const axis = new Axis(1, -1000, 1000, 0, 100);
    expect(axis.at(0)).toBe(50);
    expect(axis.at(1000)).toBe(100);
    expect(axis.at(1e9)).toBe(100);
    expect(axis.at(-Infinity)).toBe(0);
    const steps = [10, 100, 1000].map((value) => axis.at(value));
    expect(steps[2]! - steps[1]!).toBeCloseTo(steps[1]! - steps[0]!, 0);
    expect(axis.ticks(11)).toEqual([-1000, -100, -10, 0, 10, 100, 1000]);
    expect(axis.ticks(2)).toContain(300);
    expect(axis.ticks(45)).toEqual([-1000, 0, 1000]);
  });
  it("ends for figures beyond all reason", () => {
    expect(new Axis(Infinity, 0, Infinity, 0, 100).ticks(10)).toEqual([]);
    expect(new Axis(0, 60, -1e308, 100, 0).ticks(10).length).toBeLessThan(20);
    expect(new Axis(0, 60, -1e6, 100, 0).ticks(10).length).toBeGreaterThan(1);
  });
  it("may be linear, and turned round", () => {
    const axis = new Axis(0, 60, 0, 100, 0);
    expect([60, 30, 0].map((value) => axis.at(value))).toEqual([100, 50, 0]);
    expect(axis.ticks(5)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  });
  it("of one place is its middle", () => expect(new Axis(1, 0, 0, 0, 100).at(5)).toBe(50));
});

describe("the plane", () => {
  const points = [point(100, 0.5, 10), point(-20, 0.01, 45), point(NaN, 0.2, 30), point(5, NaN, Infinity)];
  const borders = { gain: 5, harm: 0.05 };

  it("holds all points, more harm being higher", () => {
    const plane = planeOf(points, "share", borders, 1000, box);
    const places = placesOf(points, plane, "share");
    expect(places[0]).toBe(92);
    expect(places[2]).toBe(8);
    expect([places[4], places[6]]).toEqual([NaN, NaN]);
    const local = placesOf(points, planeOf(points, "local", { gain: 5, harm: 20 }, 1000, box), "local");
    expect(local[1]!).toBeLessThan(local[3]!);
    expect(local[7]).toBe(80);
  });
  it("has a tick above all shares, and room for names of quadrants above that", () => {
    for (const [share, end] of [[0.999, 1], [0.486, 1], [0.3, 0.3], [0.02, 0.1], [2, 3], [Infinity, 0.1]] as const) {
      const { y } = planeOf([point(100, share)], "share", borders, 1000, { ...box, bottom: 300 });
      expect([share, y.ticks(18).at(-1), y.at(end)]).toEqual([share, end, 30]);
    }
  });
  it("of no points has axes all the same", () => {
    const plane = planeOf([], "share", { gain: 0, harm: 0.05 }, NaN, box);
    expect(plane.y.ticks(10)[0]).toBe(0);
    expect(Number.isNaN(plane.x.at(1))).toBe(false);
  });
});

describe("places", () => {
  const places = Float64Array.from([10, 10, 50, 50, 90, 90, NaN, NaN, 50, 50]);

  it("are found near a pointer", () => {
    expect(nearest(places, 12, 11, 10)).toBe(0);
    expect(nearest(places, 50, 50, 10)).toBe(4);
    expect(nearest(places, 30, 30, 10)).toBe(-1);
    expect(nearest(new Float64Array(), 1, 1, 10)).toBe(-1);
  });
  it("lie within a lasso or not", () => {
    expect(inside(places, [[0, 0], [60, 0], [60, 60], [0, 60]])).toEqual([0, 1, 4]);
    expect(inside(places, [[0, 0], [100, 0], [100, 100], [80, 5]])).toEqual([]);
    expect(inside(places, [[0, 0], [60, 0]])).toEqual([]);
  });
  it("are drawn as dots", () => expect(dots(places, (index) => index !== 1)).toBe("M10.0 10.0h0M90.0 90.0h0M50.0 50.0h0"));
  it("are walked along either axis", () => {
    expect(stepped(places, -1, "ArrowRight")).toBe(0);
    expect(stepped(places, 0, "ArrowRight")).toBe(1);
    expect(stepped(places, 1, "ArrowRight")).toBe(4);
    expect(stepped(places, 2, "ArrowRight")).toBe(2);
    expect(stepped(places, 2, "ArrowUp")).toBe(1);
    expect(stepped(new Float64Array(), 0, "ArrowUp")).toBe(-1);
  });
  it("are labelled where names lie clear of each other and of points", () => {
    const points = [point(1, 1), point(2, 1), point(3, 1), point(4, 1), point(5, 1)];
    const wide = { left: -200, right: 100, top: 0, bottom: 100 };
    const sides = labelled(points, places, [0, 1, 4, 2, 3], wide, 5).map(({ index, isLeft }) => [index, isLeft]);
    expect(sides).toEqual([[0, false], [1, false], [4, true], [2, true]]);
    expect(labelled(points, places, [0, 1, 2], box, 1)).toHaveLength(1);
    expect(labelled(points, Float64Array.from([10, 10, 30, 12, 5, 10]), [0], { ...wide, left: 0 }, 5)).toEqual([]);
  });
});

it("10,000 points are placed, and each is found where it lies", () => {
  const points = Array.from({ length: 10_000 }, (_, index) => point(index - 3000, (index % 100) / 1000));
  const places = placesOf(points, planeOf(points, "share", { gain: 5, harm: 0.05 }, 1000, box), "share");
  expect(dots(places, () => true).match(/M/g)).toHaveLength(10_000);
  const found = nearest(places, places[154]!, places[155]!, 10);
  expect([places[2 * found], places[2 * found + 1]]).toEqual([places[154], places[155]]);
});
