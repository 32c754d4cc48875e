// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Schemas } from "../../api/client";
import type { Gain } from "../../base/gain";
import { caveatsOf, comparisonText, errorOf, goneOf, goneText, outcomeText, pairedCommand, rowsOf, sideOf, timedCommand, type Side } from "./comparison";

const none = { names: [], values: [], sqnr: [] };
const rate = (value: number) => ({ metric: "top1", value, interval: [value - 0.1, value + 0.1], samples: 100, is_rate: true, higher_is_better: true });
const conclusions = (sqnr: unknown) => [{ says: "loss", figures: { sqnr: { is: "decibels", value: sqnr } } }];
const run = (result: unknown): Schemas["ShownRun"] => ({
  format: 8, id: "a", name: "m", verb: "quantize", state: "success", message: "", created: "", finished: "", metric: "top1", arguments: [], notes: [],
  inputs: [], outputs: [],
  environment: {}, times: {}, folder: "", progress: null, tags: [], note: "", lists: [], files: [], result,
  models: [{ role: "reference", path: "/m.onnx", sha256: "", bytes: 1 }, { role: "quantized", path: "/q.onnx", sha256: "", bytes: 1 }],
  data: [{ role: "samples", data: "d.npz", path: "/d.npz", fingerprint: "", samples: 100, batch_size: 1, part: null }],
});
const quantized = (value: number, sqnr: unknown, ops = 50) => ({
  reference: rate(0.63), quantized: rate(value), difference: value - 0.63, difference_interval: [-0.05, 0.02], ops_quantized: ops, ops_float: 58 - ops,
  diagnosis: { samples: 100, conclusions: conclusions(sqnr) },
});

describe("the outputs' error", () => {
  it("is noise over signal, summed over the outputs", () => {
    expect(errorOf({ names: ["a", "b"], values: ["x", "a", "b"], sqnr: [3, 10, 20] })).toBeCloseTo(0.11);
    expect(errorOf({ names: ["a"], values: ["a", "a"], sqnr: [20, 10] })).toBeCloseTo(0.1);
    expect(errorOf({ names: ["a"], values: ["a"], sqnr: ["inf"] })).toBe(0);
  });
  it("is not known of outputs that were not compared", () => {
    for (const outputs of [none, { names: ["a"], values: ["b"], sqnr: [1] }, { names: ["a"], values: ["a"], sqnr: [null] }]) {
      expect(errorOf(outputs)).toBeNull();
    }
  });
  it("is gone in part, or more of it", () => {
    const side = (error: number | null): Side => ({ ...sideOf(run(null), none), error });
    expect(goneOf(side(0.1), side(0.05))).toBeCloseTo(0.5);
    expect(goneText(goneOf(side(0.1), side(0.15)))).toBe("50 % more");
    for (const before of [null, 0, Infinity]) expect(goneOf(side(before), side(0.1))).toBeNaN();
    expect(goneOf(side(0.1), side(null))).toBeNaN();
    expect(goneText(NaN)).toBe("–");
  });
});

describe("a side", () => {
  it("finds its figures in whichever verb's result", () => {
    expect(sideOf(run(quantized(0.6, 10)), none)).toMatchObject({ id: "a", model: "/q.onnx", sqnr: 10, error: 0.1, samples: 100,
      ops: { int8: 50, all: 58 } });
    const diagnosed = sideOf(run({ samples: 64, conclusions: conclusions(20), accuracy: quantized(0.6, 0) }), none);
    expect(diagnosed).toMatchObject({ sqnr: 20, samples: 64, accuracy: { value: 0.6 }, ops: null });
    expect(diagnosed.pair?.reference.value).toBe(0.63);
    const evaluated = sideOf(run({ ...rate(0.6), against: rate(0.7), difference: -0.1 }), none);
    expect(evaluated).toMatchObject({ accuracy: { value: 0.6 }, pair: { difference: -0.1 }, sqnr: null, error: null });
    expect(sideOf(run(null), none)).toMatchObject({ accuracy: null, pair: null, sqnr: null, error: null, samples: 0 });
  });
  it("counts ops by the plan where that was read", () => {
    const ops = { all: 40, int8: 30, float: 10, constants: 18 };
    const side = sideOf(run(quantized(0.6, 10)), none, ops);
    expect(rowsOf(side, side).at(-1)).toMatchObject({ title: "Ops in int8", before: "30, 10 in float", change: "0" });
  });
  it("takes the outputs' rows before the worst one's figure", () => {
    expect(sideOf(run(quantized(0.6, 10)), { names: ["a", "b"], values: ["a", "b"], sqnr: [10, 10] }).error).toBeCloseTo(0.2);
  });
});

