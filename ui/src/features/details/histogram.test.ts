// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { binAt, binnedOf, binText, drawn, extentOf, fullestOf, histogramCsv, holding, regrouped, ridgeCsv, spanOf, stepsOf,
  viewOf, viewText, widthText } from "./histogram";

const pair = { edges: [0, 1, 2, 3, 4], reference: [1, 2, 3, 4], quantized: [4, 3, 2, 1], channels: [7] };
const binned = binnedOf(pair)!;

describe("counts", () => {
  it("are none where nothing was counted", () => {
    for (const nothing of [null, undefined, {}, { edges: [], reference: [] }, { edges: [0, 1], reference: [] },
      { edges: [0, "inf" as const], reference: [1] },
      { edges: [1, 1], reference: [1] }]) expect(binnedOf(nothing)).toBeNull();
  });
  it("of the quantized side may be unknown", () => {
    expect(binnedOf({ ...pair, quantized: null })?.quantized).toBeNull();
    expect(binnedOf({ ...pair, quantized: [1] })?.quantized).toBeNull();
  });
  it("have room for what codes reach", () => {
    expect(extentOf(spanOf(binned), [-6, 2], null)).toEqual([-6.3, 4.3]);
    expect(extentOf(null)).toEqual([0, 1]);
    expect(holding([0, 1], [0, 0.5])).toEqual([0, 1]);
    expect(holding([0, 1], null)).toEqual([0, 1]);
    expect(holding([0, 1], [-99, 1])).toEqual([-102, 4]);
  });
});

describe("bins in sight", () => {
  it("are added up as there is room", () => {
    expect(regrouped(binned, [0, 4], 2)).toEqual({ edges: [0, 2, 4], reference: [3, 7], quantized: [7, 3], channels: [7] });
    expect(regrouped(binned, [0, 4], 3)).toMatchObject({ edges: [0, 2, 4] });
    expect(regrouped(binned, [1.5, 2.5], 10)).toMatchObject({ edges: [1, 2, 3], reference: [2, 3] });
  });
  it("are as wide where they fill a part of the view alone", () => {
    expect(regrouped(binned, [-4, 4], 4)).toMatchObject({ edges: [0, 2, 4], reference: [3, 7] });
  });
  it("stay in the same groups when the view moves", () => {
    expect(regrouped(binned, [1, 4], 2).edges).toEqual([0, 2, 4]);
    const three = { ...binned, edges: [0, 1, 2, 3], reference: [1, 2, 3], quantized: null };
    expect(regrouped(three, [0, 3], 2)).toMatchObject({ edges: [0, 2, 3], reference: [3, 3] });
  });
  it("are none beside the counts", () => expect(regrouped(binned, [10, 20], 5)).toMatchObject({ edges: [], reference: [], quantized: [] }));
  it("are found by a value", () => {
    expect([-1, 0, 0.5, 1, 3.9, 4, 4.1, NaN].map((value) => binAt(binned, value))).toEqual([-1, 0, 0, 1, 3, 3, -1, -1]);
    expect(binAt({ ...binned, edges: [], reference: [] }, 0)).toBe(-1);
  });
  it("are told", () => {
    expect(binText(binned, 1)).toBe("1 to 2: reference 2, quantized 3");
    expect(binText({ ...binned, quantized: null }, 0)).toBe("0 to 1: reference 1");
    expect(binText(binned, 9)).toBe("");
    expect(widthText(binned)).toBe("1");
    expect(widthText({ ...binned, edges: [] })).toBe("");
  });
});

describe("lines", () => {
  it("are steps", () => expect(stepsOf([0, 1, 2], [1, 0], (x) => x, (y) => 4 - y, true)).toBe("M0.0 4.0V3.0H1.0V4.0H2.0V4.0Z"));
  it("are none without counts", () => expect(stepsOf([], [], Number, Number, false)).toBe(""));
  it("of both sides share a scale, and end at the view", () => {
    const lines = drawn(binned, [1, 3], { left: 10, width: 20, top: 0, height: 100 }, false);
    expect(lines.fullest).toBe(4);
    expect(lines.reference.startsWith("M10.0 100.0")).toBe(true);
    expect(lines.reference).toContain("H30.0");
    expect(lines.reference).not.toContain("H40.0");
    expect(drawn({ ...binned, quantized: null }, [0, 4], { left: 0, width: 1, top: 0, height: 1 }, true).quantized).toBe("");
    expect(fullestOf({ edges: [], reference: [], quantized: null, channels: [] })).toBe(0);
  });
});

describe("what is kept", () => {
  it("as a file", () => {
    expect(histogramCsv(binned).split("\r\n").slice(0, 2)).toEqual(["From,To,Reference,Quantized", "0,1,1,4"]);
    expect(histogramCsv({ ...binned, quantized: null }).split("\r\n")[1]).toBe("0,1,1");
    expect(ridgeCsv([{ channel: 7, binned }]).split("\r\n")[4]).toBe("7,3,4,4,1");
  });
  it("in the address", () => {
    expect(viewOf(viewText([-0.123456789, 2]) ?? "")).toEqual([-0.12346, 2]);
    expect(viewText(null)).toBeNull();
    for (const text of [undefined, "", "1", "2,1", "a,b", "1,", ",1", "1,inf"]) expect(viewOf(text)).toBeNull();
  });
});
