// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../api/client";
import { baseName, percent, real } from "../../base/numbers";

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
  if (!known || change.state === "success" || change.state === "failure") return null;
  const { state, progress } = change;
  return runs.map((run) => (run.id === change.id ? { ...run, state, progress } : run));
}

export function modelName(run: Run): string {
  const path = run.models.find((model) => model.role === "reference")?.path ?? run.models[0]?.path ?? "";
  return baseName(path);
}

/** "63.0 % → 64.0 %" of a rate; empty where nothing was measured. */
export function accuracyText(run: Run): string {
  const accuracy = run.accuracy;
  if (!accuracy) return "";
  const show = (value: number) => (accuracy.is_rate ? percent(value, 1) : value.toPrecision(4));
  const [reference, quantized] = [real(accuracy.reference), real(accuracy.quantized)];
  if (Number.isNaN(quantized)) return Number.isNaN(reference) ? "" : show(reference);
  return Number.isNaN(reference) ? show(quantized) : `${show(reference)} → ${show(quantized)}`;
}

/** How far a run is: a step, and a share of 0..1 where its end is known. */
export function progressOf(run: Run): { step: string; share: number | null } | null {
  const { state, progress } = run;
  if (state !== "wip" || !progress?.step) return null;
  const { done, total } = progress;
  return { step: progress.step, share: total && done !== null ? Math.min(1, done / total) : null };
}
