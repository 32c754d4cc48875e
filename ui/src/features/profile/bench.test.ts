// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csv } from "../../base/table";
import { benchmarkOf, columnsOf, coresText, instanceColumns, instancesOf, labelsOf, longestOf, rowsIn, throughputMeaning, toneOf } from "./bench";

const wall = { runs: 500, mean_us: 1010, median_us: 1000, median_interval: [990, 1010], p90_us: 1200, p95_us: 1300, p99_us: "nan" };
const result = (model: string) => ({ model, batch_size: 8, threads: 2, wall, latency_ms: 0.125, samples_per_second: 8000,
  instances: [{ cores: [0, 1], wall, samples_per_second: 8000 }] });
const both = (interval: unknown, ratio: unknown = 0.62) =>
  benchmarkOf({ results: [result("/m/net.onnx"), result("/m/net.int8.onnx")], ratios: [{ batch_size: 8, ratio, interval }] });

describe("a benchmark", () => {
  it("is read", () => {
    const benchmark = both([0.6, 0.64]);
    const one = benchmark.results[1]!;
    expect(one).toMatchObject({ name: "net.int8.onnx", batch: 8, wall: { median: 1000, interval: [990, 1010] }, instances: [{ cores: [0, 1] }] });
    const columns = columnsOf(benchmark);
    const shown = Object.fromEntries(columns.map((column) => [column.id, column.show(one)]));
    expect(shown).toMatchObject({ median: "1.000", p99: "–", latency: "0.125", samples: "8000", instances: "1" });
    expect(columns.find((column) => column.id === "median")?.whisker!(one)).toEqual([0.99, 1.01]);
  });
  it("has all times in the unit of the longest median", () => {
    const fast = benchmarkOf({ results: [{ ...result("/m/net.onnx"), wall: { ...wall, median_us: 43.5781, p95_us: 1300 }, latency_ms: 0.0435781 }] });
    const columns = columnsOf(fast);
    const of = (id: string) => columns.find((column) => column.id === id)!;
    expect(of("median").title).toBe("Median [µs]");
    expect(["median", "p95", "latency"].map((id) => of(id).show(fast.results[0]!))).toEqual(["43.58", "1300", "43.58"]);
    expect(of("p95").of(fast.results[0]!)).toBe(1300);
    expect(columnsOf(both(null)).find((column) => column.id === "median")?.title).toBe("Median [ms]");
  });
  it("of one model has no column of ratios", () => {
    const isExtra = (benchmark: Parameters<typeof columnsOf>[0]) => columnsOf(benchmark).find((column) => column.id === "ratio")?.isExtra;
    expect([isExtra(both(null)), isExtra(benchmarkOf({ results: [result("/m/net.onnx")] }))]).toEqual([false, true]);
  });
  it("draws two models in two colours", () => {
    expect([0, 1, 2].map((index) => toneOf(both(null), index))).toEqual(["var(--reference)", "var(--quantized)", "var(--reference)"]);
    expect(toneOf(benchmarkOf({}), 1)).toBe("var(--reference)");
  });
  it("tells of instances where there are several", () => {
    const instance = (cores: number[]) => ({ cores, wall, samples_per_second: 4000 });
    const two = benchmarkOf({ results: [result("/m/a.onnx"), { ...result("/m/b.onnx"), instances: [instance([0]), instance([1])] }] });
    const rows = instancesOf(two.results);
    expect(rows.map((row) => instanceColumns(two).map((column) => column.show(row)))).toEqual(
      [["b.onnx", "0", "1.000", "–", "4000", "500"], ["b.onnx", "1", "1.000", "–", "4000", "500"]]);
    expect(csv(rows, instanceColumns(two)).split("\r\n")[0]).toBe("Model,Cores,Median [ms],P99 [ms],Samples/s,Runs");
    expect(instancesOf(both(null).results)).toEqual([]);
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
    const benchmark = both([0.6, 0.64]);
    const [first, second] = benchmark.results;
    expect(first?.ratio).toBeNull();
    expect(second?.ratio).toEqual({ ratio: 0.62, interval: [0.6, 0.64] });
    const column = columnsOf(benchmark).find((one) => one.id === "ratio")!;
    expect([column.show(first!), column.show(second!)]).toEqual(["–", "0.620"]);
    expect(column.whisker!(second!)).toEqual([0.6, 0.64]);
  });
  it("has no interval below three rounds, and may be of nothing", () => {
    expect(both([0, "inf"]).results[1]?.ratio?.interval).toBeNull();
    expect(both(null, "nan").results[1]?.ratio?.ratio).toBeNaN();
    expect(benchmarkOf({ ratios: [{ ratio: 1 }] })).toEqual({ results: [], isPair: true });
  });
});

describe("throughput", () => {
  const pair = (ratio: unknown, second: object, median = 1050) => benchmarkOf({
    results: [result("/m/a.onnx"), { ...result("/m/b.onnx"), wall: { ...wall, median_us: median, median_interval: [1005, 1100] }, ...second }],
    ratios: [{ ratio: 1.05, interval: ratio }] });
  const plain = "Samples a second over all repetitions, slow ones too; batch 8.";

  it("is said to be over all repetitions", () => {
    expect(throughputMeaning(pair([1.01, 1.1], { samples_per_second: 7000 }))).toBe(plain);
    expect(throughputMeaning(benchmarkOf({ results: [result("/m/a.onnx"), { ...result("/m/a.onnx"), batch_size: 1 }] }))).not.toContain("batch");
    expect(throughputMeaning(benchmarkOf({}))).toBe("Samples a second over all repetitions, slow ones too.");
  });
  it("that says otherwise than latency is within the noise, or of slow repetitions", () => {
    const more = { samples_per_second: 9000 };
    expect(throughputMeaning(pair([0.99, 1.1], more))).toBe(`${plain} That latency says otherwise is within the noise.`);
    expect(throughputMeaning(pair(null, more))).toBe(`${plain} That latency says otherwise is within the noise.`);
    expect(throughputMeaning(pair([1.01, 1.1], more))).toBe(`${plain} Latency says otherwise: a median leaves slow repetitions out.`);
  });
});

it("names stand above their bars where there is no room beside them", () => {
  expect(rowsIn(318).left).toBe(0);
  expect(rowsIn(318).height).toBeGreaterThan(rowsIn(600).height);
  expect(rowsIn(600).left).toBe(200);
});

it("the axis ends at what is usual", () => {
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
