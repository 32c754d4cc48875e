// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { captionOf, runCaption, wrapped } from "./caption";

describe("a caption", () => {
  it("says the quantity, what it is of, and the run", () => {
    const run = runCaption({ id: "2026-a1", name: "digits", verb: "quantize" });
    expect(run).toBe("quantize of digits (2026-a1)");
    expect(captionOf("Histogram", "/conv/Conv, Weight", run)).toEqual(["Histogram: /conv/Conv, Weight", "quantize of digits (2026-a1)"]);
    expect(captionOf("Flame", "", "")).toEqual(["Flame"]);
    expect(runCaption({ id: "a", name: "", verb: "" })).toBe("a");
  });
});

describe("lines", () => {
  const lines = (text: string, most: number) => wrapped(text, most, (part) => part.length);
  it("are broken behind spaces and between parts of names", () => {
    expect(lines("Local error: /layer.3/conv/Conv", 14)).toEqual(["Local error:", "/layer.3/conv", "/Conv"]);
    expect(lines("short", 14)).toEqual(["short"]);
    expect(lines("", 14)).toEqual([]);
  });
  it("are broken between letters where a part alone is too wide, and lose none", () => {
    expect(lines("x".repeat(25), 10)).toEqual(["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
    const name = "/model/encoder/layers_10/self_attn/MatMul_output_0";
    for (let most = 1; most < 60; ++most) {
      expect(lines(name, most).join("")).toBe(name);
      expect(Math.max(...lines(name, most).map((line) => line.length))).toBeLessThanOrEqual(most);
    }
  });
});
