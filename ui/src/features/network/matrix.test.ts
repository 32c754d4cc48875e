// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { comparedOf } from "../../base/compared";
import type { Group } from "./blocks";
import { badness, cellText, kindOf, matrixCsv, matrixOf, moved, scrolledTo, spanOf } from "./matrix";
import { stepsOf, type Step } from "./model";

const none = stepsOf(comparedOf({ rows: 1, offset: 0, count: 1, columns: { "op.id": ["a"], value: ["a"] } }), [])[0]!;
const step = (place: number, sqnr: number, share = NaN): Step => ({ ...none, place, sqnr, share, name: `op${place}` });
const group: Group = {
  id: "g",
  title: "layer",
  meaning: "",
  rows: ["query", 'a,"b"', "add"],
  units: [
    { label: "0", name: "/layer.0", ops: [0, 1, 2] },
    { label: "1", name: "/layer.1", ops: [3, 4, null] },
    { label: "2", name: "/layer.2", ops: [5, 6, 7] },
  ],
};
const matrix = matrixOf(group, [step(0, 30), step(2, Infinity), step(3, 20), step(3, 10), step(-1, 5), step(99, 5)]);

describe("a matrix", () => {
  it("has rows and columns in which something was compared", () => {
    expect(matrix.rows.map((row) => [row.title, row.cells.map((one) => one?.sqnr)])).toEqual([["query", [30, 10]], ["add", [Infinity, undefined]]]);
    expect(matrix.columns.map((column) => column.title)).toEqual(["0", "1"]);
    expect(matrixOf(group, [])).toMatchObject({ rows: [], columns: [] });
  });
  it("may leave out rows of what is only moved", () => {
    const moved = [{ ...step(0, 30), local: NaN, drop: 0 }, { ...step(3, 30), local: NaN, drop: NaN }];
    expect(matrixOf(group, [...moved, { ...step(2, 9), local: 12 }], false).rows.map((row) => row.title)).toEqual(["add"]);
    expect(matrixOf(group, [{ ...moved[0]!, drop: 2 }], false).rows).toHaveLength(1);
  });
  it("is coloured between the best and the worst", () => {
    const span = spanOf(matrix, kindOf("sqnr"));
    expect(span).toEqual({ best: 30, worst: 10, isCut: true });
    expect([40, 30, 20, 10, -5].map((value) => badness(value, span))).toEqual([0, 0, 0.5, 1, 1]);
    expect(badness(Infinity, span)).toBe(0);
    expect(badness(NaN, span)).toBeNaN();
    expect(badness(3, { best: 3, worst: 3, isCut: false })).toBe(0);
    expect(spanOf(matrix, kindOf("share"))).toBeNull();
  });
  it("takes 40 dB for good, and less than nothing of a fall for nothing", () => {
    const good = matrixOf(group, [step(0, 55), step(3, 35)]);
    expect(spanOf(good, kindOf("sqnr"))).toEqual({ best: 40, worst: 35, isCut: true });
    const falls = matrixOf(group, [{ ...step(0, 1), drop: -3 }, { ...step(3, 1), drop: 6 }]);
    expect(spanOf(falls, kindOf("drop"))).toEqual({ best: 0, worst: 6, isCut: true });
    expect(spanOf(matrixOf(group, [step(0, 55), step(3, 50)]), kindOf("sqnr"))).toEqual({ best: 50, worst: 50, isCut: true });
  });
  it("says its figures as text", () => {
    expect(cellText(matrix.rows[0]!.cells[0]!, kindOf("sqnr"))).toBe("30.0");
    expect(cellText(step(0, 1, 0.051), kindOf("share"))).toBe("5.1 %");
    expect(cellText(step(0, 1), kindOf("local"))).toBe("–");
    expect(cellText(null, kindOf("sqnr"))).toBe("");
    expect(kindOf("no such").id).toBe("sqnr");
  });
  it("is saved with the names of the blocks", () => {
    const all = matrixOf(group, [step(0, 30), step(1, 2), step(4, 3)]);
    expect(matrixCsv(all, kindOf("sqnr")).split("\r\n")).toEqual(["SQNR of,/layer.0,/layer.1", "query,30,", '"a,""b""",2,3', ""]);
  });
  it("is walked by keys over cells that have something", () => {
    expect(moved(matrix, { row: 0, column: 0 }, "ArrowRight")).toEqual({ row: 0, column: 1 });
    expect(moved(matrix, { row: 0, column: 1 }, "ArrowDown")).toEqual({ row: 0, column: 1 });
    expect(moved(matrix, { row: 0, column: 1 }, "Home")).toEqual({ row: 0, column: 0 });
    expect(moved(matrix, { row: 1, column: 0 }, "End")).toEqual({ row: 1, column: 0 });
    expect(moved(matrix, { row: 0, column: 0 }, "x")).toEqual({ row: 0, column: 0 });
  });
});

it("scrolls just so far that a cell is in sight", () => {
  expect(scrolledTo(100, 50, 110, 130)).toBe(100);
  expect(scrolledTo(100, 50, 80, 130)).toBe(80);
  expect(scrolledTo(100, 50, 140, 170)).toBe(120);
  expect(scrolledTo(10, 50, -20, 5)).toBe(0);
});
