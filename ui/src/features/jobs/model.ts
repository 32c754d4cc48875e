// SPDX-License-Identifier: Apache-2.0
// Jobs in lists: how each stands, how lists follow events.
import type { Schemas } from "../../api/client";
import { durationText, secondsBetween, shortAge } from "../../base/quantities";
import { stepFigures, type StepFigures } from "../../base/steps";
import type { Mark } from "../../widgets/StateMark.svelte";

export type Job = Schemas["ShownJob"];

/** An event `jobs` of the server; state null: the job was removed. */
export interface JobChange {
  id: string;
  state: Job["state"] | null;
  progress: Job["progress"];
  workload: string | null;
}

export function hasEnded(state: Job["state"]): boolean {
  return state !== "queued" && state !== "running";
}

export function standOf(job: Pick<Job, "state" | "cancel_asked" | "message">): { mark: Mark; word: string } {
  switch (job.state) {
    case "queued":
      return { mark: "waiting", word: "waiting" };
    case "running":
      return { mark: "running", word: job.cancel_asked ? "stopping" : "running" };
    case "success":
      return { mark: "success", word: job.message ? "goal missed" : "done" };
    case "failure":
      return { mark: "failure", word: "failed" };
    default:
      return { mark: "stopped", word: job.state };
  }
}

/** By id, the later one of a list winning; the last submitted first. */
export function merged(jobs: readonly Job[], more: readonly Job[]): Job[] {
  const all = new Map(jobs.map((job) => [job.id, job]));
  for (const job of more) all.set(job.id, job);
  return [...all.values()].sort((a, b) => b.number - a.number);
}

/** The list after a change; null where the job must be asked for, as it is new or in another state. */
export function changed(jobs: readonly Job[], change: JobChange): Job[] | null {
  if (change.state === null) return jobs.filter((job) => job.id !== change.id);
  const known = jobs.find((job) => job.id === change.id);
  if (!known || known.state !== change.state) return null;
  const { progress, workload } = change;
  return jobs.map((job) => (job === known ? { ...job, progress, workload: workload ?? job.workload } : job));
}

export interface Groups {
  running: Job[];
  waiting: Job[];
  ended: Job[];
}

/** Those that run or wait in the order in which they begin; of the ended ones the last submitted first. */
export function grouped(jobs: readonly Job[]): Groups {
  const inOrder = (state: Job["state"]) => jobs.filter((job) => job.state === state).sort((a, b) => a.number - b.number);
  return {
    running: inOrder("running"),
    waiting: inOrder("queued"),
    ended: jobs.filter((job) => hasEnded(job.state)).sort((a, b) => b.number - a.number),
  };
}

/** `at`: how many wait before it. */
export function placeText(at: number): string {
  if (at === 0) return "next in the queue";
  return at === 1 ? "1 job before it in the queue" : `${at} jobs before it in the queue`;
}

export function coresText(running: readonly Job[], cores: number): string {
  const used = running.reduce((sum, job) => sum + job.cores, 0);
  if (cores === 0) return "Jobs may use no cores here: the server begins none.";
  return `Jobs may use ${cores} core${cores === 1 ? "" : "s"}; ${used === 0 ? "none" : used} in use.`;
}

/** "submitted 5 min ago", "running for 20 s", "took 8.0 s · 2 h ago". */
export function timesText(job: Job, now: number): string {
  const ago = (then: string) => {
    const age = shortAge(Date.parse(then), now);
    return age === "now" ? "just now" : age && `${age} ago`;
  };
  if (job.state === "queued") return `submitted ${ago(job.created)}`;
  if (job.state === "running") return `for ${durationText(Math.max(0, (now - Date.parse(job.started)) / 1000))}`;
  const took = secondsBetween(job.started, job.finished);
  return [Number.isNaN(took) ? "" : `took ${durationText(took)}`, ago(job.finished || job.created)].filter(Boolean).join(" · ");
}

/** Null where the job tells none. */
export function progressOf(job: Pick<Job, "state" | "progress">): StepFigures | null {
  return job.state === "running" && job.progress ? stepFigures(job.progress) : null;
}

/** Whether the file that it made lies in its own folder, from where the server sends it, and with which it goes. */
export function hasOwnFile(job: Pick<Job, "id" | "state" | "output">): boolean {
  return job.state === "success" && (job.output ?? "").includes(`/jobs/${job.id}/made/`);
}

/** Where the server asks for the id once more. */
export function asksToConfirm(status: number, sentence: string): boolean {
  return status === 400 && sentence.includes("confirm=");
}
