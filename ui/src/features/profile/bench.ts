// SPDX-License-Identifier: Apache-2.0
// benchmark.json: how fast a model is.
import { countOf, objectOf, listOf, numberOf, spanOf, textOf } from "../../base/loose";
import { baseName, type Interval } from "../../base/numbers";
import type { Column } from "../../base/table";
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
const ms = (us: number): string => (Number.isFinite(us) ? (us / 1e3).toPrecision(4) : "–");
const rate = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "–");

function milliseconds(id: string, title: string, meaning: string, of: (wall: Wall) => number): Column<Result> {
  return { id, title, meaning, of: (row) => of(row.wall) / 1e3, show: (row) => ms(of(row.wall)), first: "down", width: 100 };
}

function counts(id: string, title: string, meaning: string, of: (row: Result) => number): Column<Result> {
  return { id, title, meaning, of, show: (row) => String(of(row)), first: "down", width: 88 };
}

export const resultColumns: readonly Column<Result>[] = [
  { id: "name", title: "Model", meaning: "file", of: (row) => row.name, show: (row) => row.name, first: "up", width: 190 },
  counts("batch", "Batch", "samples of one run", (row) => row.batch),
  {
    ...milliseconds("median", "Median [ms]", "of one run, which takes a whole batch; 95 % interval", (wall) => wall.median),
    whisker: ({ wall }) => wall.interval && [wall.interval[0] / 1e3, wall.interval[1] / 1e3],
    width: 140,
  },
  {
    id: "ratio", title: "Over the first", meaning: "time of the second model over that of the first, run in turn; 95 % interval, which needs three rounds",
    of: (row) => row.ratio?.ratio ?? NaN, show: (row) => (Number.isFinite(row.ratio?.ratio) ? three(row.ratio!.ratio) : "–"),
    whisker: (row) => row.ratio?.interval ?? null, first: "down", width: 140,
  },
  milliseconds("p90", "P90 [ms]", "90 % of the runs took no longer", (wall) => wall.p90),
  milliseconds("p95", "P95 [ms]", "95 % of the runs took no longer", (wall) => wall.p95),
  milliseconds("p99", "P99 [ms]", "99 % of the runs took no longer", (wall) => wall.p99),
  milliseconds("mean", "Mean [ms]", "of the middle half of the runs", (wall) => wall.mean),
  { id: "latency", title: "A sample [ms]", meaning: "median over the batch size", of: (row) => row.latency, show: (row) => rate(row.latency),
    first: "down", width: 124 },
  { id: "samples", title: "Samples/s", meaning: "of all instances together, slow runs included", of: (row) => row.samples,
    show: (row) => rate(row.samples), first: "down", width: 104 },
  milliseconds("low", "95 % from [ms]", "interval of the median", (wall) => wall.interval?.[0] ?? NaN),
  milliseconds("high", "95 % to [ms]", "interval of the median", (wall) => wall.interval?.[1] ?? NaN),
  counts("runs", "Runs", "timed", (row) => row.wall.runs),
  counts("threads", "Threads", "of each instance", (row) => row.threads),
  counts("instances", "Instances", "processes that ran at the same time", (row) => row.instances.length),
];

/** A name for each result: with its batch size where there are several. */
export function labelsOf(results: readonly Result[]): string[] {
  const hasSizes = new Set(results.map((one) => one.batch)).size > 1;
  return results.map((one) => (hasSizes ? `${one.name}, batch ${one.batch}` : one.name));
}

/** Where the axis of the latency chart ends, in microseconds. A P99 far off, of a few interrupted runs, is not in it. */
export function longestOf(results: readonly Result[]): number {
  const most = (of: (wall: Wall) => number[]) => Math.max(0, ...results.flatMap(({ wall }) => of(wall)).filter(Number.isFinite));
  const usual = most((wall) => [wall.median, wall.p90, wall.p95, wall.interval?.[1] ?? 0]);
  const tail = most((wall) => [wall.p99]);
  return tail > 2.5 * usual ? 1.15 * usual : Math.max(usual, tail);
}

/** Marks of an axis from 0: round steps, about `wanted` of them. */
export function marks(most: number, wanted = 5): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0];
  const rough = most / wanted;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((one) => one * unit >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
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
