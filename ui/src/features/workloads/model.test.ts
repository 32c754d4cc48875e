// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { accuracyText, changed, modelName, progressOf, type Run } from "./model";

const run: Run = {
  id: "a",
  name: "",
  verb: "quantize",
  state: "wip",
  message: "",
  created: "2026-11-27T10:00:00.000Z",
  finished: "",
  models: [
    { role: "quantized", path: "/m/net.int8.onnx", sha256: "", bytes: 1 },
    { role: "reference", path: "/m/net.onnx", sha256: "", bytes: 4 },
  ],
  metric: "top1",
  accuracy: { metric: "top1", reference: 0.63, quantized: 0.64, difference: 0.01, is_rate: true, higher_is_better: true },
  progress: { event: "progress", id: null, folder: null, step: "calibrate", done: 5, seconds: 1, total: 20, text: null },
  tags: [],
  note: "",
};

describe("a run in the list", () => {
  it("is called by its reference", () => expect(modelName(run)).toBe("net.onnx"));
  it("shows both accuracies", () => expect(accuracyText(run)).toBe("63.0 % → 64.0 %"));
  it("shows how far it is, while it is under way", () => {
    expect(progressOf(run)).toEqual({ step: "calibrate", share: 0.25 });
    expect(progressOf({ ...run, state: "success" })).toBeNull();
  });
});

describe("a change", () => {
  it("of progress stays in the list", () => {
    const list = changed([run], { id: "a", state: "wip", progress: { ...run.progress!, done: 10 } });
    expect(list?.[0]?.progress?.done).toBe(10);
  });
  it("that ends or begins a run asks for the list", () => {
    expect(changed([run], { id: "a", state: "success", progress: null })).toBeNull();
    expect(changed([run], { id: "b", state: "wip", progress: null })).toBeNull();
  });
  it("that removes a run needs nothing else", () => expect(changed([run], { id: "a", state: null, progress: null })).toEqual([]));
});
