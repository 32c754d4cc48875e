// SPDX-License-Identifier: Apache-2.0
// What is read beside a view's own record: the work of ops, how many were quantized, and times of the same two models.
import { get, tableOf, workloadPath, type Schemas } from "../api/client";
import { real } from "./numbers";
import { fateColumns, fatesOf, opCountsOf, toldOpCounts, type OpCounts } from "./op-counts";
import { matching, unitColumns, unitsOf, type Timed } from "./timed";
import { has } from "./view";
import { batchOf, outlineOf, shapesOf, workOf, type Work } from "./work";

/** Multiply-adds by op id, of a run that has a graph. */
export async function readWork(run: string, signal: AbortSignal): Promise<Map<string, Work>> {
  const values = (list: string) => tableOf(run, `graph.${list}`, ["name", "shape"], signal);
  const [ops, inputs, ...others] = await Promise.all([
    tableOf(run, "graph.ops", ["op", "kind", "inputs", "outputs", "roles"], signal),
    values("inputs"),
    values("outputs"),
    values("values"),
    values("weights"),
  ]);
  return workOf(outlineOf(ops), shapesOf([inputs, ...others]), batchOf(inputs));
}

/** How many ops a run has quantized, by its plan where there is one; null: it quantized nothing. */
export async function readOpCounts(shown: Schemas["ShownRun"], signal: AbortSignal): Promise<OpCounts | null> {
  const told = toldOpCounts(shown.result);
  if (!told || !has(shown, "plan")) return told;
  try {
    return opCountsOf(fatesOf(await tableOf(shown.id, "plan.ops", fateColumns, signal)));
  } catch (problem) {
    if (signal.aborted) throw problem;
    return told;
  }
}

type Runs = Schemas["ListedRun"][];

export async function runsOf(verb: string, signal: AbortSignal): Promise<Runs> {
  return (await get<Schemas["RunList"]>("workloads", { verb, state: "success", limit: 1000 }, signal)).workloads;
}

/** Profiles of just these two models, the newest first. */
export async function profilesOf(models: Schemas["ShownRun"]["models"], signal: AbortSignal): Promise<Runs> {
  return matching(models, await runsOf("profile", signal));
}

export async function readTimes(run: string, signal: AbortSignal): Promise<Timed> {
  const [table, record] = await Promise.all([
    tableOf(run, "profile.ops", unitColumns, signal),
    get<Schemas["ProfileRecord"]>(workloadPath(run, "/records/profile"), {}, signal),
  ]);
  return {
    run,
    units: unitsOf(table),
    referenceWall: real(record.reference?.wall?.median_us),
    quantizedWall: real(record.quantized?.wall?.median_us),
  };
}
