// SPDX-License-Identifier: Apache-2.0
// What stands beside the trials of the one that is selected.
import type { Schemas } from "../../api/client";
import { shownFigure, shownInterval } from "../../base/accuracies";
import { commandOf, type BasketItem } from "../../base/basket";
import { figure, percent } from "../../base/numbers";
import { bytesText, durationText } from "../../base/quantities";
import { timeText } from "../../base/durations";
import { int8Share, lossBetween, lossText, timeUnit } from "./model";
import { fragment } from "./recipes";
import type { Study, Trial } from "./study";

export function itemOf(trial: Trial): BasketItem {
  return { id: "trial", label: `Recipe of trial ${trial.number}${trial.why ? `: ${trial.why}` : ""}`, recipe: fragment(trial.recipe), gain: NaN };
}

/** Makes the model of a trial anew. */
export function commandFor(shown: Pick<Schemas["ShownRun"], "models">, study: Study, trial: Trial): string {
  const model = shown.models.find((one) => one.role === "reference") ?? shown.models[0];
  const words = ["quantize", model?.path ?? "MODEL.onnx", "--data", study.data || "DATA"];
  if (study.calibrationData) words.push("--calibration-data", study.calibrationData);
  if (study.metric) words.push("--metric", study.metric);
  return commandOf(words, ["--recipe", JSON.stringify(fragment(trial.recipe))]);
}

export interface Fact {
  name: string;
  value: string;
  detail: string; // beside it, less loud; empty: none
}

/** What is known of a trial. */
export function factsOf(study: Study, trial: Trial): Fact[] {
  const facts: Fact[] = [];
  const add = (name: string, value: string, detail = "") => facts.push({ name, value, detail });
  const { accuracy } = trial;
  if (accuracy) {
    const part = study.reference.samples > accuracy.samples ? `of ${study.reference.samples}` : "";
    add(accuracy.metric || "Figure", shownFigure(accuracy.value, accuracy), shownInterval(accuracy.interval, accuracy));
    add("Loss", lossText(study.goal, trial.loss), lossBetween(study.goal, trial));
    if (accuracy.samples > 0) add("Samples", String(accuracy.samples), part);
  }
  if (Number.isFinite(trial.outputError)) add("Output error", figure(trial.outputError), "noise over signal");
  if (trial.opsInt8 + trial.opsFloat > 0) {
    add("Ops in int8", `${trial.opsInt8} of ${trial.opsInt8 + trial.opsFloat}`);
    if (study.multiplyAdds > 0) add("Work in int8", percent(int8Share(study, trial), 1), "of the multiply-adds");
  }
  if (trial.bytes > 0) {
    const share = study.referenceBytes > 0 ? `${percent(trial.bytes / study.referenceBytes)} of the float model` : "";
    add("Size", bytesText(trial.bytes), share);
  }
  if (Number.isFinite(trial.predicted)) add("Predicted", timeText(trial.predicted, timeUnit(study)), "a run, by prices of ops");
  if (Number.isFinite(trial.seconds)) add("Took", trial.seconds < 1 ? timeText(1e6 * trial.seconds) : durationText(trial.seconds), "to run");
  return facts;
}
