// SPDX-License-Identifier: Apache-2.0
// A basket that is tried: a job, then a run of its own. Kept as JSON while the page is open.
import type { Schemas } from "../../api/client";
import { expectedGain, type BasketItem } from "../../base/basket";
import type { Gain } from "../../base/gain";
import type { Step } from "../../base/steps";

type Job = Schemas["ShownJob"];

export interface Trial {
  base: string; // id of the run that the recipe is laid over
  job: string | null; // id; null: it was refused
  state: Job["state"] | "submitting" | "refused";
  message: string;
  workload: string | null; // id of the run that it makes
  progress: Step | null;
  before: number | null; // how many jobs wait before it
  labels: string[];
  expected: Gain | null; // null: nothing is known of it
  command: string; // the same on the command line
  alone: string; // likewise without the recipe of the file that it is laid over, which may have none; empty: there is no such file
}

export function begun(base: string, basket: readonly BasketItem[], command: string, alone: string): Trial {
  const expected = expectedGain(basket);
  return {
    base, command, alone, job: null, state: "submitting", message: "", workload: null, progress: null, before: null,
    labels: basket.map((item) => item.label),
    expected: Number.isNaN(expected.share) ? null : expected,
  };
}

export function isUnderWay({ state }: Trial): boolean {
  return state === "submitting" || state === "queued" || state === "running";
}

/** As its job is now. */
export function following(trial: Trial, job: Job): Trial {
  const { id, state, message, workload, progress, before } = job;
  return { ...trial, job: id, state, message, workload, progress, before };
}

export function refused(trial: Trial, message: string): Trial {
  return { ...trial, state: "refused", message };
}

/** An event `jobs`; null where the job must be asked for: it has ended, which tells more than the event, or was removed. */
export function changedBy(trial: Trial, data: unknown): Trial | null {
  const change = data as { id?: string; state?: Job["state"] | null; progress?: Step | null; workload?: string | null };
  if (trial.job === null || change.id !== trial.job) return trial;
  if (change.state !== "queued" && change.state !== "running") return null;
  return { ...trial, state: change.state, progress: change.progress ?? trial.progress, workload: change.workload ?? trial.workload };
}

/** In place of the one of the same run. */
export function keeping(trials: readonly Trial[], trial: Trial): Trial[] {
  return [...trials.filter((one) => one.base !== trial.base), trial];
}

/** Of this run: the one that is laid over it, else the one that made it. */
export function trialOf(trials: readonly Trial[], run: string): Trial | null {
  return trials.find((one) => one.base === run) ?? trials.find((one) => one.workload === run) ?? null;
}

/** What was kept; nothing where it is of another version of the page. */
export function restored(text: string | null): Trial[] {
  try {
    const kept: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(kept)) return [];
    const isTrial = (one: unknown) => typeof (one as Trial | null)?.base === "string" && Array.isArray((one as Trial).labels);
    return (kept as Trial[])
      .filter(isTrial)
      .filter((one) => one.job !== null || !isUnderWay(one))
      .map((one) => ({ ...one, expected: typeof one.expected?.share === "number" ? one.expected : null }));
  } catch {
    return [];
  }
}

/** A file of another tool holds no recipe, so that the fragment can only be tried by itself. */
export function lacksRecipe(trial: Trial): boolean {
  return trial.alone !== "" && trial.state === "failure" && trial.message.includes("holds no recipe");
}

const words: Record<Trial["state"], string> = {
  submitting: "Asking for it",
  queued: "Waiting",
  running: "Running",
  success: "Done",
  failure: "Failed",
  cancelled: "Cancelled",
  interrupted: "Interrupted",
  refused: "Cannot be run here",
};

export function stateText({ state, before }: Trial): string {
  return state === "queued" && before ? `Waiting behind ${before} job${before === 1 ? "" : "s"}` : words[state];
}
