// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { fitted, fittedEnd, fittedMiddle, legendOf, widthOf } from "./labels";

it("wide letters are wider than narrow ones", () => {
  expect(widthOf("mmmm")).toBeGreaterThan(2 * widthOf("illi"));
  expect(widthOf("abc", 24)).toBeCloseTo(2 * widthOf("abc", 12));
  expect(widthOf("")).toBe(0);
});

describe("a label", () => {
  const name = "layer.2/attention/self/key";
  it("is whole where it fits", () => {
    expect([fitted, fittedMiddle, fittedEnd].map((cut) => cut(name, 300))).toEqual([name, name, name]);
  });
  it("is cut to its place: at its end, before its end, or at its begin", () => {
    const cut = [fitted(name, 90), fittedMiddle(name, 90), fittedEnd(name, 90)];
    for (const one of cut) expect(widthOf(one)).toBeLessThanOrEqual(90);
    expect(cut[0]).toMatch(/^layer\.2.*…$/);
    expect(cut[1]).toMatch(/^lay.*….*key$/);
    expect(cut[2]).toMatch(/^….*self\/key$/);
  });
  it("does not begin at a separator where its begin is cut", () => {
    expect(fittedEnd("aaaa.bbbb.onnx", 76)).toBe("…bbbb.onnx");
    expect(fittedEnd("aaaa.bbbb.onnx", 68)).toBe("…bbb.onnx");
  });
  it("is nothing where no three letters fit", () => {
    expect([fitted, fittedMiddle, fittedEnd].map((cut) => cut("Gemm", 18))).toEqual(["", "", ""]);
    expect(fitted("Gemm", 33)).not.toBe("Gemm");
  });
});

it("a legend has as many lines as it needs", () => {
  const entries = ["kernels", "conversions", "other layouts"].map((text) => ({ id: text, text }));
  const wide = legendOf(entries, 400);
  expect(new Set(wide.entries.map((entry) => entry.y)).size).toBe(1);
  expect(wide.entries[1]!.x).toBeGreaterThan(15 + widthOf("kernels", 11));
  const narrow = legendOf(entries, 170);
  expect(narrow.entries.map((entry) => entry.x === 0)).toEqual([true, false, true]);
  expect(narrow.height).toBeGreaterThan(wide.height);
  expect(legendOf([], 400).height).toBe(0);
});
