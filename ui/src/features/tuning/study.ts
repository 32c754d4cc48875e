// SPDX-License-Identifier: Apache-2.0
// study.json and times.json, read field by field: an earlier record may lack some.
import type { Json } from "../../base/basket";
import { interval, real, type Interval, type Real } from "../../base/numbers";

export interface Accuracy {
  metric: string;
  value: number;
  interval: Interval | null;
  samples: number;
  isRate: boolean;
  isHigherBetter: boolean;
}

export type Objective = "int8" | "speed" | "size" | "accuracy";
export type Judged = "whole" | "met" | "missed" | "output_error" | "failed";

export interface Goal {
  maxLoss: number;
  isAbsolute: boolean;
  objective: Objective;
}

export interface Trial {
  number: number;
  why: string;
  recipe: Json;
  judged: Judged;
  sameAs: number | null;
  failure: string;
  accuracy: Accuracy | null;
  difference: number;
  differenceInterval: Interval | null;
  loss: number;
  isReached: boolean;
  outputError: number;
  multiplyAdds: number; // in int8
  computeInt8: number; // ops that compute, in int8
  opsInt8: number;
  opsFloat: number;
  bytes: number;
  predicted: number; // microseconds of one run
  isClosing: boolean;
  seconds: number;
}

export interface Study {
  data: string;
  calibrationData: string;
  samples: number;
  batch: number;
  metric: string;
  goal: Goal;
  strategy: string;
  start: Json;
  reference: Accuracy;
  referenceBytes: number;
  multiplyAdds: number; // of one sample; 0: not counted
  trials: Trial[];
  best: number | null;
  isReached: boolean;
  isLimited: boolean;
  times: { reference: number; float: number; best: number }; // seconds; microseconds of one run, the last two
}

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const number = (value: unknown): number => real(value as Real);

function count(value: unknown): number {
  const found = number(value);
  return Number.isFinite(found) ? found : 0;
}

function span(value: unknown): Interval | null {
  return interval(Array.isArray(value) ? (value as Real[]) : null);
}

function accuracyOf(value: unknown): Accuracy | null {
  if (value === null || typeof value !== "object") return null;
  const one = fields(value);
  return {
    metric: text(one["metric"]),
    value: number(one["value"]),
    interval: span(one["interval"]),
    samples: count(one["samples"]),
    isRate: one["is_rate"] === true,
    isHigherBetter: one["higher_is_better"] !== false,
  };
}

const noAccuracy: Accuracy = { metric: "", value: NaN, interval: null, samples: 0, isRate: false, isHigherBetter: true };
const objectives: readonly string[] = ["int8", "speed", "size", "accuracy"];
const judgements: readonly string[] = ["whole", "met", "missed", "output_error", "failed"];

function goalOf(value: unknown): Goal {
  const goal = fields(value);
  const objective = text(goal["objective"]);
  return {
    maxLoss: number(goal["max_loss"]),
    isAbsolute: goal["absolute"] === true,
    objective: (objectives.includes(objective) ? objective : "int8") as Objective,
  };
}

function trialOf(value: unknown, index: number, seconds: unknown): Trial {
  const trial = fields(value);
  const judged = text(trial["judged"]);
  return {
    number: count(trial["number"]) || index + 1,
    why: text(trial["why"]),
    recipe: (trial["recipe"] ?? {}) as Json,
    judged: (judgements.includes(judged) ? judged : "failed") as Judged,
    sameAs: typeof trial["same_as"] === "number" ? trial["same_as"] : null,
    failure: text(trial["failure"]),
    accuracy: accuracyOf(trial["accuracy"]),
    difference: number(trial["difference"]),
    differenceInterval: span(trial["difference_interval"]),
    loss: number(trial["loss"]),
    isReached: trial["reached"] === true,
    outputError: number(trial["output_error"]),
    multiplyAdds: count(trial["multiply_adds_quantized"]),
    computeInt8: count(trial["compute_quantized"]),
    opsInt8: count(trial["ops_quantized"]),
    opsFloat: count(trial["ops_float"]),
    bytes: count(trial["bytes"]),
    predicted: number(trial["predicted_us"]),
    isClosing: trial["closing"] === true,
    seconds: number(seconds),
  };
}

/** `trials`: where they are in a file of their own. */
export function studyOf(record: unknown, times: unknown = null, trials?: readonly unknown[]): Study {
  const study = fields(record);
  const wall = fields(times);
  const seconds = Array.isArray(wall["trials"]) ? (wall["trials"] as unknown[]) : [];
  const all = trials ?? (Array.isArray(study["trials"]) ? (study["trials"] as unknown[]) : []);
  const made = all.map((trial, index) => trialOf(trial, index, seconds[index]));
  const best = typeof study["best"] === "number" && made.some((trial) => trial.number === study["best"]) ? study["best"] : null;
  return {
    data: text(study["data"]),
    calibrationData: text(study["calibration_data"]),
    samples: count(study["samples"]),
    batch: count(study["batch_size"]),
    metric: text(study["metric"]),
    goal: goalOf(study["goal"]),
    strategy: text(study["strategy"]),
    start: (study["start"] ?? {}) as Json,
    reference: accuracyOf(study["reference"]) ?? noAccuracy,
    referenceBytes: count(study["reference_bytes"]),
    multiplyAdds: count(study["multiply_adds"]),
    trials: made,
    best,
    isReached: study["reached"] === true,
    isLimited: study["is_limited"] === true,
    times: { reference: number(wall["reference"]), float: number(wall["float_us"]), best: number(wall["best_us"]) },
  };
}

/** How many trials stand in a file of their own; 0: they are in the record. */
export function trialsElsewhere(record: unknown): number {
  return count(fields(fields(record)["trials"])["rows"]);
}

export function trialAt(study: Study, number: number | null): Trial | null {
  return study.trials.find((trial) => trial.number === number) ?? null;
}

/** Whether a search that is read again has nothing new, so that nothing is drawn anew. */
export function isSame(a: Study | null, b: Study | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
