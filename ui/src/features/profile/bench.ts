// SPDX-License-Identifier: Apache-2.0
// benchmark.json: how fast a model is.
import { countOf, objectOf, listOf, numberOf, spanOf, textOf } from "../../base/loose";
import { baseName, figure, type Interval } from "../../base/numbers";
import type { Column } from "../../base/table";
import { timeColumn, unitOfAll, type TimeUnit } from "../../base/durations";
import { wallOf, type Wall } from "./record";

export interface Instance {
  cores: number[];
  wall: Wall;
  samples: number; // a second
}

export interface Result {
  key: string;
  model: string;
  name: string;
  batch: number;
  threads: number;
  wall: Wall;
  latency: number; // milliseconds of one sample
  samples: number; // a second, of all instances
  instances: Instance[];
  ratio: Ratio | null; // of the second of two models
}

export interface Ratio {
  ratio: number; // of the second model's time over the first one's
  interval: Interval | null;
}

export interface Benchmark {
  results: Result[];
  isPair: boolean;
}

function instanceOf(value: unknown): Instance {
  const one = objectOf(value);
  const cores = listOf(one["cores"]).map(numberOf).filter(Number.isFinite);
  return { cores, wall: wallOf(one["wall"]), samples: numberOf(one["samples_per_second"]) };
}

function resultOf(value: unknown, index: number): Result {
  const one = objectOf(value);
  return {
    key: `result:${index}`,
    model: textOf(one["model"]),
    name: baseName(textOf(one["model"])),
    batch: countOf(one["batch_size"] ?? 1),
    threads: countOf(one["threads"]),
    wall: wallOf(one["wall"]),
    latency: numberOf(one["latency_ms"]),
    samples: numberOf(one["samples_per_second"]),
    instances: listOf(one["instances"]).map(instanceOf),
    ratio: null,
  };
}

/** Results are by batch size, then by model; of two models there is a ratio for each size. */
export function benchmarkOf(result: unknown): Benchmark {
  const all = objectOf(result);
  const ratios = listOf(all["ratios"]).map(objectOf);
  const results = named(listOf(all["results"]).map(resultOf));
  ratios.forEach((one, index) => {
    const second = results[2 * index + 1];
    if (second) second.ratio = { ratio: numberOf(one["ratio"]), interval: spanOf(one["interval"]) };
  });
  return { results, isPair: ratios.length > 0 };
}

/** By their files' names, or by their paths where two files have one name. */
function named(results: Result[]): Result[] {
  const isTwice = (one: Result) => results.some((other) => other.model !== one.model && other.name === one.name);
  return results.map((one) => (isTwice(one) ? { ...one, name: one.model } : one));
}

const three = (ratio: number): string => ratio.toFixed(ratio < 0.1 ? 4 : 3);
const rate = (value: number): string => figure(value, 4);

/** All times of a benchmark are shown in one unit: that of its longest median. */
export function unitIn({ results }: Benchmark): TimeUnit {
  return unitOfAll(results.map((one) => one.wall.median));
}

export function columnsOf(benchmark: Benchmark): Column<Result>[] {
  const unit = unitIn(benchmark);
  const time = (id: string, title: string, meaning: string, of: (row: Result) => number, width = 100): Column<Result> => {
    const show = timeColumn(benchmark.results.map(of), unit);
    return { id, title: `${title} [${unit.name}]`, meaning, of: (row) => of(row) / unit.size, show: (row) => show(of(row)), first: "down", width };
  };
  const count = (id: string, title: string, meaning: string, of: (row: Result) => number, width = 88): Column<Result> =>
    ({ id, title, meaning, of, show: (row) => String(of(row)), first: "down", width });
  return [
    { id: "name", title: "Model", meaning: "file", of: (row) => row.name, show: (row) => row.name, first: "up", width: 190 },
    count("batch", "Batch", "samples of one run", (row) => row.batch),
    {
      ...time("median", "Median", "of one run, which takes a whole batch; 95 % interval", ({ wall }) => wall.median, 140),
      whisker: ({ wall }) => wall.interval && [wall.interval[0] / unit.size, wall.interval[1] / unit.size],
    },
    {
      id: "ratio", title: "Over the first",
      meaning: "time of the second model over that of the first, run in turn; 95 % interval, which needs three rounds",
      of: (row) => row.ratio?.ratio ?? NaN, show: (row) => (Number.isFinite(row.ratio?.ratio) ? three(row.ratio!.ratio) : "–"),
      whisker: (row) => row.ratio?.interval ?? null, first: "down", width: 140, isExtra: !benchmark.isPair,
    },
    time("p90", "P90", "90 % of the runs took no longer", ({ wall }) => wall.p90),
    time("p95", "P95", "95 % of the runs took no longer", ({ wall }) => wall.p95),
    time("p99", "P99", "99 % of the runs took no longer", ({ wall }) => wall.p99),
    time("mean", "Mean", "of the middle half of the runs", ({ wall }) => wall.mean, 110),
    time("latency", "A sample", "median over the batch size", (row) => 1e3 * row.latency, 136),
    { id: "samples", title: "Samples/s", meaning: "of all instances together, slow runs included", of: (row) => row.samples,
      show: (row) => rate(row.samples), first: "down", width: 104 },
    time("low", "95 % from", "interval of the median", ({ wall }) => wall.interval?.[0] ?? NaN, 143),
    time("high", "95 % to", "interval of the median", ({ wall }) => wall.interval?.[1] ?? NaN, 124),
    count("runs", "Runs", "timed", (row) => row.wall.runs),
    count("threads", "Threads", "of each instance", (row) => row.threads),
    count("instances", "Instances", "processes that ran at the same time", (row) => row.instances.length, 100),
  ];
}

