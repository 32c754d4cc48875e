// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { budgetOf } from "./model";
import { timesOf } from "./record";
import { counted, doubtOf, duration, howTimed, markText, mostOf, times } from "./said";

const node = (name: string, role: string, mean: number) => ({ name, type: role, role, ops: [{ id: name, name }], mean_us: mean });
const wall = { runs: 60, median_us: 100, mean_us: 102, median_interval: [99, 101], p95_us: 120 };
const float = { model: "/m/net.onnx", source: "quantlens", threads: 2, wall, nodes_us: 90, outside_us: 4, event_us: 0.0512,
  nodes: [node("a", "op", 50), node("b", "op", 30), node("r", "reorder", 10)] };
const both = timesOf({ reference: float, quantized: { ...float, nodes: [node("a", "op", 20), node("q", "quantize", 5), node("c", "cast", 2)] } });

describe("what is said", () => {
  it("of how a model was timed", () => {
    expect(howTimed(both.reference)).toBe(
      "One run takes 100 us (median of 60, 95 % 99.0 us to 101 us; p95 120 us, 2 threads). 0.051 us for its timer is taken off each node.",
    );
    const others = timesOf({ ...float, source: "onnxruntime" }).reference;
    expect(howTimed(others)).toContain("mean of 60");
    expect(howTimed(others)).toContain("the cost of its profiler is in the figures");
    expect(howTimed(timesOf({ nodes: [], nodes_us: 4 }).reference)).toBe("No whole run is told of; 0 nodes take 4.00 us.");
  });
  it("where too much is not explained", () => {
    const of = (label: string, side: typeof both.reference) => ({ label, budget: budgetOf(side) });
    expect(doubtOf([of("Float", both.reference), of("Int8", both.quantized!)])).toBe(
      "69.0 % of a run of Int8 is not explained: the times of nodes are off by as much.",
    );
    expect(doubtOf([{ label: "", budget: { ...budgetOf(both.reference), rest: -50 } }])).toContain("50.0 % of a run is explained twice");
    expect(doubtOf([of("", both.reference), of("", timesOf(null).reference)])).toBe("");
  });
  it("of one model", () => {
    expect(mostOf(both.reference)).toBe(
      "The longest of 3 nodes, a, takes 50 % of a run; other layouts 10 %.",
    );
    expect(mostOf(timesOf(null).reference)).toBe("");
  });
  it("in units that people read", () => {
    expect([0.5, 12.34, 812, 1240, 12400, 2.3e6, -1500, NaN].map(duration)).toEqual(
      ["0.50 us", "12.3 us", "812 us", "1.24 ms", "12.4 ms", "2.30 s", "−1.50 ms", "–"],
    );
    expect([0, 50, 2000, 1500, 12_000, 0.5].map(markText)).toEqual(["0", "50 us", "2 ms", "1.5 ms", "12 ms", "0.5 us"]);
    expect([1.523, 0, Infinity, NaN].map(times)).toEqual(["1.52×", "0.00×", "–", "–"]);
    expect(counted(["Conv", "Add", "Conv"])).toBe("Conv x2 + Add");
    expect(counted([])).toBe("");
  });
});
