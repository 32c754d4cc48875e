// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, by what is stored of each as a whole.
import { objectOf } from "../../base/loose";
import { baseName, interval, real, type Interval, type Real } from "../../base/numbers";
import type { OpCounts } from "../../base/op-counts";
import { csvOf as table } from "../../base/table";
import { bytesText, durationText, momentText, secondsBetween } from "../../base/quantities";
import { accuracyText, figureText, formatOf, modelName, modelPath, nameOf, standOf, type Run } from "./model";
import type { ShownRun } from "./details";

export interface Row {
  name: string;
  a: string;
  b: string;
  change: string; // of b against a, where it means something
}

/** One side; `shown` is null while it is read. */
export interface Side {
  run: Run;
  shown: ShownRun | null;
  ops: OpCounts | null;
}

/** The paired difference's interval: each verb tells it at another place, an older run nowhere. */
export function differenceInterval(shown: ShownRun | null): Interval | null {
  const result = objectOf(shown?.result);
  for (const place of [result, objectOf(result["accuracy"])]) {
    const found = place["difference_interval"];
    if (Array.isArray(found)) return interval(found as Real[]);
  }
  return null;
}

/** "12 int8, 3 float"; empty where nothing was quantized. */
export function opsText(ops: OpCounts | null): string {
  return ops && !Number.isNaN(ops.float) ? `${ops.int8} int8, ${ops.float} float` : "";
}

/** Points of a rate, else the metric's own unit; with its sign. */
export function differenceText(value: number, isRate: boolean): string {
  if (!Number.isFinite(value)) return "–";
  const size = isRate ? `${(100 * Math.abs(value)).toFixed(1)} points` : String(Number(Math.abs(value).toPrecision(3)));
  return `${value < 0 ? "−" : value > 0 ? "+" : "±"}${size}`;
}

function differenceOf({ run, shown }: Side): string {
  const accuracy = run.accuracy;
  if (!accuracy || Number.isNaN(real(accuracy.difference))) return "";
  const text = differenceText(real(accuracy.difference), accuracy.is_rate);
  const span = differenceInterval(shown);
  const end = (value: number) => differenceText(value, accuracy.is_rate).replace(" points", "");
  return span ? `${text} (${end(span[0])} to ${end(span[1])})` : text;
}

function figureOf({ run }: Side, side: "reference" | "quantized"): number {
  return real(run.accuracy?.[side]);
}

function bytesOf({ run }: Side, role: "reference" | "quantized"): number {
  return run.models.find((model) => model.role === role)?.bytes ?? NaN;
}

/** Nothing where the two are of unlike kinds. */
function changeOf(a: Side, b: Side, side: "reference" | "quantized"): string {
  const [first, second] = [figureOf(a, side), figureOf(b, side)];
  if (!isSameMetric(a, b) || Number.isNaN(first) || Number.isNaN(second)) return "";
  return differenceText(second - first, b.run.accuracy?.is_rate ?? false);
}

function isSameMetric(a: Side, b: Side): boolean {
  return a.run.metric === b.run.metric && a.run.accuracy !== null && b.run.accuracy !== null;
}

function ratioText(a: number, b: number): string {
  return a > 0 && b > 0 && a !== b ? `× ${Number((b / a).toPrecision(3))}` : "";
}

export function rowsOf(a: Side, b: Side): Row[] {
  const rows: Row[] = [];
  const add = (name: string, of: (side: Side) => string, change = "") => {
    const [first, second] = [of(a), of(b)];
    if (first !== "" || second !== "") rows.push({ name, a: first || "–", b: second || "–", change });
  };
  const figure = (role: "reference" | "quantized") => (side: Side) => {
    const value = figureOf(side, role);
    return Number.isNaN(value) ? "" : figureText(value, side.run.accuracy?.is_rate ?? false);
  };
  const bytes = (role: "reference" | "quantized") => (side: Side) => (Number.isNaN(bytesOf(side, role)) ? "" : bytesText(bytesOf(side, role)));
  const seconds = ({ run }: Side) => secondsBetween(run.created, run.finished);
  add("State", ({ run }) => standOf(run).word);
  add("Verb", ({ run }) => run.verb);
  add("Model", ({ run }) => modelName(run));
  add("Framework", ({ run }) => formatOf(modelPath(run)));
  add("Metric", ({ run }) => run.metric);
  add("Reference accuracy", figure("reference"), changeOf(a, b, "reference"));
  add("Quantized accuracy", figure("quantized"), changeOf(a, b, "quantized"));
  add("Difference", differenceOf);
  add("Ops", ({ ops }) => opsText(ops));
  add("Reference model", bytes("reference"), ratioText(bytesOf(a, "reference"), bytesOf(b, "reference")));
  add("Quantized model", bytes("quantized"), ratioText(bytesOf(a, "quantized"), bytesOf(b, "quantized")));
  add("Data", ({ shown }) => (shown?.data ?? []).map((one) => `${baseName(one.data)} (${one.samples})`).join(", "));
  add("Created", ({ run }) => momentText(run.created));
  add("Duration", (side) => (Number.isNaN(seconds(side)) ? "" : durationText(seconds(side))), ratioText(seconds(a), seconds(b)));
  add("Tags", ({ run }) => run.tags.join(", "));
  return rows;
}

/** Why figures of the two may not be set against each other. */
export function cautionsOf(a: Side, b: Side): string[] {
  const said: string[] = [];
  if (a.run.metric !== b.run.metric && a.run.metric && b.run.metric) said.push("The metrics differ, so the accuracies cannot be compared.");
  const hash = ({ run }: Side) => run.models.find((model) => model.role === "reference")?.sha256 ?? "";
  if (hash(a) && hash(b) && hash(a) !== hash(b)) said.push("The reference models are different files.");
  const samples = ({ shown }: Side) => shown?.data.find((one) => one.role === "samples");
  const [first, second] = [samples(a), samples(b)];
  if (first && second && first.fingerprint !== second.fingerprint) said.push("The data differ.");
  else if (first && second && first.samples !== second.samples) said.push("The numbers of samples differ.");
  return said;
}

export function csvOf(rows: readonly Row[], a: Run, b: Run): string {
  return table(["", a.id, b.id, "change"], rows.map((row) => [row.name, row.a, row.b, row.change]));
}

/** The runs to choose from: those of the same model first. */
export function othersOf(runs: readonly Run[], run: Run): { title: string; runs: Run[] }[] {
  const others = runs.filter((one) => one.id !== run.id);
  const isAlike = (one: Run) => modelPath(one) === modelPath(run);
  return [
    { title: "Of the same model", runs: others.filter(isAlike) },
    { title: "Others", runs: others.filter((one) => !isAlike(one)) },
  ].filter((group) => group.runs.length > 0);
}

/** The one to begin with: the newest that has come to its end, of the same model where there is one. */
export function firstOf(groups: readonly { runs: readonly Run[] }[]): Run | null {
  const group = groups.find(({ runs }) => runs.some((run) => run.state === "success")) ?? groups[0];
  return group?.runs.find((run) => run.state === "success") ?? group?.runs[0] ?? null;
}

/** How a run is called in the list to choose from. */
export function choiceText(run: Run, age: string): string {
  return [nameOf(run), run.verb, accuracyText(run), age].filter(Boolean).join(" · ");
}
