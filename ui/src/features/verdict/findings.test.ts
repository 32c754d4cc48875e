// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { amountText, fitting, foundIn, itemOf, most, othersText, partOf, remedyBeside, sharedStart } from "./findings";

const op = { id: "conv_4", name: "Conv_4" };
const finding = {
  rule: "spread_weight",
  op,
  ops: [op, { id: "x", name: "X" }],
  because: "its weight has one scale.",
  remedy: { op_name_dict: { Conv_4: "fp32" } },
  severity: "warning",
  output_share: 0.482,
  output_share_interval: [0.45, 0.5],
  share_is_measured: true,
  tied_with_previous: false,
  measured_gain: null,
};
const one = (change: object) => foundIn({ findings: [{ ...finding, ...change }] })[0]!;

describe("a finding", () => {
  it("says how much begins where, and how that is known", () => {
    expect(one({})).toMatchObject({
      index: 0, rule: "spread weight", severity: "warning", op, others: ["X"], amount: "48 %", unit: "less error in float",
      doubt: "45 to 50 %, measured", meaning: expect.stringMatching(/^Measured/) as string,
      share: 0.482, interval: [0.45, 0.5], tried: "",
      gain: { share: 0.482, interval: [0.45, 0.5], by: "measured" },
    });
    expect(one({ share_is_measured: false })).toMatchObject({
      unit: "of the error, estimated", doubt: "45 to 50 %", meaning: expect.stringMatching(/^Estimated/) as string,
    });
    expect(one({ share_is_measured: false, output_share: 0 }).doubt).toBe("45 to 50 %, estimated");
    expect(one({ output_share_interval: null }).doubt).toBe("measured");
    expect(one({ share_samples: 16 }).doubt).toBe("45 to 50 %, measured over 16 samples");
  });
  it("that was measured in float says so, where its remedy is another", () => {
    const remedy = { op_name_dict: { Conv_4: { weight: { granularity: "per_channel" } } } };
    expect(one({ remedy, share_samples: 16, output_share_interval: [1, 1] })).toMatchObject({
      unit: "less error if in float", doubt: "100 %, measured in float over 16 samples", gain: { by: "in float" },
    });
  });
  it("is told in one text", () => {
    const all = [one({}), one({ output_share: null }), one({ output_share: 0 })];
    expect(all.map(amountText)).toEqual(["48 % less error in float", "", "no gain can be told"]);
  });
  it("of nothing says so", () => {
    expect(one({ output_share: 0.001, output_share_interval: [-0.5, 0.4] }).unit).toBe("no gain can be told");
    expect(one({ output_share: -0.2, output_share_interval: [-0.5, -0.1] }).unit).toBe("no less error in float");
  });
  it("about no error has no share", () => {
    expect(one({ output_share: null, output_share_interval: null })).toMatchObject({ amount: "", unit: "", doubt: "", share: NaN, gain: { share: NaN } });
  });
  it("of an older record, or of none, is read without its fields", () => {
    expect(foundIn({ findings: [{}, null, 3] })[0]).toMatchObject({ rule: "", severity: "note", op: null, others: [], because: "", remedy: null });
    expect(foundIn({})).toEqual([]);
    expect(foundIn(null)).toEqual([]);
    expect(foundIn({ findings: { rows: 2000, stamp: "x" } })).toEqual([]);
  });
});

describe("a remedy that was tried", () => {
  it("gains what it adds to those before it", () => {
    const all = foundIn({
      findings: [
        { ...finding, measured_gain: 0.5, measured_gain_interval: [0.4, 0.6] },
        finding,
        { ...finding, measured_gain: 0.75, measured_gain_interval: [0.7, 0.8] },
      ],
    });
    expect(all.map((found) => found.gain.share)).toEqual([0.5, 0.482, 0.25]);
    expect(all[0]!.tried).toBe("tried: 50 % less error (40 to 60 %)");
  });
  it("may make it worse, or not be told", () => {
    expect(one({ measured_gain: -0.2, measured_gain_interval: [-0.3, -0.1] }).tried).toBe("tried: 20 % more error (10 to 30 %)");
    expect(one({ measured_gain: 0.1, measured_gain_interval: [-0.1, 0.3] }).tried).toBe("tried: no gain that can be told (−10 to 30 %)");
    expect(one({ measured_gain: 0.1, measured_gain_interval: null }).tried).toBe("tried: 10 % less error");
  });
  it("is told without the op's name, where that stands beside it", () => {
    expect(remedyBeside(one({}))).toBe("in float");
    expect(remedyBeside(one({ remedy: { op_name_dict: { Conv_4: { activation: { algorithm: "minmax" } } } } }))).toBe("activation minmax");
    expect(remedyBeside(one({ remedy: { op_name_dict: { Conv_40: "fp32" } } }))).toBe("Conv_40 in float");
    expect(remedyBeside(one({ op: null, ops: [] }))).toBe("Conv_4 in float");
  });
  it("is put into the basket, unless there is none", () => {
    expect(itemOf(one({}))).toEqual({ id: "finding:0", label: "Conv_4 in float", recipe: finding.remedy, gain: 0.482, known: { interval: [0.45, 0.5], by: "measured" } });
    expect(itemOf(one({ remedy: null }))).toBeNull();
    expect(itemOf(one({ remedy: {} }))).toBeNull();
  });
});

