// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { cautionsOf, csvOf, differenceInterval, differenceText, firstOf, opsText, othersOf, rowsOf, type Side } from "./compare";
import { runOf, shownOf } from "./testing";

const ended = { state: "success" as const, finished: "2026-11-27T10:00:10.000Z" };
const a: Side = { run: runOf("a", ended), shown: null, ops: null };
const better = { ...a.run.accuracy!, quantized: 0.66, difference: 0.03 };
const bRun = runOf("b", { ...ended, finished: "2026-11-27T10:00:20.000Z", accuracy: better });
const ops = { all: 15, int8: 12, float: 3, constants: 2 };
const b: Side = { run: bRun, shown: shownOf(bRun, { result: { difference_interval: [-0.01, 0.07] } }), ops };

describe("two runs", () => {
  const rows = rowsOf(a, b);
  const row = (name: string) => rows.find((one) => one.name === name);
  it("stand side by side with what changed", () => {
    expect(row("Quantized accuracy")).toEqual({ name: "Quantized accuracy", a: "64.0 %", b: "66.0 %", change: "+2.0 points" });
    expect(row("Reference accuracy")?.change).toBe("±0.0 points");
    expect(row("Difference")).toEqual({ name: "Difference", a: "+1.0 points", b: "+3.0 points (−1.0 to +7.0)", change: "" });
    expect(row("Ops")).toEqual({ name: "Ops", a: "–", b: "12 int8, 3 float", change: "" });
    expect(row("Duration")?.change).toBe("× 2");
  });
  it("leave out what neither has", () => expect(row("Tags")).toBeUndefined());
  it("of unlike metrics are not subtracted", () => {
    const other: Side = { run: { ...bRun, metric: "f1" }, shown: null, ops: null };
    expect(rowsOf(a, other).find((one) => one.name === "Quantized accuracy")?.change).toBe("");
    expect(cautionsOf(a, other)).toEqual(["The metrics differ, so the accuracies cannot be compared."]);
  });
  it("of other files and data say so", () => {
    const models = [{ role: "reference" as const, path: "/m/x.onnx", sha256: "other", bytes: 1 }];
    const first: Side = { run: a.run, shown: shownOf(a.run), ops: null };
    const data = [{ ...shownOf(a.run).data[0]!, fingerprint: "g" }];
    expect(cautionsOf(first, { run: { ...bRun, models }, shown: shownOf(bRun, { data }), ops: null })).toEqual([
      "The reference models are different files.", "The data differ.",
    ]);
    const fewer = [{ ...shownOf(a.run).data[0]!, samples: 5 }];
    expect(cautionsOf(first, { run: bRun, shown: shownOf(bRun, { data: fewer }), ops: null })).toEqual(["The numbers of samples differ."]);
    expect(cautionsOf(a, b)).toEqual([]);
  });
  it("without accuracies still have rows", () => {
    const bare: Side = { run: runOf("c", { accuracy: null, models: [], metric: "", created: "", finished: "" }), shown: null, ops: null };
    expect(rowsOf(bare, bare).map((one) => one.name)).toEqual(["State", "Verb", "Created"]);
  });
  it("are saved as a table", () => expect(csvOf(rows, a.run, b.run).split("\r\n")[0]).toBe(",a,b,change"));
});

describe("what is read of a result", () => {
  it("is found where its verb has it, and is nothing where it is damaged", () => {
    const result = { accuracy: { difference_interval: [0, 1] } };
    expect(differenceInterval(shownOf(bRun, { result }))).toEqual([0, 1]);
    for (const wrong of [null, [], "x", { difference_interval: ["nan", 1] }, { difference_interval: 3, accuracy: 1 }]) {
      expect(differenceInterval(shownOf(bRun, { result: wrong }))).toBeNull();
    }
    expect(differenceInterval(null)).toBeNull();
  });
  it("has no ops where none were counted", () => expect([opsText(null), opsText({ ...ops, float: NaN })]).toEqual(["", ""]));
  it("has a sign", () => {
    expect(differenceText(-0.0123, true)).toBe("−1.2 points");
    expect(differenceText(0.001234, false)).toBe("+0.00123");
    expect(differenceText(NaN, true)).toBe("–");
  });
});

it("runs of the same model are offered first", () => {
  const other = runOf("c", { models: [{ role: "reference", path: "/m/other.onnx", sha256: "", bytes: 1 }] });
  expect(othersOf([a.run, other, bRun], a.run).map((group) => group.runs.map((run) => run.id))).toEqual([["b"], ["c"]]);
  expect(othersOf([a.run], a.run)).toEqual([]);
  const begun = runOf("d");
  expect(firstOf(othersOf([begun, a.run, other, bRun], a.run))?.id).toBe("b");
  expect(firstOf(othersOf([begun, a.run], a.run))?.id).toBe("d");
  expect(firstOf([])).toBeNull();
});
