// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { factsOf, removalOf } from "./details";
import { withNote, withTags, withoutTag, isSame } from "./labels";
import { runOf, shownOf } from "./testing";

const run = runOf("a", { state: "success", finished: "2026-11-27T10:00:42.000Z" });
const now = Date.parse("2026-11-27T10:01:00.000Z");

describe("the facts of a run", () => {
  const facts = factsOf(run, shownOf(run), now);
  const value = (name: string) => facts.find((fact) => fact.name === name);
  it("have the whole paths to be copied", () => {
    expect(value("Model")).toEqual({ name: "Model", value: "net.onnx", more: "4.0 kB", copied: "/m/net.onnx" });
    expect(value("Data")).toEqual({ name: "Data", value: "val.yaml", copied: "/d/val.yaml" });
    expect(value("Samples")?.value).toBe("100");
  });
  it("tell versions, the program's first and the machine's last", () => {
    expect(facts.map((fact) => fact.name).filter((name) => ["quantlens", "onnxruntime", "Threads", "CPU"].includes(name))).toEqual([
      "quantlens", "onnxruntime", "Threads", "CPU",
    ]);
  });
  it("tell how long it took, or takes by now", () => {
    expect(value("Duration")?.value).toBe("42 s");
    expect(factsOf({ ...run, state: "wip", finished: "" }, null, now).find((fact) => fact.name === "Duration")?.value).toBe("1 min");
  });
  it("quote the command", () => expect(value("Command")?.copied).toBe("quantlens quantize '/m/my net.onnx' --data=/d/val.yaml"));
  it("are few where nothing more is known", () => {
    const bare = factsOf(runOf("x", { models: [], metric: "", created: "" }), null, now);
    expect(bare.map((fact) => fact.name)).toEqual(["Created", "Duration", "Id"]);
    expect(bare[1]?.value).toBe("–");
  });
  it("name a part of the samples", () => {
    const data = { role: "samples" as const, data: "/d/photos/", path: "", fingerprint: "", samples: 400, batch_size: 8 };
    const part = shownOf(run, { data: [{ ...data, part: { first: 0, count: 1 } }] });
    const told = factsOf(run, part, now);
    expect(told.find((fact) => fact.name === "Data")?.value).toBe("photos");
    expect(told.find((fact) => fact.name === "Samples")?.value).toBe("1 of 400, 8 at once");
  });
});

describe("a removal", () => {
  it("leaves the models and the data", () => {
    const { goes, stays } = removalOf(run, shownOf(run));
    expect(goes).toEqual(["its folder in the workspace: records, tables and recipes (1 file, 1.5 kB)"]);
    expect(stays).toEqual(["/m/net.int8.onnx", "/m/net.onnx", "/d/val.yaml"]);
  });
  it("takes the model that lies in the run's folder, and what people said", () => {
    const edited = runOf("a", { tags: ["x"], models: [{ role: "edited", path: "/w/workloads/a/edited.onnx", sha256: "", bytes: 1 }] });
    const { goes, stays } = removalOf(edited, shownOf(edited, { data: [] }));
    expect(goes).toContain("/w/workloads/a/edited.onnx");
    expect(goes).toContain("its tags and its note");
    expect(stays).toEqual([]);
  });
  it("is told of a run that cannot be read", () => expect(removalOf(runOf("a", { models: [] }), null).goes.length).toBe(1));
});

describe("labels", () => {
  const labels = { tags: ["a"], note: "" };
  it("take several tags at once, each once", () => expect(withTags(labels, " b, a,,c ")).toEqual({ tags: ["a", "b", "c"], note: "" }));
  it("say what the server would refuse", () => {
    expect(withTags(labels, Array.from({ length: 16 }, (_, index) => `t${index}`).join(","))).toBe("A run has at most 16 tags.");
    expect(withTags(labels, "ü".repeat(33))).toBe("A tag has at most 64 bytes.");
    expect(withNote(labels, "x".repeat(5000))).toContain("5000 bytes");
  });
  it("lose a tag, and are compared", () => {
    expect(withoutTag(labels, "a")).toEqual({ tags: [], note: "" });
    expect(withNote(labels, " hello \n")).toEqual({ tags: ["a"], note: "hello" });
    expect(isSame(labels, { tags: ["a"], note: "" })).toBe(true);
    expect(isSame(labels, { tags: ["b"], note: "" })).toBe(false);
  });
});
