// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csvOf } from "../../base/table";
import { findingsIn, findingsOf, headOf, rowOf, rowsOf, shareText, timeOf } from "./model";
import { elided, entryOf, tabbed, wordsOf } from "./text";

const op = { id: "y", name: "/block/Conv" };
const answer = {
  op: "y",
  activations: [{ op, type: "Conv", pattern: ["Conv", "Relu"], value: "y" }, { op, type: "Conv", pattern: ["Conv"], value: "z" }],
  plan: [{ op, type: "Conv", pattern: ["Conv", "Relu"], precision: "fp32", reason: "its weight is no constant", form: "dynamic" }],
  findings: [{ rule: "rounding", op, ops: [op], remedy: null }],
  times: [{ ops: [op, op], reference_us: 120, quantized_us: 40, conversion_us: 5, layout_us: 0 }],
};

describe("rows of an op", () => {
  it("are empty where nothing is stored", () => {
    for (const nothing of [null, undefined, "", 3, {}, { activations: "?" }]) {
      const rows = rowsOf(nothing);
      expect(rows.activations).toEqual([]);
      expect(headOf(rows, "y", undefined)).toEqual({ name: "y", type: "", pattern: "", precision: "", reason: "", form: "" });
      expect(timeOf(rows)).toBe("");
    }
  });
  it("have the chosen one, else the first", () => {
    const rows = rowsOf(answer);
    expect(rowOf(rows, "z")?.value).toBe("z");
    expect(rowOf(rows, null)?.value).toBe("y");
    expect(rowOf(rows, "gone")?.value).toBe("y");
    expect(rowOf(rowsOf({}), "y")).toBeUndefined();
  });
  it("say what stands at the head", () => {
    const rows = rowsOf(answer);
    expect(headOf(rows, "y", rows.activations[0])).toMatchObject({
      name: "/block/Conv", type: "Conv", pattern: "Conv Relu", precision: "fp32", reason: "its weight is no constant",
      form: "its input is quantized anew for each run",
    });
  });
  it("leave a pattern of the op alone out", () => {
    const rows = rowsOf({ activations: [{ op, type: "Conv", pattern: ["Conv"], value: "y" }] });
    expect(headOf(rows, "y", rows.activations[0]).pattern).toBe("");
  });
  it("have times of a profile", () => expect(timeOf(rowsOf(answer))).toBe("120 µs in float, 45.0 µs quantized, of 2 ops as one"));
});

describe("findings", () => {
  const remedy = { op_name_dict: { "/block/Conv": { activation: { algorithm: "minmax" } } } };
  const all = [
    { rule: "other", op: { id: "x", name: "X" }, ops: [], because: "no" },
    { rule: "clipped_range", op: { id: "x", name: "X" }, ops: [op], because: "It clips.", output_share: 0.4, share_is_measured: true, remedy,
      severity: "problem" as const },
  ];
  it("are found in the result of each verb", () => {
    expect(findingsIn({ diagnosis: { findings: all } })).toHaveLength(2);
    expect(findingsIn({ findings: all })).toHaveLength(2);
    for (const nothing of [null, undefined, 7, { diagnosis: null }, { findings: "?" }]) expect(findingsIn(nothing)).toEqual([]);
  });
  it("about the op have the id that the verdict gives them", () => {
    expect(findingsOf(rowsOf({}), "y", all)).toEqual([
      { id: "finding:1", rule: "clipped range", severity: "problem", sentence: "It clips.", share: 0.4, interval: null, isMeasured: true, others: 1,
        remedy, gain: { share: 0.4, interval: null, by: "in float" }, label: "X: activation algorithm minmax" },
    ]);
  });
  it("without sentences are those of the rows", () => {
    const [told] = findingsOf(rowsOf(answer), "y", []);
    expect(told).toMatchObject({ id: "finding:rounding:y:0", sentence: "", remedy: null, severity: "note" });
    expect(told?.gain.share).toBeNaN();
  });
  it("have ids of their own, though a rule speaks of the op twice", () => {
    const twice = { findings: [null, { rule: "rounding", op: { id: "y", name: "Y" } }, { rule: "rounding", op: { id: "y", name: "Y" } }] };
    const ids = findingsOf(rowsOf(twice), "y", []).map((one) => one.id);
    expect(new Set(ids).size).toBe(2);
    expect(findingsOf(rowsOf({}), "y", findingsIn({ findings: [null, ...all] }))).toHaveLength(1);
  });
});

it("a finding's share is told as what it is", () => {
  const text = (share: number, isMeasured: boolean, interval: readonly [number, number] | null = null, more = {}) =>
    shareText({ share, isMeasured, interval, others: 0, remedy: null, ...more });
  expect(text(0.46, true, [0.06, 0.86])).toBe("46 % less error in float (6 to 86 %), measured");
  expect(text(-0.2, true, [-0.3, 0.1])).toBe("20 % more error in float (−10 to 30 %), measured");
  expect(text(0.066, false, [-0.04, 0.4])).toBe("6.6 % of the error, estimated (−4 to 40 %)");
  expect(text(0, true)).toBe("0 % less error in float, measured");
  expect(text(1, true, [0.99, 1], { others: 16 })).toBe("100 % less error in float with 16 more ops (99.0 to 100.0 %), measured");
  expect(text(0.066, false, [-0.04, 0.4], { others: 1 })).toBe("6.6 % of the error, estimated, with 1 more op (−4 to 40 %)");
  expect(text(-0.2, true, null, { others: 2 })).toBe("20 % more error in float with 2 more ops, measured");
  const remedy = { op_name_dict: { a: { weight: { granularity: "per_channel" } } } };
  expect(text(1, true, [1, 1], { remedy })).toBe("100 % less error if in float (100 %), measured");
});

describe("words", () => {
  it("of a recipe's entry", () => {
    expect(wordsOf("fp32")).toBe("float");
    expect(wordsOf({ weight: { granularity: "per_channel", bits: 8 } })).toBe("weight granularity per channel, bits 8");
    expect(entryOf({ op_name_dict: { a: "fp32", b: "fp32" } })).toBeNull();
    expect(entryOf({ op_name_dict: { a: "fp32" } })).toBe("fp32");
    expect(entryOf(null)).toBeNull();
  });
  it("of long names have both ends", () => {
    expect(elided("/a/Conv", 7)).toBe("/a/Conv");
    expect(elided("/encoder/layers.10/Conv", 12)).toBe("/enc…10/Conv");
    expect(elided("x".repeat(200), 90)).toHaveLength(90);
  });
  it("for spreadsheets", () => {
    expect(csvOf(["a", "b"], [["x,y", 1.5], ["=1+1", -2], ['"', 0]])).toBe(`a,b\r\n"x,y",1.5\r\n'=1+1,-2\r\n"""",0\r\n`);
    expect(tabbed([["a\tb", "c"], ["d"]])).toBe("a b\tc\nd");
  });
});