it("of a profile costs time, not accuracy", () => {
  const slow = {
    rule: "float_island",
    ops: [op, op, op],
    because: "Softmax is computed in float",
    milliseconds: 0.8213,
    remedy: { op_name_dict: { a: "fp32" } },
    trial: { gain_ms: 0.5, gain_interval: [0.4, 0.6] },
  };
  const found = foundIn({ findings: [slow, { ...slow, remedy: null, trial: null }, { ...slow, trial: { gain_ms: -0.1, gain_interval: [-0.3, 0.1] } }] });
  expect(found[0]).toMatchObject({
    op, others: ["Conv_4", "Conv_4"], amount: "821 µs", unit: "a run", doubt: "slower than in float",
    tried: "tried in float: 500 µs faster (400 µs to 600 µs)", severity: "warning",
  });
  expect(found[0]!.gain.share).toBeNaN();
  expect(found[1]).toMatchObject({ tried: "", severity: "note" });
  expect(found[2]!.tried).toBe("tried in float: no gain that can be told (−300 µs to 100 µs)");
});

it("names the other ops, up to twelve of them", () => {
  expect(othersText(["X", "Y"])).toBe("X, Y");
  expect(othersText(Array.from({ length: 16 }, (_, index) => `op${index}`))).toMatch(/^op0, .*, op11 and 4 more$/);
  const ops = [{ id: "x", name: "X" }, op, { id: "y" }];
  expect(one({ ops }).others).toEqual(["X", "y"]);
  expect(one({ ops: [] }).others).toEqual([]);
});

it("knows the scopes that tell no name from another", () => {
  expect(sharedStart(["/encoder/layer.0/Mul_1", "/encoder/layer.1/Mul_1", "/encoder/layer.1/Add"])).toBe("/encoder");
  expect(sharedStart(["/block3/depthwise/Conv", "/block3/pointwise/Conv"])).toBe("/block3");
  expect(sharedStart(["model.encoder.0.fc", "model.encoder.1.fc"])).toBe("model.encoder");
  expect(sharedStart(["/a/b", "/a/b/c"])).toBe("/a");
  for (const names of [[], ["/a/b/Conv"], ["/a/Conv", "/a/Conv"], ["/a/Conv", "/b/Conv"], ["Conv_4", "Conv_5"]]) expect(sharedStart(names)).toBe("");
});

describe("a list of 10,000", () => {
  const all = foundIn({ findings: Array.from({ length: 10_020 }, () => finding) });
  it("is shown in parts, so that the page stays quick", () => {
    expect(most).toBeLessThanOrEqual(100);
    const seen: number[] = [];
    for (let from: number | null = 0; from !== null; from = partOf(all, from).after) {
      const part = partOf(all, from);
      expect(part.listed.length).toBeLessThanOrEqual(most);
      expect(part.before).toBe(from === 0 ? null : from - most);
      seen.push(...part.listed.map((found) => found.index));
    }
    expect(seen).toEqual(all.map((found) => found.index));
  });
  it("has no part behind its end, and one where it is short or empty", () => {
    expect(partOf(all, 99_999)).toMatchObject({ from: 10_000, after: null });
    expect(partOf(all.slice(0, 3), 50)).toMatchObject({ from: 0, before: null, after: null });
    expect(partOf([], 0)).toEqual({ from: 0, listed: [], before: null, after: null });
  });
});

it("as many findings are shown as fit in whole, with a line for the others", () => {
  expect(fitting([50, 100, 150], 150, 20)).toBe(3);
  expect(fitting([50, 100, 150], 149.5, 20)).toBe(3);
  expect(fitting([50, 100, 150], 140, 20)).toBe(2);
  expect(fitting([50, 100, 150], 110, 20)).toBe(1);
  expect(fitting([50, 100], 10, 20)).toBe(1);
  expect(fitting([], 0, 20)).toBe(0);
});
