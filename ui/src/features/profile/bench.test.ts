// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { benchmarkOf, coresText, labelsOf, longestOf, marks, resultColumns } from "./bench";

const wall = { runs: 500, mean_us: 1010, median_us: 1000, median_interval: [990, 1010], p90_us: 1200, p95_us: 1300, p99_us: "nan" };
const result = (model: string) => ({ model, batch_size: 8, threads: 2, wall, latency_ms: 0.125, samples_per_second: 8000,
  instances: [{ cores: [0, 1], wall, samples_per_second: 8000 }] });
const both = (interval: unknown, ratio: unknown = 0.62) =>
  benchmarkOf({ results: [result("/m/net.onnx"), result("/m/net.int8.onnx")], ratios: [{ batch_size: 8, ratio, interval }] });

describe("a benchmark", () => {
  it("is read", () => {
    const one = both([0.6, 0.64]).results[1]!;
    expect(one).toMatchObject({ name: "net.int8.onnx", batch: 8, wall: { median: 1000, interval: [990, 1010] }, instances: [{ cores: [0, 1] }] });
    const shown = Object.fromEntries(resultColumns.map((column) => [column.id, column.show(one)]));
    expect(shown).toMatchObject({ median: "1.000", p99: "–", samples: "8000", instances: "1" });
  });
  it("names its results by their batch sizes where there are several", () => {
    const sizes = benchmarkOf({ results: [result("/m/a.onnx"), { ...result("/m/a.onnx"), batch_size: 1 }] }).results;
    expect(labelsOf(sizes)).toEqual(["a.onnx, batch 8", "a.onnx, batch 1"]);
    expect(labelsOf(sizes.slice(0, 1))).toEqual(["a.onnx"]);
    expect(labelsOf([])).toEqual([]);
  });
  it("of two files with one name calls them by their paths", () => {
    expect(benchmarkOf({ results: [result("/a/net.onnx"), result("/b/net.onnx")] }).results.map((one) => one.name)).toEqual(["/a/net.onnx", "/b/net.onnx"]);
  });
  it("that is damaged shows what it has", () => {
    expect(benchmarkOf(null)).toEqual({ results: [], isPair: false });
    const [one] = benchmarkOf({ results: [{}] }).results;
    expect(one).toMatchObject({ name: "", batch: 1, instances: [] });
    expect(one?.wall.median).toBeNaN();
  });
});

describe("how two compare", () => {
  it("stands in the row of the second", () => {
    const [first, second] = both([0.6, 0.64]).results;
    expect(first?.ratio).toBeNull();
    expect(second?.ratio).toEqual({ ratio: 0.62, interval: [0.6, 0.64] });
    const column = resultColumns.find((one) => one.id === "ratio")!;
    expect([column.show(first!), column.show(second!)]).toEqual(["–", "0.620"]);
    expect(column.whisker!(second!)).toEqual([0.6, 0.64]);
  });
  it("has no interval below three rounds, and may be of nothing", () => {
    expect(both([0, "inf"]).results[1]?.ratio?.interval).toBeNull();
    expect(both(null, "nan").results[1]?.ratio?.ratio).toBeNaN();
    expect(benchmarkOf({ ratios: [{ ratio: 1 }] })).toEqual({ results: [], isPair: true });
  });
});

it("axes have round marks", () => {
  expect(marks(1.2)).toEqual([0, 0.5, 1]);
  expect(marks(97, 4)).toEqual([0, 50]);
  expect(marks(0)).toEqual([0]);
  expect(marks(NaN)).toEqual([0]);
  expect(longestOf(both(null).results)).toBe(1300);
  const far = both(null).results.map((one) => ({ ...one, wall: { ...one.wall, p99: 90_000 } }));
  expect(longestOf(far)).toBeCloseTo(1495);
  expect(longestOf(far.map((one) => ({ ...one, wall: { ...one.wall, p99: 2000 } })))).toBe(2000);
  expect(longestOf([])).toBe(0);
});

it("cores are told in ranges", () => {
  expect(coresText([3, 0, 1, 8])).toBe("0-1, 3, 8");
  expect(coresText([])).toBe("any");
});
