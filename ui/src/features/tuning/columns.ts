// SPDX-License-Identifier: Apache-2.0
// The table of trials.
import { shownFigure } from "../../base/accuracies";
import { figure, percent } from "../../base/numbers";
import { languageOf, type Column } from "../../base/table";
import { timeFigure } from "../../base/durations";
import { int8Share, kindOf, kindText, lossInterval, lossText, timeUnit, type Kind } from "./model";
import { changesOf, told } from "./recipes";
import { trialAt, type Study, type Trial } from "./study";

export interface Row {
  trial: Trial;
  kind: Kind;
  changed: string; // against the trial before
}

export function rowsOf(study: Study): Row[] {
  let before = study.start;
  return study.trials.map((trial) => {
    const changed = told(changesOf(before, trial.recipe), 2).join("; ");
    before = trial.recipe;
    return { trial, kind: kindOf(trial), changed: changed || "nothing" };
  });
}

const mega = 1e6;

export function columnsOf(study: Study): readonly Column<Row>[] {
  const { reference, goal } = study;
  const unit = timeUnit(study);
  const isPriced = study.trials.some((trial) => Number.isFinite(trial.predicted));
  const counts = (id: string, title: string, meaning: string, of: (trial: Trial) => number, width: number, isExtra = false): Column<Row> =>
    ({ id, title, meaning, of: (row) => of(row.trial), show: (row) => figure(of(row.trial), 6), first: "down", width, isExtra });
  const ends = (id: string, title: string, meaning: string, of: (row: Row) => number | undefined): Column<Row> =>
    ({ id, title, meaning, of: (row) => of(row) ?? NaN, show: (row) => lossText(goal, of(row) ?? NaN), first: "up", width: 120, isExtra: true });
  return [
    counts("number", "Trial", "in the order of the search", (trial) => trial.number, 62),
    { id: "why", title: "Why", meaning: "what the strategy wanted to know", of: (row) => row.trial.why, show: (row) => row.trial.why || "–",
      first: "up", width: 142 },
    { id: "loss", title: "Loss", meaning: "what it loses against the float model over the same samples, in the goal's unit; 95 % interval",
      of: (row) => row.trial.accuracy ? row.trial.loss : NaN, show: (row) => row.trial.accuracy ? lossText(goal, row.trial.loss) : "–",
      whisker: (row) => lossInterval(goal, row.trial), first: "up", width: 122 },
    { id: "int8", title: study.multiplyAdds > 0 ? "Work in int8" : "Share in int8",
      meaning: `share of the ${study.multiplyAdds > 0 ? "multiply-adds that are computed on int8 codes" : "ops that are in int8"}`,
      of: (row) => int8Share(study, row.trial), show: (row) => percent(int8Share(study, row.trial), 1), first: "down", width: 119 },
    { id: "result", title: "Result", meaning: "whether it is within the goal, and over how many samples that is known", of: (row) => kindText[row.kind],
      show: (row) => resultText(row, study), first: "up", width: 128 },
    { id: "accuracy", title: reference.metric || "Figure", meaning: "over the samples that the trial saw; 95 % interval",
      of: (row) => row.trial.accuracy?.value ?? NaN,
      show: (row) => shownFigure(row.trial.accuracy?.value ?? NaN, reference), first: "down", width: 88 },
    counts("ops", "Ops in int8", "ops that have codes", (trial) => trial.opsInt8, 110),
    counts("float", "Ops in float", "ops that stay in float", (trial) => trial.opsFloat, 116),
    { id: "changed", title: "Changed", meaning: "what its recipe says otherwise than that of the trial before", of: (row) => row.changed,
      show: (row) => row.changed, first: "up", width: 300 },
    { id: "seconds", title: "Time [s]", meaning: "of running this model alone", of: (row) => row.trial.seconds, show: (row) => figure(row.trial.seconds),
      first: "down", width: 90 },
    { id: "predicted", title: `Predicted [${unit.name}]`, meaning: "time of one run, by measured prices of ops",
      of: (row) => row.trial.predicted / unit.size, show: (row) => timeFigure(row.trial.predicted, unit), first: "up", width: 134, isExtra: !isPriced },
    { id: "size", title: "Size [MB]", meaning: "of the model's files", of: (row) => (row.trial.bytes > 0 ? row.trial.bytes / mega : NaN),
      show: (row) => (row.trial.bytes > 0 ? figure(row.trial.bytes / mega) : "–"), first: "up", width: 100 },
    { id: "samples", title: "Samples", meaning: "that the trial saw", of: (row) => row.trial.accuracy?.samples ?? NaN,
      show: (row) => figure(row.trial.accuracy?.samples ?? NaN, 9), first: "down", width: 80, isExtra: true },
    ends("lossLow", "Loss, 95 % from", "lower end of its interval", (row) => lossInterval(goal, row.trial)?.[0]),
    ends("lossHigh", "Loss, 95 % to", "upper end of its interval", (row) => lossInterval(goal, row.trial)?.[1]),
    { id: "error", title: "Output error", meaning: "noise over signal of the worst output, where trials are compared by outputs",
      of: (row) => row.trial.outputError, show: (row) => figure(row.trial.outputError), first: "up", width: 100, isExtra: true },
  ];
}

function resultText({ trial, kind }: Row, study: Study): string {
  if (trial.sameAs !== null) return `the model of trial ${trial.sameAs}`;
  if (trial.number === study.best) return study.isReached ? "best, kept" : "nearest, kept";
  if (kind === "early within" || kind === "early outside") return `${kindText[kind]} (${trial.accuracy?.samples ?? "?"} samples)`;
  return kindText[kind];
}

export function languageFor(columns: readonly Column<Row>[]) {
  return languageOf<Row>(
    (row) => `${row.trial.why} ${row.changed}`,
    [
      { names: ["result"], meaning: "how it ended", text: (row) => kindText[row.kind] },
      { names: ["why"], meaning: "what the strategy wanted to know", text: (row) => row.trial.why },
      { names: ["changed"], meaning: "against the trial before", text: (row) => row.changed },
    ],
    columns,
  );
}

export type Against = "before" | "best" | "start" | "default";

export const againsts: readonly { id: Against; title: string }[] = [
  { id: "before", title: "Trial before" },
  { id: "best", title: "Best" },
  { id: "start", title: "Start" },
  { id: "default", title: "Default" },
];

/** The recipe that one is held against; undefined: there is none, or it is the trial itself. */
export function otherRecipe(study: Study, trial: Trial, against: Against): { recipe: Trial["recipe"] | undefined; name: string } {
  if (against === "best") {
    const best = trialAt(study, study.best);
    return { recipe: best && best !== trial ? best.recipe : undefined, name: best === trial ? "it is the best itself" : "there is no best trial yet" };
  }
  if (against === "start") return { recipe: study.start, name: "" };
  if (against === "default") return { recipe: {}, name: "" };
  const at = study.trials.indexOf(trial);
  return { recipe: study.trials[at - 1]?.recipe ?? study.start, name: "" };
}
