// SPDX-License-Identifier: Apache-2.0
// What stands beside the trials of the one that is selected.
import type { Schemas } from "../../api/client";
import { commandOf, type BasketItem } from "../../base/basket";
import { figure, percent } from "../../base/numbers";
import { figureText, int8Share, lossBetween, lossText } from "./model";
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

/** Name and value of what is known. */
export function factsOf(study: Study, trial: Trial): [string, string][] {
  const facts: [string, string][] = [];
  const { accuracy } = trial;
  if (accuracy) {
    const span = accuracy.interval;
    const between = span ? ` (95 % ${figureText(accuracy, span[0])} to ${figureText(accuracy, span[1])})` : "";
    facts.push([accuracy.metric || "Figure", `${figureText(accuracy, accuracy.value)}${between}`]);
    const loss = lossBetween(study.goal, trial);
    facts.push(["Loss", `${lossText(study.goal, trial.loss)}${loss && ` (${loss})`}`]);
    const part = study.reference.samples > accuracy.samples ? ` of ${study.reference.samples}` : "";
    if (accuracy.samples > 0) facts.push(["Samples", `${accuracy.samples}${part}`]);
  }
  if (Number.isFinite(trial.outputError)) facts.push(["Output error", `${figure(trial.outputError)} (noise over signal)`]);
  if (trial.opsInt8 + trial.opsFloat > 0) {
    facts.push(["Ops", `${trial.opsInt8} in int8, ${trial.opsFloat} in float`]);
    if (study.multiplyAdds > 0) facts.push(["Multiply-adds", `${percent(int8Share(study, trial), 1)} in int8`]);
  }
  if (trial.bytes > 0) {
    const share = study.referenceBytes > 0 ? `, ${percent(trial.bytes / study.referenceBytes)} of the float model` : "";
    facts.push(["Size", `${figure(trial.bytes / 1e6)} MB${share}`]);
  }
  if (Number.isFinite(trial.predicted)) facts.push(["Predicted", `${figure(trial.predicted / 1e3)} ms a run (an estimate)`]);
  if (Number.isFinite(trial.seconds)) facts.push(["Took", `${figure(trial.seconds)} s to run`]);
  return facts;
}
