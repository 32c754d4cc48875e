// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { elsewhere, rowsOf, timesOf, unitName } from "./record";

const node = { name: "conv1", type: "Conv", role: "op", position: 2, ops: [{ id: "y", name: "conv1" }], mean_us: 4.5, p95_us: "nan", runs: 60,
  scaling: null, bound: "compute" };
const one = { model: "/m/net.onnx", source: "quantlens", threads: 2, wall: { runs: 60, median_us: 10, median_interval: [9, 11] }, nodes_us: 9,
  outside_us: 0.5, event_us: 0.05, machine: null, nodes: [node], types: [{ ...node, name: "Conv" }] };
const pair = {
  reference: one,
  quantized: { ...one, model: "/m/net.int8.onnx" },
  ratio: 0.5,
  ratio_interval: [0.4, "inf"],
  ops: [{ ops: [{ id: "y", name: "conv1" }, { id: "z", name: "relu1" }], type: "Conv", reference_us: 4, quantized_us: 2, conversion_us: 1,
    layout_us: 0, gain_us: 1, quantized: true }],
  findings: [{ rule: "conversions", ops: [{ id: "y", name: "conv1" }], because: "it pays", remedy: null, milliseconds: 0.2,
    trial: { ops: [], ratio: 1.1, ratio_interval: [1, 1.2], gain_ms: -0.1, gain_interval: [-0.2, 0] } }],
  verdict: "The quantized model is faster.",
};

describe("a profile", () => {
  it("of one model has its fields at the top", () => {
    const { reference, quantized, pair: none } = timesOf(one);
    expect(quantized).toBeNull();
    expect(none).toBeNull();
    expect(reference).toMatchObject({ name: "net.onnx", threads: 2, wall: { median: 10, interval: [9, 11] } });
    expect(reference.nodes[0]).toMatchObject({ key: "node:0", mean: 4.5, role: "op", bound: "compute", defined: 1 });
    expect(reference.nodes[0]?.p95).toBeNaN();
    expect(reference.nodes[0]?.scaling).toBeNaN();
    expect(reference.types[0]?.key).toBe("type:0");
  });
  it("of two models is joined", () => {
    const times = timesOf(pair);
    expect(times.quantized?.name).toBe("net.int8.onnx");
    expect(times.pair).toMatchObject({ ratio: 0.5, ratioInterval: null, verdict: "The quantized model is faster." });
    expect(times.pair?.ops[0]).toMatchObject({ key: "op:y", name: "conv1 +1", float: 4, kernels: 2, isInt8: true, isWrapped: false });
    expect(times.pair?.findings[0]).toMatchObject({ number: 1, remedy: null, trial: { ratio: 1.1, ratioInterval: [1, 1.2] } });
  });
  it("has a key of its own for each row, though two are of one op", () => {
    const keys = timesOf({ ...pair, ops: [...pair.ops, ...pair.ops] }).pair?.ops.map((row) => row.key);
    expect(keys).toEqual(["op:y", "op:y 1"]);
  });
  it("takes lists that have files of their own", () => {
    const shown = { lists: [{ record: "profile", list: "ops", rows: 2000 }, { record: "plan", list: "ops", rows: 9 }] };
    expect(elsewhere(shown)).toEqual(["ops"]);
    expect(timesOf({ ...pair, ops: [] }, { ops: pair.ops }).pair?.ops).toHaveLength(1);
  });
  it("that is damaged or of an earlier version shows what it has", () => {
    for (const bad of [null, undefined, 3, [], "x", { nodes: "none", wall: 3 }]) {
      const { reference, pair: none } = timesOf(bad);
      expect(none).toBeNull();
      expect(reference.nodes).toEqual([]);
      expect(reference.wall.median).toBeNaN();
    }
    expect(timesOf({ nodes: [{ role: "dance", ops: null }] }).reference.nodes[0]).toMatchObject({ role: "op", ops: [], runs: 0 });
  });
});

it("a unit is named after its first op", () => {
  expect(unitName([])).toBe("(no op of the model)");
  expect(unitName([{ id: "a", name: "a" }])).toBe("a");
});

it("columns become rows", () => {
  expect(rowsOf({ count: 2, columns: { name: ["a", "b"], ops: [[], null] } })).toEqual([{ name: "a", ops: [] }, { name: "b", ops: null }]);
  expect(rowsOf({ count: 0, columns: {} })).toEqual([]);
});
