// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { codesOf, paramsOf, reachOf, scalesText, schemeOf, unclippedOf, zeroPointsText, type Scheme } from "./codes";

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
