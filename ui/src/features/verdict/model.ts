// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../api/client";
import { interval, percent, real, type Interval } from "../../base/numbers";

export type Finding = Pick<
  Schemas["Finding"],
  "rule" | "op" | "severity" | "output_share" | "output_share_interval" | "share_is_measured" | "tied_with_previous" | "remedy"
> & { because: string };

export interface Figures {
  value: number;
  interval: Interval | null;
  isRate: boolean;
  samples: number;
  metric: string;
}

/** What stands at the top of a run: what its verb found, in a few figures and one sentence. */
export interface Verdict {
  sentence: string;
  findings: Finding[];
  reference: Figures | null;
  quantized: Figures | null;
  difference: { value: number; interval: Interval | null } | null;
  opsQuantized: number | null;
  opsFloat: number | null;
}

type Result = Record<string, unknown>;

function figures(value: unknown): Figures | null {
  const accuracy = value as Schemas["Accuracy"] | null | undefined;
  if (!accuracy || typeof accuracy !== "object" || Number.isNaN(real(accuracy.value))) return null;
  return {
    value: real(accuracy.value),
    interval: interval(accuracy.interval),
    isRate: accuracy.is_rate,
    samples: accuracy.samples,
    metric: accuracy.metric,
  };
}

export function verdictOf(result: unknown): Verdict {
  const all = (result && typeof result === "object" ? result : {}) as Result;
  const diagnosis = ((all["diagnosis"] as Result | undefined) ?? all) as Result;
  const difference = typeof all["difference"] === "number" ? all["difference"] : null;
  return {
    sentence: typeof diagnosis["verdict"] === "string" ? diagnosis["verdict"] : "",
    findings: Array.isArray(diagnosis["findings"]) ? (diagnosis["findings"] as Finding[]) : [],
    reference: figures(all["reference"]),
    quantized: figures(all["quantized"]),
    difference: difference === null ? null : { value: difference, interval: interval(all["difference_interval"] as number[] | null) },
    opsQuantized: typeof all["ops_quantized"] === "number" ? all["ops_quantized"] : null,
    opsFloat: typeof all["ops_float"] === "number" ? all["ops_float"] : null,
  };
}

export function shown(value: number, isRate: boolean): string {
  return isRate ? percent(value, 1) : String(Number(value.toPrecision(4)));
}

/** Points of a rate, else the metric's own unit; with its sign. */
export function shownDifference(value: number, isRate: boolean): string {
  const text = isRate ? `${(100 * Math.abs(value)).toFixed(1)} points` : String(Number(Math.abs(value).toPrecision(3)));
  return `${value < 0 ? "−" : "+"}${text}`;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The recipes, each laid over those before it: objects are merged, all else is replaced. */
export function merged(recipes: readonly Json[]): Json {
  const over = (below: Json, above: Json): Json => {
    const isObject = (value: Json): value is { [name: string]: Json } => value !== null && typeof value === "object" && !Array.isArray(value);
    if (!isObject(below) || !isObject(above)) return above;
    const made = { ...below };
    for (const [name, value] of Object.entries(above)) made[name] = name in below ? over(below[name]!, value) : value;
    return made;
  };
  return recipes.reduce<Json>(over, {});
}
