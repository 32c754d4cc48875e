// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { bitsOf, codesOf, paramsOf, rangesOf, reachOf, scalesText, schemeOf, tensorsOf, unclippedOf, weightAlgorithm, zeroPointsText,
  type Scheme } from "./codes";
import { rowsOf } from "./model";

const scheme = (dtype: string, symmetric = false, bits = 8): Scheme => ({ dtype, symmetric, axis: null, bits });

describe("parameters", () => {
  it("are one, a list, or columns", () => {
    expect(paramsOf({ scale: 0.5, zero_point: 3 })).toEqual([{ scale: 0.5, zeroPoint: 3 }]);
    expect(paramsOf([{ scale: 0.5, zero_point: 3 }])).toHaveLength(1);
    expect(paramsOf({ scale: [0.5, 0.25], zero_point: 0 })[1]).toEqual({ scale: 0.25, zeroPoint: 0 });
    expect(paramsOf({ scale: [0.5, "inf"], zero_point: [1, 2] })[1]).toEqual({ scale: Infinity, zeroPoint: 2 });
  });
  it("are none where nothing is stored", () => {
    for (const nothing of [null, undefined, [], {}, "x", { scale: "nan", zero_point: 0 }]) expect(paramsOf(nothing)).toEqual([]);
  });
  it("of many channels are told in short", () => {
    const many = Array.from({ length: 1024 }, (_, index) => ({ scale: 0.001 * (index + 1), zeroPoint: 0 }));
    expect(scalesText(many)).toBe("1,024 scales from 0.001 to 1.02");
    expect(scalesText([{ scale: NaN, zeroPoint: 0 }, { scale: NaN, zeroPoint: 0 }])).toBe("2 scales");
    expect(scalesText([])).toBe("–");
    expect(zeroPointsText(many)).toBe("0");
    expect(zeroPointsText([{ scale: 1, zeroPoint: -3 }, { scale: 1, zeroPoint: 12 }])).toBe("−3 to 12");
  });
});

describe("codes", () => {
  it("are fewer of a symmetric scheme, and of fewer bits", () => {
    expect(codesOf(scheme("int8"))).toEqual([-128, 127]);
    expect(codesOf(scheme("int8", true))).toEqual([-127, 127]);
    expect(codesOf(scheme("int8", true, 7))).toEqual([-63, 63]);
    expect(codesOf(scheme("uint8"))).toEqual([0, 255]);
    expect(codesOf(scheme("uint8", true, 7))).toEqual([1, 127]);
    expect(codesOf(scheme("int4", true, 4))).toEqual([-7, 7]);
  });
  it("reach as far as their scale says", () => {
    expect(reachOf(scheme("uint8"), { scale: 0.5, zeroPoint: 128 })).toEqual([-64, 63.5]);
    expect(unclippedOf(scheme("int8", true, 7), { scale: 1, zeroPoint: 0 })).toEqual([-128.5, 127.5]);
    expect(reachOf(null, { scale: 1, zeroPoint: 0 })).toBeNull();
    expect(reachOf(scheme("uint8"), undefined)).toBeNull();
    expect(reachOf(scheme("uint8"), { scale: Infinity, zeroPoint: 0 })).toBeNull();
    expect(reachOf(scheme("uint8"), { scale: -1, zeroPoint: 0 })).toBeNull();
  });
  it("have the bits of their dtype where the record counts 8 of all", () => {
    expect(schemeOf({ dtype: "int4", symmetric: true, axis: 0, bits: 8 })?.bits).toBe(4);
    expect(schemeOf({ dtype: "uint16", symmetric: false, axis: null, bits: 8 })?.bits).toBe(16);
    expect(schemeOf(null)).toBeNull();
  });
});

