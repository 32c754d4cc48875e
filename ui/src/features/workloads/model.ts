// SPDX-License-Identifier: Apache-2.0
// What an entry of the list says of a run.
import type { Schemas } from "../../api/client";
import { outcomeOf, pairOf } from "../../base/accuracies";
import { baseName, figure, percent, real, type Real } from "../../base/numbers";
import { stepFigures, type StepFigures } from "../../base/steps";
import { csvOf as table, type Cell } from "../../base/table";
import type { Mark } from "../../widgets/StateMark.svelte";

export type Run = Schemas["ListedRun"];

/** An event `workloads` of the server; state null: the run was removed. */
export interface RunChange {
  id: string;
  state: Run["state"] | null;
  progress: Run["progress"];
}

/** The list after a change; null where the list must be read anew, as the run is not in it or has ended. */
export function changed(runs: readonly Run[], change: RunChange): Run[] | null {
  if (change.state === null) return runs.filter((run) => run.id !== change.id);
  const known = runs.some((run) => run.id === change.id);
  if (!known || hasEnded(change.state)) return null;
  const { state, progress } = change;
  return runs.map((run) => (run.id === change.id ? { ...run, state, progress } : run));
}

export function hasEnded(state: Run["state"] | null): boolean {
  return state === "success" || state === "failure";
}

/** How a run stands, in a shape and a word: one that was cut off is not one that failed. */
export function standOf(run: Pick<Run, "state" | "message" | "verb">): { mark: Mark; word: string } {
  if (run.state === "success") return { mark: "success", word: "done" };
  if (run.state === "wip") return { mark: "running", word: "under way" };
  if (run.state === "new") return { mark: "waiting", word: "starting" };
  if (run.verb === "") return { mark: "damaged", word: "unreadable" };
  return run.message === "interrupted" ? { mark: "stopped", word: "interrupted" } : { mark: "failure", word: "failed" };
}

/** What a run that did not succeed says of itself, in a sentence; empty where there is nothing to say. */
export function messageOf(run: Pick<Run, "state" | "message" | "verb">): string {
  const { mark } = standOf(run);
  if (mark === "stopped") return "Interrupted before its end. What it had stored until then is kept.";
  if (mark === "damaged") return `Its record cannot be read: ${run.message || "no reason is known."}`;
  return mark === "failure" ? run.message || "It failed, and left no word why." : "";
}

export function modelPath(run: Pick<Run, "models">): string {
  return run.models.find((model) => model.role === "reference")?.path ?? run.models[0]?.path ?? "";
}

export function modelName(run: Pick<Run, "models">): string {
  return baseName(modelPath(run));
}

export function nameOf(run: Pick<Run, "models" | "name" | "id">): string {
  return run.name || modelName(run) || run.id;
}

const formats = new Map([["onnx", "ONNX"], ["ort", "ONNX"], ["pb", "TensorFlow"], ["tflite", "TFLite"], ["pt", "PyTorch"], ["xml", "OpenVINO"]]);

/** What a model's file is, by its ending: "ONNX"; empty where there is no file. */
export function formatOf(path: string): string {
  const name = baseName(path);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  return formats.get(ending) ?? ending.toUpperCase();
}

/** One figure of a metric: a rate in percent. */
export function figureText(value: number, isRate: boolean): string {
  return isRate ? percent(value, 1) : figure(value, 4);
}

/** "63.0 % → 64.0 %" of a rate; empty where nothing was measured. */
export function accuracyText(run: Pick<Run, "accuracy">): string {
  const accuracy = run.accuracy;
  if (!accuracy) return "";
  const show = (value: number) => figureText(value, accuracy.is_rate);
  const [reference, quantized] = [real(accuracy.reference), real(accuracy.quantized)];
  if (Number.isNaN(quantized)) return Number.isNaN(reference) ? "" : show(reference);
  return Number.isNaN(reference) ? show(quantized) : `${show(reference)} → ${show(quantized)}`;
}

/** Whether the second figure is worse than the first, as the verdict judges it; false where one is missing. */
export function isLoss({ accuracy }: Pick<Run, "accuracy">): boolean {
  if (!accuracy) return false;
  const of = (value: Real) => ({ ...accuracy, value });
  const pair = pairOf({ ...accuracy, reference: of(accuracy.reference), quantized: of(accuracy.quantized) });
  return pair !== null && outcomeOf(pair) === "loss";
}

/** How far a run is; null where it tells nothing. */
export function progressOf(run: Pick<Run, "state" | "progress">): StepFigures | null {
  return run.state === "wip" && run.progress?.step ? stepFigures(run.progress) : null;
}

/** The runs as a table to be saved. */
export function csvOf(runs: readonly Run[]): string {
  const head = [
    "id", "name", "verb", "state", "message", "created", "finished", "model", "metric", "reference", "quantized", "difference", "tags", "note",
  ];
  const rows = runs.map((run): Cell[] => [
    run.id, nameOf(run), run.verb, standOf(run).word, run.message, run.created, run.finished, modelPath(run), run.metric,
    ...[run.accuracy?.reference, run.accuracy?.quantized, run.accuracy?.difference].map(real).map((value) => (Number.isNaN(value) ? "" : value)),
    run.tags.join(" "), run.note,
  ]);
  return table(head, rows);
}