/** One of several processes that ran a model at the same time. */
export interface InstanceRow {
  label: string; // of its result
  instance: Instance;
}

export function instancesOf(results: readonly Result[]): InstanceRow[] {
  const labels = labelsOf(results);
  return results.flatMap(({ instances }, index) => (instances.length > 1 ? instances.map((instance) => ({ label: labels[index]!, instance })) : []));
}

export function instanceColumns(benchmark: Benchmark): Column<InstanceRow>[] {
  const unit = unitIn(benchmark);
  const all = benchmark.results.flatMap((one) => one.instances);
  const figures = (id: string, title: string, of: (one: Instance) => number, shown: (value: number) => string): Column<InstanceRow> =>
    ({ id, title, meaning: "", of: ({ instance }) => of(instance), show: ({ instance }) => shown(of(instance)), first: "down", width: 100 });
  const time = (id: string, title: string, of: (wall: Wall) => number) => {
    const show = timeColumn(all.map(({ wall }) => of(wall)), unit);
    return figures(id, `${title} [${unit.name}]`, ({ wall }) => of(wall) / unit.size, (value) => show(value * unit.size));
  };
  const words = (id: string, title: string, of: (row: InstanceRow) => string): Column<InstanceRow> =>
    ({ id, title, meaning: "", of, show: of, first: "up", width: 140 });
  return [
    words("model", "Model", (row) => row.label),
    words("cores", "Cores", (row) => coresText(row.instance.cores)),
    time("median", "Median", (wall) => wall.median),
    time("p99", "P99", (wall) => wall.p99),
    figures("samples", "Samples/s", (one) => one.samples, rate),
    figures("runs", "Runs", (one) => one.wall.runs, String),
  ];
}

/** A name for each result: with its batch size where there are several. */
export function labelsOf(results: readonly Result[]): string[] {
  const hasSizes = new Set(results.map((one) => one.batch)).size > 1;
  return results.map((one) => (hasSizes ? `${one.name}, batch ${one.batch}` : one.name));
}

/** A pair of which one model is faster by its median and the other by its samples a second. */
function disagrees(first: Result, second: Result): boolean {
  return (second.wall.median - first.wall.median) * (second.samples - first.samples) > 0;
}

/** Whether chance may be all that tells the medians apart. */
function isOpen(first: Result, second: Result): boolean {
  const [a, b] = [first.wall.interval, second.wall.interval];
  if (second.ratio?.interval) return second.ratio.interval[0] <= 1 && second.ratio.interval[1] >= 1;
  return a !== null && b !== null && a[0] <= b[1] && b[0] <= a[1];
}

/** What throughput is, and why it may say otherwise than latency. */
export function throughputMeaning({ results, isPair }: Benchmark): string {
  const batches = [...new Set(results.map((one) => one.batch))];
  const together = results.some((one) => one.instances.length > 1) ? ", all instances together" : "";
  const said = [`Samples a second over all repetitions, slow ones too${together}${batches.length === 1 ? `; batch ${batches[0]}` : ""}.`];
  for (let at = 1; isPair && at < results.length; at += 2) {
    const [first, second] = [results[at - 1]!, results[at]!];
    if (!disagrees(first, second)) continue;
    const where = batches.length > 1 ? ` at batch ${second.batch}` : "";
    said.push(isOpen(first, second) ? `That latency says otherwise${where} is within the noise.`
      : `Latency says otherwise${where}: a median leaves slow repetitions out.`);
  }
  return said.join(" ");
}

/** Where results and their names have room: a name stands left of its bar, or above it where that is all too narrow. */
export interface Rows {
  left: number; // where bars begin, in px like the next
  height: number; // of a row
  bar: number; // its upper end, below that of the row
}

export function rowsIn(width: number): Rows {
  return width < 340 ? { left: 0, height: 46, bar: 19 } : { left: Math.min(200, width * 0.36), height: 30, bar: 3 };
}

/** The colour of a result's bar: of two models they take turns. */
export function toneOf({ isPair }: Benchmark, index: number): string {
  return isPair && index % 2 === 1 ? "var(--quantized)" : "var(--reference)";
}

/** Where the axis of the latency chart ends, in microseconds. A P99 far off, of a few interrupted runs, is not in it. */
export function longestOf(results: readonly Result[]): number {
  const most = (of: (wall: Wall) => number[]) => Math.max(0, ...results.flatMap(({ wall }) => of(wall)).filter(Number.isFinite));
  const usual = most((wall) => [wall.median, wall.p90, wall.p95, wall.interval?.[1] ?? 0]);
  const tail = most((wall) => [wall.p99]);
  return tail > 2.5 * usual ? 1.15 * usual : Math.max(usual, tail);
}

/** "0-3, 8" */
export function coresText(cores: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const core of [...cores].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && core === last[1] + 1) last[1] = core;
    else ranges.push([core, core]);
  }
  return ranges.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(", ") || "any";
}
