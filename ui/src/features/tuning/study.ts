// SPDX-License-Identifier: Apache-2.0
// study.json and times.json, read field by field: an earlier record may lack some.
import { accuracyOf, type Accuracy } from "../../base/accuracies";
import type { Json } from "../../base/basket";
import { countOf, listOf, numberOf, objectOf, spanOf, textOf } from "../../base/loose";
import type { Interval } from "../../base/numbers";

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

const noAccuracy: Accuracy = { metric: "", value: NaN, interval: null, samples: 0, isRate: false, higherIsBetter: true };
const objectives: readonly string[] = ["int8", "speed", "size", "accuracy"];
const judgements: readonly string[] = ["whole", "met", "missed", "output_error", "failed"];

function goalOf(value: unknown): Goal {
  const goal = objectOf(value);
  const objective = textOf(goal["objective"]);
  return {
    maxLoss: numberOf(goal["max_loss"]),
    isAbsolute: goal["absolute"] === true,
    objective: (objectives.includes(objective) ? objective : "int8") as Objective,
  };
}

function trialOf(value: unknown, index: number, seconds: unknown): Trial {
  const trial = objectOf(value);
  const judged = textOf(trial["judged"]);
  return {
    number: countOf(trial["number"]) || index + 1,
    why: textOf(trial["why"]),
    recipe: (trial["recipe"] ?? {}) as Json,
    judged: (judgements.includes(judged) ? judged : "failed") as Judged,
    sameAs: typeof trial["same_as"] === "number" ? trial["same_as"] : null,
    failure: textOf(trial["failure"]),
    accuracy: accuracyOf(trial["accuracy"]),
    difference: numberOf(trial["difference"]),
    differenceInterval: spanOf(trial["difference_interval"]),
    loss: numberOf(trial["loss"]),
    isReached: trial["reached"] === true,
    outputError: numberOf(trial["output_error"]),
    multiplyAdds: countOf(trial["multiply_adds_quantized"]),
    computeInt8: countOf(trial["compute_quantized"]),
    opsInt8: countOf(trial["ops_quantized"]),
    opsFloat: countOf(trial["ops_float"]),
    bytes: countOf(trial["bytes"]),
    predicted: numberOf(trial["predicted_us"]),
    isClosing: trial["closing"] === true,
    seconds: numberOf(seconds),
  };
}

/** `trials`: where they are in a file of their own. */
export function studyOf(record: unknown, times: unknown = null, trials?: readonly unknown[]): Study {
  const study = objectOf(record);
  const wall = objectOf(times);
  const seconds = listOf(wall["trials"]);
  const all = trials ?? (listOf(study["trials"]));
  const made = all.map((trial, index) => trialOf(trial, index, seconds[index]));
  const best = typeof study["best"] === "number" && made.some((trial) => trial.number === study["best"]) ? study["best"] : null;
  return {
    data: textOf(study["data"]),
    calibrationData: textOf(study["calibration_data"]),
    samples: countOf(study["samples"]),
    batch: countOf(study["batch_size"]),
    metric: textOf(study["metric"]),
    goal: goalOf(study["goal"]),
    strategy: textOf(study["strategy"]),
    start: (study["start"] ?? {}) as Json,
    reference: accuracyOf(study["reference"]) ?? noAccuracy,
    referenceBytes: countOf(study["reference_bytes"]),
    multiplyAdds: countOf(study["multiply_adds"]),
    trials: made,
    best,
    isReached: study["reached"] === true,
    isLimited: study["is_limited"] === true,
    times: { reference: numberOf(wall["reference"]), float: numberOf(wall["float_us"]), best: numberOf(wall["best_us"]) },
  };
}

/** How many trials stand in a file of their own; 0: they are in the record. */
export function trialsElsewhere(record: unknown): number {
  return countOf(objectOf(objectOf(record)["trials"])["rows"]);
}

export function trialAt(study: Study, number: number | null): Trial | null {
  return study.trials.find((trial) => trial.number === number) ?? null;
}

/** Whether a search that is read again has nothing new, so that nothing is drawn anew. */
export function isSame(a: Study | null, b: Study | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