describe("what gave a range", () => {
  it("is in ranges.json", () => {
    const ranges = rangesOf({
      values: [{ value: "a", min: -1, max: 2, algorithm: "moving_average", asked: "auto" }, { value: "b", min: "nan", max: 1, algorithm: null }],
      wide: [{ value: "a", min: -9, max: 9, algorithm: "minmax", asked: "minmax" }, { value: "c", algorithm: "mse" }],
    });
    expect(ranges.get("a")).toEqual({ min: -1, max: 2, by: "moving average, chosen by auto" });
    expect(ranges.get("b")?.by).toBe("given by hand");
    expect(ranges.get("c")?.min).toBeNaN();
    for (const nothing of [null, 3, {}, { values: {} }]) expect(rangesOf(nothing).size).toBe(0);
  });
  it("of a weight is what the recipe asks last", () => {
    const recipe = {
      weight: {},
      op_type_dict: { Conv: { weight: { algorithm: "mse" } } },
      op_name_dict: { ".*head": { weight: { algorithm: "minmax" } }, "(": { weight: { algorithm: "x" } } },
    };
    expect(weightAlgorithm(recipe, "/a", "Conv")).toBe("mse");
    expect(weightAlgorithm(recipe, "/head", "Conv")).toBe("minmax");
    expect(weightAlgorithm(recipe, "/head/b", "Gemm")).toBe("minmax");
    expect(weightAlgorithm(null, "/a", "Conv")).toBe("");
  });
});

describe("tensors", () => {
  const op = { id: "y", name: "Conv_1" };
  const rows = rowsOf({
    activations: [{ op, type: "Conv", value: "y", quantized: "yq", min: -2, max: 3, clip_rate: 0.002, clip_rate_interval: [0.001, 0.003] }],
    pairs: [{ reference: "y", quantized: "yq", scheme: { dtype: "uint8", symmetric: false, axis: null, bits: 8 },
      params: { scale: 0.01, zero_point: 100 }, channel_params: [], same_as: 4 }],
    weights: [{ op, type: "Conv", weight: "w", quantized: "wq", dtype: "int8", granularity: "per_channel", sqnr_db: "inf", channels: 2,
      worst_channel: 1, worst_channel_sqnr_db: 20, channel_spread: 3, reference: { min: -1, max: 1 } }],
    weight_pairs: [{ quantized: "wq", scheme: { dtype: "int8", symmetric: true, axis: 0, bits: 8 }, params: { scale: [0.1, 0.2], zero_point: 0 } }],
  });
  const ranges = new Map([["y", { min: -1, max: 1.55, by: "mse" }]]);
  const made = tensorsOf(rows, rows.activations[0], { ranges, bits: new Map([["w", 7]]), recipe: {} });
  it("are the activation and each weight", () => {
    expect(made.map((one) => [one.id, one.title, one.sameAs])).toEqual([["activation", "Activation", 4], ["weight 0", "Weight", null]]);
  });
  it("say what their codes are", () => {
    const facts = Object.fromEntries(made[0]!.facts);
    expect(facts).toMatchObject({ Codes: "uint8, asymmetric", Granularity: "per tensor", "Range by": "mse", Scale: "0.01", "Zero point": "100",
      Clipped: "0.2 % (0.1 to 0.3 %)" });
    expect(Object.fromEntries(made[1]!.facts)).toMatchObject({ Codes: "int8, symmetric, 7 bits in use",
      Granularity: "per channel, axis 0", "Range by": "minmax", Scale: "2 scales from 0.1 to 0.2", SQNR: "∞ dB of its rounding" });
  });
  it("have a reach where they have one scale", () => {
    expect(made[0]!.reach).toEqual([-1, 1.55]);
    expect(made[1]!.reach).toBeNull();
    expect(made[1]!.data).toEqual([-1, 1]);
  });
  it("know the bits of a plan", () => {
    expect(bitsOf({ columns: { weight: ["w", "v"], "scheme.bits": [7, null] } })).toEqual(new Map([["w", 7]]));
    for (const none of [null, {}, { columns: {} }, { columns: { weight: ["w"] } }]) expect(bitsOf(none).size).toBe(0);
  });
  const nothing = { ranges: new Map(), bits: new Map<string, number>(), recipe: null };
  it("of an old record lack what it lacks", () => {
    const bare = rowsOf({ activations: [{ op, type: "Conv", value: "y", quantized: "" }],
      weights: [{ type: "Conv", weight: "w", quantized: "wq" }] });
    const [first, second] = tensorsOf(bare, bare.activations[0], nothing);
    expect(first?.facts).toEqual([["Codes", "none: what is compared are floats"]]);
    expect(second?.scheme).toBeNull();
    expect(tensorsOf(rowsOf({}), undefined, nothing)).toEqual([]);
  });
});
