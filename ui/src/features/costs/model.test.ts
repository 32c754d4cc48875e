// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { compile } from "../../base/query";
import { comparedOf, type Compared } from "../../base/compared";
import type { UnitTime } from "../../base/timed";
import {
  bordersOf, byOp, columnsOf, figuresOf, gainText, isInt8By, itemOf, language, pointsOfPrices, pointsOfTimes, pointsOfWork, predicted,
  quadrantOf, quadrantTitle,
  type Point, type Source,
} from "./model";

const page = (columns: Record<string, unknown[]>) => ({ rows: 0, offset: 0, count: 0, columns });
const row = (id: string, more: Partial<Compared> = {}): Compared => ({
  ...comparedOf(page({ "op.id": [id], "op.name": [`/${id}`], type: ["Conv"], side: ["q_output"] }))[0]!,
  ...more,
});
const unit = (ids: string[], gain: number, more: Partial<UnitTime> = {}): UnitTime => ({
  ops: ids.map((id) => ({ id, name: `/${id}` })), type: "Conv", reference: 30, kernels: 10, conversions: 2, layouts: 1, gain, isQuantized: true,
  ...more,
});
const [a, b] = [row("a", { share: 0.3, local: 20, sqnr: 25 }), row("b", { share: 0.1, local: 12, sqnr: 18 })];
const rows = byOp([a, b, row("c"), row("x", { type: "Input", share: 0.2 })]);

describe("points", () => {
  it("are units of a profile, with the shares of their ops added up", () => {
    const points = pointsOfTimes([unit(["a", "b"], 17), unit(["c"], -4, { isQuantized: false }), unit(["z"], 1), unit([], 3)], rows);
    expect(points).toHaveLength(2);
    expect(points[0]).toMatchObject({ id: "b", names: ["/a", "/b"], gain: 17, share: 0.4, local: 12, sqnr: 18, isInt8: true });
    expect(points[0]!.detail).toBe("float 30.0 µs, int8 10.0 µs + 2.00 µs conversions + 1.00 µs layouts");
    expect(points[1]).toMatchObject({ gain: -4, isInt8: false });
    expect(points[1]!.share).toBeNaN();
  });
  it("are groups of prices that were seen in int8", () => {
    const groups = [{ ops: ["a"], float_us: 20, int8_us: 8, seen_in_int8: true }, { ops: ["b"], float_us: 5, int8_us: 5, seen_in_int8: false }, {}];
    expect(pointsOfPrices(groups, rows, () => true)).toMatchObject([{ names: ["/a"], gain: 12, isInt8: true }]);
    expect(pointsOfPrices([], rows, () => true)).toEqual([]);
  });
  it("are ops with their multiply-adds where no times are known", () => {
    const points = pointsOfWork(new Map([["a", { count: 5000, isLoose: false }]]), rows, (id) => id === "a");
    expect(points.map(({ id, gain, isInt8 }) => [id, gain, isInt8])).toEqual([["a", 5000, true], ["b", 0, false], ["c", 0, false]]);
    expect(gainText(5000, "multiply-adds")).toBe("5 k multiply-adds");
  });
  it("are in int8 as pairing.json says, else where codes are made of them", () => {
    const isInt8 = isInt8By(page({ "op.id": ["a", "b", "c"], precision: ["int8", "fp32", null] }), rows);
    expect(["a", "b", "c", "?"].map(isInt8)).toEqual([true, false, true, false]);
    expect(isInt8By(null, rows)("a")).toBe(true);
  });
});

describe("quadrants", () => {
  const source: Source = { id: "", title: "", unit: "us", total: 1000 };
  const point = (gain: number, share: number, local = NaN): Point => ({
    ...row("a"), key: "", names: ["/a"], gain, share, local, detail: "", isInt8: true,
  });

  it("part at half a percent of a run and 5 % of the error", () => {
    const borders = bordersOf(source, "share");
    expect(borders).toEqual({ gain: 5, harm: 0.05 });
    const told = [[9, 0.01], [2, 0.3], [9, 0.3], [-2, 0], [NaN, 1], [1, NaN]].map(([gain, share]) => quadrantOf(point(gain!, share!), borders, "share"));
    expect(told).toEqual(["keep", "give back", "both", "neither", null, null]);
  });
  it("are named as it fits", () => {
    const titles = [400, 120, 20].map((width) => quadrantTitle("both", width));
    expect(titles).toEqual(["pays, and harms", "pays, and harms", ""]);
  });
  it("may be of local errors, of which low is bad", () => {
    const borders = bordersOf({ ...source, unit: "multiply-adds" }, "local");
    expect(borders).toEqual({ gain: 10, harm: 20 });
    expect([12, 40, Infinity].map((local) => quadrantOf(point(0, 0, local), borders, "local"))).toEqual(["give back", "neither", "neither"]);
  });
});

describe("a lasso", () => {
  const points = pointsOfTimes([unit(["a"], 17), unit(["b"], -4), unit(["c"], 9, { isQuantized: false })], rows);

  it("predicts what float costs, of ops that are in int8", () => {
    expect(predicted(points, "us")).toMatchObject({ count: 2, time: 13, error: { share: 0.4, by: "sum" } });
    expect(predicted(points.slice(0, 1), "us").error).toMatchObject({ share: 0.3, by: "estimated" });
    expect(predicted(points, "multiply-adds").time).toBeNaN();
    expect(predicted([], "us")).toMatchObject({ count: 0, time: NaN, error: { share: NaN } });
  });
  it("makes a recipe of their names", () => {
    const named = points.map((point) => ({ ...point, names: point.names.map((name) => `${name}.conv[0]`) }));
    expect(itemOf(named, "us", 130)).toEqual({
      id: "lasso",
      label: "2 ops in float, about 13 µs slower (10.0 %)",
      recipe: { op_name_dict: { "/a\\.conv\\[0\\]": "fp32", "/b\\.conv\\[0\\]": "fp32" } },
      gain: 0.4,
      known: { interval: null, by: "sum" },
    });
    expect(itemOf(points.slice(1, 2), "us", NaN)?.label).toBe("/b in float, about 4.0 µs faster");
    expect(itemOf(points.slice(0, 1), "multiply-adds", NaN)?.label).toBe("/a in float");
    expect(itemOf(points.slice(2), "us", 1)).toBeNull();
  });
});

it("points are shown in figures, and asked by them", () => {
  const points = pointsOfTimes([unit(["a"], 17), unit(["b"], -4, { isQuantized: false })], rows);
  expect(figuresOf(points[0]!, "us")).toEqual([["int8 gains", "17.0 µs"], ["Output share", "30.0 %"], ["Local SQNR", "20.0 dB"]]);
  expect(columnsOf("us").map((column) => column.show(points[1]!)).slice(0, 5)).toEqual(["/b", "−4.00", "10.0 %", "12.0", "float"]);
  expect([2783, 0.25].map((gain) => gainText(gain, "us"))).toEqual(["2783 µs", "0.250 µs"]);
  const titles = columnsOf("us").map((column) => column.title);
  expect(titles.slice(0, 3)).toEqual(["Op", "Gain [µs]", "Output share"]);
  expect(columnsOf("us")[2]!.meaning).toMatch(/^estimated: /);
  const found = (query: string) => points.filter(compile(query, language).holds!).map((point) => point.id);
  expect(found("gain>0")).toEqual(["a"]);
  expect(found("precision:float local<15")).toEqual(["b"]);
});
