// SPDX-License-Identifier: Apache-2.0
// What a search wanted, what it has, and which trials are worth a look.
import type { Accuracy } from "../../base/accuracies";
import { figure, percent, type Interval } from "../../base/numbers";
import { timeText, unitOfAll, type TimeUnit } from "../../base/durations";
import { trialAt, type Goal, type Study, type Trial } from "./study";

/** In the goal's unit; below 0 it is a gain. `reference`: the float model's figure over the same samples. */
export function lossOf(goal: Goal, reference: Pick<Accuracy, "value" | "higherIsBetter">, difference: number): number {
  if (Number.isNaN(difference)) return Infinity;
  if (difference === 0) return 0;
  const lost = reference.higherIsBetter ? -difference : difference;
  return goal.isAbsolute ? lost : lost / Math.abs(reference.value);
}

/** 95 %, from its lower to its upper end. */
export function lossInterval(goal: Goal, trial: Trial): Interval | null {
  const { accuracy, differenceInterval: span } = trial;
  if (!accuracy || !span) return null;
  const reference = { ...accuracy, value: accuracy.value - trial.difference };
  const ends = span.map((end) => lossOf(goal, reference, end)).sort((a, b) => a - b);
  return ends.every(Number.isFinite) ? [ends[0]!, ends[1]!] : null;
}

/** The figure that just meets the goal. */
export function figureAtGoal(study: Study): number {
  const { goal, reference } = study;
  const lost = goal.maxLoss * (goal.isAbsolute ? 1 : Math.abs(reference.value));
  return reference.value + (reference.higherIsBetter ? -lost : lost);
}

/** How a trial ended, as it is drawn. outputs: it has no figure by labels, as none was wanted. */
export type Kind = "within" | "outside" | "early within" | "early outside" | "failed" | "outputs";

export function kindOf(trial: Trial): Kind {
  if (trial.judged === "failed") return "failed";
  if (trial.judged === "output_error") return "outputs";
  if (trial.judged === "met") return "early within";
  if (trial.judged === "missed") return "early outside";
  return trial.isReached ? "within" : "outside";
}

export const kindText: Record<Kind, string> = {
  within: "within the goal",
  outside: "misses the goal",
  "early within": "ended early, surely within",
  "early outside": "ended early, surely outside",
  failed: "failed",
  outputs: "compared by outputs alone",
};

/** Which of two, both judged over all samples, the goal would rather have (as the search itself decides). */
export function isBetter(goal: Goal, trial: Trial, other: Trial): boolean {
  if (trial.isReached !== other.isReached) return trial.isReached;
  if (!trial.isReached || goal.objective === "accuracy") return trial.loss < other.loss;
  if (goal.objective === "size" && trial.bytes !== other.bytes) return trial.bytes < other.bytes;
  if (goal.objective === "size") return trial.loss < other.loss;
  const isPriced = Number.isFinite(trial.predicted) && Number.isFinite(other.predicted);
  if (goal.objective === "speed" && isPriced && trial.predicted !== other.predicted) return trial.predicted < other.predicted;
  for (const of of [(one: Trial) => one.multiplyAdds, (one: Trial) => one.computeInt8, (one: Trial) => one.opsInt8]) {
    if (of(trial) !== of(other)) return of(trial) > of(other);
  }
  return trial.loss < other.loss;
}

/** Of each trial, the best one by then; null before the first that was judged over all samples. */
export function bestByThen(study: Study): (Trial | null)[] {
  let best: Trial | null = null;
  return study.trials.map((trial) => {
    const counts = trial.judged === "whole" && trial.sameAs === null;
    if (counts && (!best || isBetter(study.goal, trial, best))) best = trial;
    return best;
  });
}

/** The share of the multiply-adds that are in int8, 0..1; of ops where none were counted. */
export function int8Share(study: Study, trial: Trial): number {
  const all = trial.opsInt8 + trial.opsFloat;
  if (all === 0) return NaN; // it was not even planned
  return study.multiplyAdds > 0 ? trial.multiplyAdds / study.multiplyAdds : trial.opsInt8 / all;
}

/** Of all predicted times, and of the float model's beside them. */
export function timeUnit(study: Study): TimeUnit {
  return unitOfAll([study.times.float, ...study.trials.map((trial) => trial.predicted)]);
}

export interface Cost {
  id: "share" | "time" | "size";
  word: string; // "Size"
  title: string; // of the axis
  isMoreBetter: boolean;
  of: (trial: Trial) => number;
  reference: number; // of the float model; NaN: not known
  show: (value: number) => string;
}

