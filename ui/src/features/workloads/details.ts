// SPDX-License-Identifier: Apache-2.0
// What is told of the selected run, line by line.
import type { Schemas } from "../../api/client";
import { commandOf } from "../../base/basket";
import { baseName } from "../../base/numbers";
import { bytesText, durationText, momentText, secondsBetween } from "../../base/quantities";
import { formatOf, hasEnded, modelPath, type Run } from "./model";

export type ShownRun = Schemas["ShownRun"];

export interface Fact {
  name: string;
  value: string;
  more?: string; // said when one points at it
  copied?: string; // what a click copies; else the value is text alone
}

const roles: Record<Schemas["ModelFile"]["role"], string> = { reference: "Model", edited: "Edited", quantized: "Quantized" };

/** `shown` is null while it is read, and where it cannot be. */
export function factsOf(run: Run | ShownRun, shown: ShownRun | null, now: number): Fact[] {
  const facts: Fact[] = [];
  const add = (name: string, value: string, more: Partial<Fact> = {}) => value && facts.push({ name, value, ...more });
  add("Framework", formatOf(modelPath(run)));
  for (const model of run.models) {
    add(roles[model.role] ?? model.role, baseName(model.path), { more: bytesText(model.bytes), copied: model.path });
  }
  for (const data of shown?.data ?? []) {
    const path = data.path || data.data; // older runs have no path
    add(data.role === "calibration" ? "Calibration" : "Data", baseName(path.replace(/\/$/, "")), { copied: path });
    add(data.role === "calibration" ? "Calibrated on" : "Samples", data.role === "calibration" ? `${samplesText(data)} samples` : samplesText(data));
  }
  add("Metric", run.metric, { copied: run.metric });
  add("Created", momentText(run.created));
  add("Duration", durationText(hasEnded(run.state) ? secondsBetween(run.created, run.finished) : Math.max(0, now - Date.parse(run.created)) / 1000));
  for (const [name, value] of versionsOf(shown?.environment ?? {})) add(name, value);
  if (shown) add("Command", commandOf(shown.arguments), { copied: commandOf(shown.arguments) });
  add("Id", run.id, { copied: run.id });
  return facts;
}

/** "50 of 400" of a part of them. */
function samplesText(data: Schemas["DataUsed"]): string {
  const count = data.part ? `${data.part.count} of ${data.samples}` : String(data.samples);
  return data.batch_size > 1 ? `${count}, ${data.batch_size} at once` : count;
}

/** The program first, then runtimes, then the machine. */
function versionsOf(environment: Readonly<Record<string, string>>): [string, string][] {
  const last = ["threads", "cpu"];
  const rank = (name: string) => (name === "quantlens" ? -1 : last.indexOf(name) + 1);
  const titles = new Map([["threads", "Threads"], ["cpu", "CPU"]]);
  return Object.entries(environment)
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => [titles.get(name) ?? name, value]);
}

/** What a removal takes away, and what it leaves: models that quantlens was given or wrote elsewhere stay. */
export function removalOf(run: Run | ShownRun, shown: ShownRun | null): { goes: string[]; stays: string[] } {
  const goes: string[] = [];
  const folder = shown ? `${shown.folder.replace(/\/$/, "")}/` : null;
  if (shown) {
    const bytes = shown.files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
    const count = `${shown.files.length} file${shown.files.length === 1 ? "" : "s"}`;
    goes.push(`its folder in the workspace: records, tables and recipes (${count}, ${bytesText(bytes)})`);
  } else {
    goes.push("its folder in the workspace, with all records, tables and recipes");
  }
  if (run.tags.length > 0 || run.note !== "") goes.push("its tags and its note");
  const stays: string[] = [];
  for (const { path } of run.models) (folder !== null && path.startsWith(folder) ? goes : stays).push(path);
  for (const { path, data } of shown?.data ?? []) if (path || data.startsWith("/")) stays.push(path || data);
  return { goes: [...new Set(goes)], stays: [...new Set(stays)] };
}
