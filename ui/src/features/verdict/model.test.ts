// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { culprit, foundOf, isRepeated, metaOf, modelName, stateOf, verdictOf, verdictText, type Run } from "./model";

const run: Run = {
  format: 8, id: "20261121-113045-quantize-m-3f2a", name: "m", verb: "quantize", state: "success", arguments: ["quantize", "m.onnx", "--data", "d.npz"],
  inputs: [], outputs: [],
  message: "", created: "", finished: "", metric: "top1", notes: [], environment: {}, times: {}, folder: "/w", progress: null, result: null, tags: [],
  note: "", lists: [], files: [],
  models: [
    { role: "reference", path: "/models/m.onnx", sha256: "", bytes: 1 },
    { role: "quantized", path: "/models/m.int8.onnx", sha256: "", bytes: 1 },
  ],
  data: [{ role: "samples", data: "d.npz", path: "/d.npz", fingerprint: "", samples: 100, batch_size: 1, part: null }],
};
const file = (name: string): Run["files"][number] => ({ name, kind: "record", record: name.replace(".json", ""), version: 8, bytes: 1 });
const finding = {
  rule: "rounding", op: { id: "c", name: "Conv_4" }, ops: [{ id: "c", name: "Conv_4" }], because: "its steps are coarse.", severity: "warning",
  remedy: { op_name_dict: { Conv_4: "fp32" } }, output_share: 0.5, output_share_interval: [0.4, 0.6], share_is_measured: true,
};
const result = { ops_quantized: 3, ops_float: 1, diagnosis: { verdict: "The outputs keep 18.5 dB.", findings: [finding] } };

describe("a verdict", () => {
  it("is made of the diagnosis inside a quantization", () => {
    const verdict = verdictOf({ ...run, result });
    expect(verdict).toMatchObject({ state: "done", sentence: "The outputs keep 18.5 dB." });
    expect(verdict.found).toHaveLength(1);
    expect(culprit(verdict)).toBe("Conv_4: 50 % less error in float");
  });
  it("says how it comes to tell more, where a run was not diagnosed", () => {
    const blind = verdictOf({ ...run, result: { ops_quantized: 3, ops_float: 1 } });
    expect(blind.advice?.command).toBe("quantlens quantize m.onnx --data d.npz --diagnose");
    expect(verdictOf({ ...run, result, files: [file("diagnosis.json")] }).advice).toBeNull();
    expect(verdictOf({ ...run, data: [] }).advice).toBeNull();
    expect(culprit(blind)).toBe("");
  });
  it("names two files that were evaluated, unless they have one name", () => {
    const evaluated = { metric: "top1", value: 0.6, is_rate: true, against: { metric: "top1", value: 0.7, is_rate: true } };
    expect(verdictOf({ ...run, verb: "evaluate", result: evaluated }).tiles[0]?.label).toBe("m.onnx");
    expect(verdictOf({ ...run, verb: "evaluate", models: [], result: evaluated }).tiles[0]?.label).toBe("FP32");
  });
});

describe("a run that did not come to its end", () => {
  it("runs, has failed, or was interrupted", () => {
    expect(stateOf({ state: "new", message: "" })).toBe("running");
    expect(stateOf({ state: "wip", message: "" })).toBe("running");
    expect(stateOf({ state: "failure", message: "no such file" })).toBe("failed");
    expect(stateOf({ state: "failure", message: "interrupted" })).toBe("interrupted");
  });
  it("says how it is run again; a search goes on", () => {
    expect(verdictOf({ ...run, state: "failure", message: "bad" }).advice?.command).toBe("quantlens quantize m.onnx --data d.npz");
    const search = { ...run, verb: "tune", arguments: ["tune", "m.onnx"], state: "failure" as const, message: "interrupted" };
    expect(verdictOf({ ...search, files: [file("study.json")] }).advice?.command).toBe(`quantlens tune m.onnx --resume ${run.id}`);
    expect(verdictOf(search).advice?.command).toBe("quantlens tune m.onnx");
  });
  it("leaves out of the command what a job alone needs", () => {
    const job = { ...run, arguments: ["quantize", "/m.onnx", "--progress=json", "--threads=1"], state: "failure" as const };
    expect(verdictOf(job).advice?.command).toBe("quantlens quantize /m.onnx --threads=1");
  });
});

describe("a diagnosis' sentence", () => {
  const says = (...all: string[]) => {
    const diagnosis = { findings: [finding, { ...finding, rule: "spread_weight" }], conclusions: all.map((one) => ({ says: one, figures: {} })) };
    return [{ diagnosis }, diagnosis].map((result) => isRepeated(result, foundOf(result)));
  };
  it("repeats the findings, or says more", () => {
    expect(says("loss", "share.begins", "rounding.weight", "end", "as_much.in_float", "in_doubt", "spread_weight", "end")).toEqual([true, true]);
    for (const more of ["tried", "caveat", "outputs_left_out", "outlier_channel"]) expect(says("loss", "share.begins", more)).toEqual([false, false]);
    expect(says()).toEqual([false, false]);
    expect(isRepeated(null, [])).toBe(false);
  });
});

it("is copied as text", () => {
  const text = verdictText({ ...run, result }, verdictOf({ ...run, result }));
  expect(text.split("\n")).toEqual([
    "m: quantize of m.onnx, top1 (20261121-113045-quantize-m-3f2a)",
    "Ops in int8: 3 of 4 (1 in float)",
    "",
    "The outputs keep 18.5 dB.",
    "",
    "1. warning rounding at Conv_4 (50 % less error in float, 40 to 60 %, measured): its steps are coarse.",
    '   recipe: {"op_name_dict":{"Conv_4":"fp32"}}',
    "",
  ]);
  const failed = { ...run, state: "failure" as const, message: "no such file" };
  expect(verdictText(failed, verdictOf(failed))).toContain("failed: no such file");
});

it("names the model", () => {
  expect(modelName(run)).toBe("m.onnx");
  expect(modelName({ ...run, models: [] })).toBe("");
});

it("says what was done to what", () => {
  expect(metaOf(run)).toBe("quantize · top1 · 100 samples of d.npz");
  expect(metaOf({ ...run, name: "first try" })).toContain("quantize · m.onnx · top1");
  expect(metaOf({ ...run, metric: "", data: [], models: [] })).toBe("quantize");
  expect(metaOf({ ...run, data: [{ ...run.data[0]!, part: { first: 0, count: 50 } }] })).toContain("50 samples of d.npz");
});