/** What accuracy can be held against, as far as this search knows it. */
export function costsOf(study: Study): Cost[] {
  const unit = timeUnit(study);
  const share: Cost = {
    id: "share",
    word: study.multiplyAdds > 0 ? "Work in int8" : "Ops in int8",
    title: study.multiplyAdds > 0 ? "Multiply-adds in int8 [%]" : "Ops in int8 [%]",
    isMoreBetter: true,
    of: (trial) => 100 * int8Share(study, trial),
    reference: 0,
    show: (value) => percent(value / 100, 1),
  };
  const time: Cost = {
    id: "time",
    word: "Time",
    title: `Predicted time of one run [${unit.name}]`,
    isMoreBetter: false,
    of: (trial) => trial.predicted / unit.size,
    reference: study.times.float / unit.size,
    show: (value) => timeText(value * unit.size, unit),
  };
  const size: Cost = {
    id: "size",
    word: "Size",
    title: "Size of the model [MB]",
    isMoreBetter: false,
    of: (trial) => (trial.bytes > 0 ? trial.bytes / 1e6 : NaN),
    reference: study.referenceBytes > 0 ? study.referenceBytes / 1e6 : NaN,
    show: (value) => `${figure(value)} MB`,
  };
  const isPriced = study.trials.some((trial) => Number.isFinite(trial.predicted));
  return isPriced ? [share, time, size] : [share, size];
}

/** Those that no other one beats: numbers of the points, from the best x on. More of x is better, less of `loss`. */
export function paretoFront(points: readonly { x: number; loss: number }[]): number[] {
  const order = points
    .map((point, index) => ({ ...point, index }))
    .filter(({ x, loss }) => Number.isFinite(x) && Number.isFinite(loss))
    .sort((a, b) => b.x - a.x || a.loss - b.loss || a.index - b.index);
  const front: number[] = [];
  let least = Infinity;
  for (const { loss, index } of order) {
    if (loss >= least) continue;
    least = loss;
    front.push(index);
  }
  return front;
}

/** A loss in the goal's unit: "1.20 %", or "0.012" where that is absolute. */
export function lossText(goal: Goal, loss: number): string {
  if (Number.isNaN(loss)) return "–";
  if (!Number.isFinite(loss)) return loss < 0 ? "less than nothing" : "all of it";
  if (goal.isAbsolute) return figure(loss === 0 ? 0 : loss);
  return percent(loss === 0 ? 0 : loss, 2);
}

/** Its 95 % interval: "−1.20 to 0.67 %"; empty where there is none. */
export function lossBetween(goal: Goal, trial: Trial): string {
  const span = lossInterval(goal, trial);
  return span ? `${lossText(goal, span[0]).replace(" %", "")} to ${lossText(goal, span[1])}` : "";
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function nextStep(study: Study): string {
  return study.isLimited
    ? "A limit ended the search: go on with --resume and more --max-trials or --timeout, or try another --strategy."
    : "The strategy found nothing else to try: take another --strategy, or allow more with --max-loss.";
}

/** Why a search that missed did so, as far as its trials tell. */
function reasons(study: Study, best: Trial): string[] {
  const said: string[] = [];
  const span = lossInterval(study.goal, best);
  if (span && span[0] <= study.goal.maxLoss) {
    said.push("Chance leaves it open: that interval reaches the goal, so more samples would tell.");
  }
  const failed = study.trials.filter((trial) => trial.judged === "failed").length;
  if (failed > 0) said.push(`${counted(failed, "trial")} failed.`);
  return said;
}

function speedSentence(study: Study, best: Trial): string {
  const { float, best: int8 } = study.times;
  if (!Number.isFinite(float) || !Number.isFinite(int8)) return "";
  const unit = unitOfAll([float, int8, best.predicted]);
  const text = (us: number) => timeText(us, unit, 4);
  const predicted = Number.isFinite(best.predicted) ? `; predicted: ${text(best.predicted)}` : "";
  const end = int8 < float ? "" : ". Int8 makes it no faster here";
  return `One run takes ${text(int8)}, ${(int8 / float).toFixed(2)} of the ${text(float)} of the float model${predicted}${end}.`;
}

/** What the verdict above does not say: how sure it is, and why the goal was missed. */
export function toldOf(study: Study, state: string): string[] {
  const best = trialAt(study, study.best);
  if (state !== "success") return best ? [surenessOf(study, best)].filter(Boolean) : ["No trial has a figure yet."];
  if (!best) return [nextStep(study)];
  const isGood = study.isReached && best.opsInt8 > 0;
  return [surenessOf(study, best), ...(study.isReached ? [] : reasons(study, best)), speedSentence(study, best), isGood ? "" : nextStep(study)].filter(Boolean);
}

/** The interval of the kept model's loss. */
function surenessOf(study: Study, best: Trial): string {
  const between = lossBetween(study.goal, best);
  if (!between) return "";
  const allowed = lossText(study.goal, study.goal.maxLoss);
  return `The loss of trial ${best.number} is ${lossText(study.goal, best.loss)} (95 % interval ${between}), and ${allowed} is allowed.`;
}

/** A text in pieces: options of the command line by themselves. */
export function optionsIn(text: string): { text: string; isOption: boolean }[] {
  return text.split(/(--[a-z-]+)/).filter(Boolean).map((piece) => ({ text: piece, isOption: piece.startsWith("--") }));
}

/** How far a search is that runs: "trial 6, 120 of 400". */
export function progressText(progress: { step?: string | null; done?: number | null; total?: number | null } | null): string {
  if (!progress?.step) return "";
  const { step, done, total } = progress;
  if (typeof done !== "number") return step;
  return total ? `${step}, ${done} of ${total} samples` : `${step}, ${counted(done, "sample")}`;
}
