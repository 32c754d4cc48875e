// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { budgetOf } from "./model";
import { timesOf } from "./record";
import { clockOf, counted, doubtOf, mostOf, shortType, sideNames, sourceText, times } from "./said";

const node = (name: string, role: string, mean: number) => ({ name, type: role, role, ops: [{ id: name, name }], mean_us: mean });
const wall = { runs: 60, median_us: 100, mean_us: 102, median_interval: [99, 101], p95_us: 120 };
const float = { model: "/m/net.onnx", source: "quantlens", threads: 2, wall, nodes_us: 90, outside_us: 4, event_us: 0.0512,
  nodes: [node("a", "op", 50), node("b", "op", 30), node("r", "reorder", 10)] };
const both = timesOf({ reference: float, quantized: { ...float, nodes: [node("a", "op", 20), node("q", "quantize", 5), node("c", "cast", 2)] } });

describe("what is said", () => {
  it("of where times are from, unless quantlens took them", () => {
    expect(sourceText(both.reference)).toBe("");
    expect(sourceText(timesOf({ ...float, source: "onnxruntime" }).reference)).toBe(
      "Timed by the profiler of ONNX Runtime: what that costs is in the figures.");
    expect(sourceText(timesOf({ nodes: [], nodes_us: 4 }).reference)).toBe("The times of whole runs are not known; 0 nodes take 4.00 µs.");
  });
  it("where nodes add up to far more or less than a run", () => {
    const of = (label: string, side: typeof both.reference) => ({ label, budget: budgetOf(side) });
    expect(doubtOf([of("FP32", both.reference), of("INT8", both.quantized!)])).toBe(
      "Node times of INT8 add up to 31.0 % of a run, so each may be off by about 69 %.",
    );
    const twice = { ...budgetOf(both.reference), rest: -50 };
    expect(doubtOf([{ label: "", budget: twice }])).toBe("Node times add up to 150.0 % of a run, so each may be off by about 50 %.");
    const two = ["FP32", "INT8"].map((label) => ({ label, budget: twice }));
    expect(doubtOf(two)).toMatch(/^Node times of FP32 add up to 150\.0 %.*\. Node times of INT8 add up to 150\.0 %/);
    expect(doubtOf([of("", both.reference), of("", timesOf(null).reference)])).toBe("");
  });
  it("of one model", () => {
    expect(mostOf(both.reference)).toBe(
      "The longest of 3 nodes, a, takes 50 % of a run; other layouts take 10 %.",
    );
    const hardly = timesOf({ ...float, nodes: [node("a", "op", 50), node("r", "reorder", 0.01)] }).reference;
    expect(mostOf(hardly)).toBe("The longest of 2 nodes, a, takes 50 % of a run.");
    expect(mostOf(timesOf(null).reference)).toBe("");
  });
  it("of models by the names that the verdict has for them", () => {
    expect(sideNames(both)).toEqual(["FP32", "INT8"]);
    expect(sideNames(timesOf(float))).toEqual(["net.onnx"]);
  });
  it("in figures that people read", () => {
    const clock = clockOf([2782.96, 103, NaN]);
    expect([2782.96, 0.5, -8, NaN].map(clock.figure)).toEqual(["2.7830", "0.0005", "−0.0080", "–"]);
    expect([2782.96, NaN].map(clock.text)).toEqual(["2.7830 ms", "–"]);
    expect(clockOf([53.8, 9]).text(9)).toBe("9.000 µs");
    expect([1.523, 0, Infinity, NaN].map(times)).toEqual(["1.52×", "0.00×", "–", "–"]);
    expect(counted(["Conv", "Add", "Conv"])).toBe("Conv × 2 + Add");
    expect(counted(["com.microsoft.QLinearConv", "com.microsoft.nchwc.Conv", "Conv"])).toBe("QLinearConv + Conv × 2");
    expect(counted([])).toBe("");
    expect(["Conv", "ai.onnx.Relu", "odd."].map(shortType)).toEqual(["Conv", "Relu", "odd."]);
  });
});
