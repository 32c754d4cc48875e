// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { accuracyText, changed, csvOf, formatOf, isLoss, messageOf, modelName, nameOf, progressOf, standOf, type Run } from "./model";
import { runOf } from "./testing";

const run: Run = runOf("a");

describe("a run in the list", () => {
  it("is called by its reference where it has no name", () => {
    expect(modelName(run)).toBe("net.onnx");
    expect(nameOf(run)).toBe("net.onnx");
    expect(nameOf({ ...run, name: "first try" })).toBe("first try");
    expect(nameOf({ ...run, models: [] })).toBe("a");
  });
  it("shows both accuracies", () => {
    expect(accuracyText(run)).toBe("63.0 % → 64.0 %");
    expect(isLoss(run)).toBe(false);
  });
  it("shows one accuracy, and none", () => {
    expect(accuracyText({ accuracy: { ...run.accuracy!, reference: null } })).toBe("64.0 %");
    expect(accuracyText({ accuracy: { ...run.accuracy!, quantized: "nan" } })).toBe("63.0 %");
    expect(accuracyText({ accuracy: { ...run.accuracy!, reference: null, quantized: "nan" } })).toBe("");
    expect(accuracyText({ accuracy: null })).toBe("");
  });
  it("knows which way is worse", () => {
    const mse = { ...run.accuracy!, is_rate: false, higher_is_better: false, reference: 0.0123456, quantized: "inf" as const };
    expect(accuracyText({ accuracy: mse })).toBe("0.01235 → ∞");
    expect(isLoss({ accuracy: mse })).toBe(true);
    expect(isLoss({ accuracy: { ...mse, quantized: null } })).toBe(false);
    expect(isLoss({ accuracy: { ...run.accuracy!, quantized: 0.5, difference: -0.13 } })).toBe(true);
    expect(isLoss({ accuracy: { ...run.accuracy!, quantized: 0.5, difference: -0.13, difference_interval: [-0.3, 0.02] } })).toBe(false);
    expect(isLoss({ accuracy: { ...run.accuracy!, quantized: run.accuracy!.reference, difference: 0 } })).toBe(false);
  });
  it("shows how far it is, while it is under way", () => {
    expect(progressOf(run)).toEqual({ step: "calibrate", done: 5, total: 20, rate: 2.5, remaining: 6 });
    expect(progressOf({ ...run, state: "success" })).toBeNull();
    expect(progressOf({ state: "wip", progress: null })).toBeNull();
  });
  it("tells no rate where nothing is done or nobody knows the end", () => {
    const begun = progressOf({ ...run, progress: { ...run.progress!, done: 0, seconds: "nan" } });
    expect(begun?.rate).toBeNaN();
    expect(begun?.remaining).toBeNaN();
    expect(progressOf({ ...run, progress: { ...run.progress!, total: null } })?.remaining).toBeNaN();
  });
  it("says how it ended", () => {
    expect(standOf(run)).toEqual({ mark: "running", word: "under way" });
    const failed: Run = { ...run, state: "failure", message: "no such file" };
    expect(standOf(failed).word).toBe("failed");
    expect(messageOf(failed)).toBe("no such file");
    expect(standOf({ ...failed, message: "interrupted" })).toEqual({ mark: "stopped", word: "interrupted" });
    expect(standOf({ ...failed, verb: "" })).toEqual({ mark: "damaged", word: "unreadable" });
    expect(messageOf({ ...failed, verb: "" })).toContain("no such file");
    expect(messageOf({ ...run, state: "success" })).toBe("");
  });
  it("knows what a file is", () => {
    expect(formatOf("/a/b.int8.onnx")).toBe("ONNX");
    expect(formatOf("/a/b.XYZ")).toBe("XYZ");
    expect(formatOf("/a.b/model")).toBe("");
    expect(formatOf("")).toBe("");
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

it("the list is saved with absent figures empty and text that breaks a table quoted", () => {
  const [head, row] = csvOf([{ ...run, note: '=1+1, "x"', accuracy: null }]).split("\r\n");
  expect(head?.split(",").length).toBe(14);
    expect(row).toBe(`a,net.onnx,quantize,under way,,2026-11-27T10:00:00.000Z,,/m/net.onnx,top1,,,,,"'=1+1, ""x"""`);
});
