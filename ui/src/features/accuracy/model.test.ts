// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { compile } from "../../base/query";
import { csv, sorted } from "../../base/table";
import {
  answerText, columnsOf, countsOf, directionOf, flipCounts, flipText, language, metricParts,
  namesOf, only, ratioInterval, scoredOf, scoredData,
} from "./model";

const rate = (value: number) => ({ metric: "top1", value, interval: [value - 0.1, value + 0.1], samples: 100, is_rate: true, higher_is_better: true });
const flip = (sample: number, direction: string, change: object = {}) =>
  ({ sample, name: `${sample}.png`, direction, label: 3, reference: 3, other: 7, ...change });
const columns = columnsOf(["FP32", "INT8"]);
const stored = {
  reference: rate(0.63), quantized: rate(0.6), difference: -0.03, difference_interval: [-0.07, 0.01], ratio: -0.0476, lost: 5, gained: 2,
  flips: [flip(4, "lost"), flip(9, "gained", { label: 7, other: 7, reference: -1 })],
};

describe("an accuracy record", () => {
  it("is of two models, with the samples whose answer changed", () => {
    const record = scoredOf(stored);
    expect(record.pair).toMatchObject({ difference: -0.03, lost: 5 });
    expect(record.alone).toBeNull();
    expect(record.flips.map((one) => one.sample)).toEqual([4, 9]);
  });
  it("or of one", () => {
    expect(scoredOf({ ...stored, reference: null, flips: [] })).toMatchObject({ pair: null, alone: { value: 0.6 }, flips: [], counts: null });
  });
  it("is read whatever is missing or damaged", () => {
    for (const bad of [null, undefined, {}, [], 3, { flips: { rows: 2000, stamp: "x" } }]) {
      expect(scoredOf(bad)).toEqual({ pair: null, alone: null, flips: [], counts: null });
    }
    expect(scoredOf({ ...stored, flips: [null, {}, { direction: "lost" }] }).flips).toEqual([
      { sample: NaN, name: "", direction: "lost", label: NaN, reference: NaN, other: NaN },
    ]);
  });
});

describe("the counts", () => {
  it("are what the rates say", () => {
    expect(scoredOf(stored).counts).toEqual({ bothRight: 58, lost: 5, gained: 2, bothWrong: 35, samples: 100 });
  });
  it("are not known where the figures do not go together", () => {
    expect(scoredOf({ ...stored, quantized: rate(0.7) }).counts).toEqual({ bothRight: NaN, lost: 5, gained: 2, bothWrong: NaN, samples: 100 });
    expect(scoredOf({ ...stored, lost: 80 }).counts?.bothRight).toBeNaN();
  });
  it("are there for rates alone", () => {
    const other = { ...rate(0.5), is_rate: false };
    expect(scoredOf({ ...stored, reference: other, quantized: other }).counts).toBeNull();
    expect(countsOf({ ...scoredOf(stored).pair!, reference: { ...scoredOf(stored).pair!.reference, samples: 0 } })).toBeNull();
  });
});

describe("flipped samples", () => {
  const { flips } = scoredOf(stored);
  it("are lost or gained", () => {
    expect(only(flips, directionOf("lost")).map((one) => one.sample)).toEqual([4]);
    expect(only(flips, directionOf("gained")).map((one) => one.sample)).toEqual([9]);
    expect(only(flips, directionOf(undefined))).toHaveLength(2);
    expect(flipCounts(flips, { lost: 248, gained: 1 })).toEqual({ all: 249, lost: 248, gained: 1 });
    expect(flipCounts(flips, { lost: NaN, gained: 0 })).toEqual({ all: 2, lost: 1, gained: 1 });
    expect(directionOf("other")).toBe("all");
  });
  it("are asked for and saved as any table", () => {
    const { holds } = compile("change:lost & label=3", language);
    expect(flips.filter(holds!)).toHaveLength(1);
    expect(sorted(flips, columns, { column: "sample", direction: "down" })[0]?.sample).toBe(9);
    expect(csv(flips, columns).split("\r\n").slice(0, 2)).toEqual(["Answer,Sample,Name,Label,FP32,INT8", "lost,4,4.png,3,3,7"]);
  });
  it("tell the answers", () => {
    expect(flips.map(flipText)).toEqual(["label 3: 3 → 7", "label 7: no number → 7"]);
    expect([answerText(NaN), answerText(0), answerText(-1)]).toEqual(["–", "0", "no number"]);
  });
});

it("takes a metric apart", () => {
  expect(metricParts("top1")).toEqual({ name: "top1", options: [] });
  expect(metricParts("f1:average=macro,threshold=0.5,strict")).toEqual({
    name: "f1", options: [["average", "macro"], ["threshold", "0.5"], ["strict", ""]],
  });
  expect(metricParts("command:'eval,2.py' --top 5")).toEqual({ name: "command", options: [["program", "'eval,2.py' --top 5"]] });
  expect(metricParts("")).toEqual({ name: "", options: [] });
});

it("knows the interval of a ratio from that of the difference", () => {
  const { pair } = scoredOf(stored);
  expect(ratioInterval(pair!)![0]).toBeCloseTo(-0.1111, 4);
  const lost = { ...pair!, differenceInterval: [-0.718, -0.525] as const };
  expect(ratioInterval(lost)).toEqual([-1, expect.closeTo(-0.8333, 4)]);
  expect(ratioInterval({ ...lost, reference: { ...lost.reference, isRate: false } })![0]).toBeCloseTo(-1.1397, 4);
  expect(ratioInterval({ ...pair!, differenceInterval: null })).toBeNull();
  expect(ratioInterval({ ...pair!, reference: { ...pair!.reference, value: 0 } })).toBeNull();
});

it("names the models: files that were evaluated by their names", () => {
  const models = [{ role: "reference", path: "/a.onnx" }, { role: "quantized", path: "/b.onnx" }].map((one) => ({ ...one, sha256: "", bytes: 1 }));
  const run = { models: models as Parameters<typeof namesOf>[0]["models"] };
  expect(namesOf(run, true)).toEqual(["a.onnx", "b.onnx"]);
  expect(namesOf(run, false)).toEqual(["FP32", "INT8"]);
  expect(namesOf({ models: [] }, true)).toEqual(["FP32", "INT8"]);
});

it("names the data", () => {
  const data = { role: "samples", data: "d.yaml", path: "/d.yaml", fingerprint: "", samples: 1, batch_size: 1, part: null } as const;
  expect(scoredData({ data: [data] })).toBe("/d.yaml");
  expect(scoredData({ data: [] })).toBe("");
});
