// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { meaningOf, parted, pathKindOf, titleOf, verbMeaning, verbsOf } from "./fields";
import { document } from "./testing";

describe("the fields of a verb", () => {
  const verbs = verbsOf(document);
  const field = (verb: string, name: string) => verbs.get(verb)?.find((one) => one.name === name);
  it("come from the server's document", () => {
    expect([...verbs.keys()]).toEqual(["quantize", "benchmark", "news"]);
    expect(field("quantize", "model")).toMatchObject({ kind: "text", isNeeded: true });
    expect(field("quantize", "limit")).toMatchObject({ kind: "count", least: 1, meaning: "how many samples at most", isNeeded: false });
    expect(field("quantize", "approach")).toMatchObject({ kind: "word", words: ["static", "dynamic"] });
    expect(field("quantize", "diagnose")?.kind).toBe("flag");
    expect(field("quantize", "recipe")?.kind).toBe("recipe");
    expect(field("benchmark", "batch_size")?.kind).toBe("counts");
    expect(field("news", "ratio")?.kind).toBe("real");
  });
  it("are none of a document of another shape", () => {
    for (const wrong of [null, [], {}, { paths: 3 }, { paths: { "/api/v1/jobs": { post: null } } }]) expect(verbsOf(wrong).size).toBe(0);
  });
  it("are parted, and none is lost", () => {
    const all = verbs.get("quantize")!;
    const { shown, more } = parted("quantize", all);
    expect(shown.map((one) => one.name)).toEqual(["model", "data", "recipe", "diagnose", "verify", "name"]);
    expect(more.length + shown.length).toBe(all.length);
  });
  it("of a verb that is new show what it needs", () => {
    expect(parted("news", verbs.get("news")!).shown.map((one) => one.name)).toEqual(["ratio"]);
    expect(verbMeaning("news")).toBe("");
  });
  it("have titles", () => {
    expect(titleOf("model", "quantize")).toBe("Float model");
    expect(titleOf("model", "benchmark")).toBe("Model");
    expect(titleOf("calibration_data", "quantize")).toBe("Calibration data");
  });
  it("have meanings, the server's where there is no other", () => {
    expect(meaningOf("quantize", field("quantize", "limit")!)).toBe("how many samples at most");
    expect(meaningOf("benchmark", field("benchmark", "batch_size")!)).toContain("commas");
  });
  it("know what takes a path", () => {
    expect(pathKindOf(field("quantize", "model")!)?.endings).toEqual([".onnx"]);
    expect(pathKindOf(field("quantize", "output")!)).toBeNull();
    expect(pathKindOf(field("quantize", "name")!)).toBeNull();
    expect(pathKindOf(field("news", "table")!)).toEqual({ endings: [], takesFolder: false, words: [] });
  });
});