describe("a comparison", () => {
  const [before, after] = [sideOf(run(quantized(0.6, 10, 50)), none), sideOf(run(quantized(0.62, 13, 47)), none)];
  it("has what changed, and whether to the better", () => {
    expect(rowsOf(before, after).map(({ title, before: from, after: to, change, isBetter }) => [title, from, to, change, isBetter])).toEqual([
      ["INT8 top1", "60.0 % (50.0 to 70.0 %)", "62.0 % (52.0 to 72.0 %)", "+2.0 points", null],
      ["From FP32", "−3.0 points (−5.0 to +2.0)", "−1.0 points (−5.0 to +2.0)", "", null],
      ["Outputs keep", "10.0 dB", "13.0 dB", "+3.0 dB", true],
      ["Outputs' error", "0.1", "0.0501", "50 % gone", true],
      ["Ops in int8", "50, 8 in float", "47, 11 in float", "−3", null],
    ]);
  });
  it("says of an accuracy that it is better where the intervals lie apart", () => {
    const apart = sideOf(run(quantized(0.9, 13)), none);
    expect(rowsOf(before, apart)[0]?.isBetter).toBe(true);
    expect(rowsOf(apart, before)[0]?.isBetter).toBe(false);
  });
  it("of runs that have nothing is empty; of one that has, a dash", () => {
    const empty = sideOf(run(null), none);
    expect(rowsOf(empty, empty)).toEqual([]);
    expect(rowsOf(empty, after)[0]).toMatchObject({ before: "–", change: "–", isBetter: null });
    expect(rowsOf(empty, after).map((row) => row.title)).toEqual(["INT8 top1", "From FP32", "Outputs keep", "Ops in int8"]);
  });
  it("where lower is better has it the other way round", () => {
    const error = (value: number) => ({ ...quantized(value, 10), reference: { ...rate(1), metric: "mse", is_rate: false, higher_is_better: false },
      quantized: { ...rate(value), metric: "mse", is_rate: false, higher_is_better: false } });
    expect(rowsOf(sideOf(run(error(2)), none), sideOf(run(error(1.5)), none))[0]).toMatchObject({ title: "INT8 mse", change: "−0.500", isBetter: true });
  });
  const expected = (share: number, interval: Gain["interval"] = null): Gain => ({ share, interval, by: "estimated" });
  it("says what was predicted against what came", () => {
    expect(outcomeText(expected(0.48), before, after)).toBe("Predicted: about 48 % of the outputs' error gone. Came: 50 % gone.");
    expect(outcomeText(expected(0.41, [0.18, 0.63]), before, after)).toBe("Predicted: 18 to 63 % of the outputs' error gone. Came: 50 % gone.");
    expect(outcomeText(expected(0.6, [0.55, 0.7]), before, after)).toMatch(/Came: 50 % gone, less than predicted\.$/);
    expect(outcomeText(expected(0.2, [0.1, 0.3]), before, after)).toMatch(/Came: 50 % gone, more than predicted\.$/);
    expect(outcomeText({ ...expected(1.13), by: "sum" }, before, after)).toContain("Predicted: parts add up to more than 100 %, so they overlap.");
    expect(outcomeText(null, before, after)).toBe("Nothing was predicted. Came: 50 % of the outputs' error gone.");
    expect(outcomeText(expected(0.48), sideOf(run(null), none), after)).toContain("not known");
    expect(outcomeText(null, sideOf(run(null), none), after)).toBe("");
  });
  it("says what the figures must not be taken for", () => {
    expect(caveatsOf(before, before)).toEqual([]);
    expect(caveatsOf(before, after)).toEqual(["The accuracies' intervals overlap: only both models over the same samples tell which is better."]);
    expect(caveatsOf({ ...before, samples: 32 }, { ...after, accuracy: null })).toEqual([
      "Outputs were compared over 32 samples before, over 100 after.",
      "The new run has no accuracy.",
    ]);
  });
  it("is copied as a table", () => {
    const text = comparisonText(rowsOf(before, after).slice(2, 3), "Predicted: …");
    expect(text).toBe("\tOutputs keep\nBefore\t10.0 dB\nAfter\t13.0 dB\nChange\t+3.0 dB\nPredicted: …\n");
    expect(comparisonText([], "")).toBe("\nBefore\nAfter\nChange\n");
  });
  it("of a run that was timed says how the new model is", () => {
    const timed = { ...before, verb: "profile" };
    expect(timedCommand(timed, { ...after, model: "/new.onnx" })).toBe("quantlens profile /m.onnx /new.onnx --data /d.npz");
    expect(caveatsOf(timed, before)).toEqual(["A quantization tells no times: profile the new model to see what it has gained."]);
    expect(timedCommand(before, after)).toBe("");
    expect(timedCommand({ ...timed, data: "" }, after)).toBe("quantlens profile /m.onnx /q.onnx");
  });
  it("names the command that tells both accuracies apart", () => {
    expect(pairedCommand(before, { ...after, model: "/new.onnx" }, "top1")).toBe(
      "quantlens evaluate /new.onnx --against /q.onnx --data /d.npz --metric top1",
    );
    expect(pairedCommand({ ...before, model: "" }, after, "top1")).toBe("");
  });
});
