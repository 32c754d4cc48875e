// SPDX-License-Identifier: Apache-2.0
// A run beside the one that was made with a recipe laid over its own.
import type { Schemas } from "../../api/client";
import { commandOf } from "../../base/basket";
import { gainText, type Gain } from "../../base/gain";
import { objectOf, type Loose } from "../../base/loose";
import { decibels, figure, percent, real, type Real } from "../../base/numbers";
import { toldOpCounts, type OpCounts } from "../../base/op-counts";
import {
  accuracyOf, pairOf, shownDifference, shownDifferences, shownFigure, shownInterval, type Accuracy, type Pair,
} from "../../base/accuracies";

type Run = Schemas["ShownRun"];
/** What one run tells of its quantized model; null where it tells nothing. */
export interface Side {
  id: string;
  name: string;
  verb: string;
  reference: string; // paths of the two models
  model: string;
  data: string;
  samples: number; // that were compared
  pair: Pair | null;
  accuracy: Accuracy | null; // of the quantized model
  sqnr: number | null; // dB, of the worst output
  error: number | null; // noise over signal, summed over the outputs
  ops: OpCounts | null;
}

function known(value: unknown): number | null {
  const number = real((value ?? null) as Real);
  return Number.isNaN(number) ? null : number;
}

/** Rows of the op table, as columns. */
export interface Outputs {
  names: readonly string[]; // outputs of the model
  values: readonly string[]; // of each row
  sqnr: readonly unknown[];
}

/** Noise over signal of each output, summed; null where none was compared. Of several rows of one output the worst counts. */
export function errorOf({ names, values, sqnr }: Outputs): number | null {
  const wanted = new Set(names);
  const worst = new Map<string, number>();
  values.forEach((value, index) => {
    const decibel = known(sqnr[index]);
    if (!wanted.has(value) || decibel === null) return;
    worst.set(value, Math.min(decibel, worst.get(value) ?? Infinity));
  });
  if (worst.size === 0) return null;
  return [...worst.values()].reduce((sum, decibel) => sum + 10 ** (-decibel / 10), 0);
}

/** SQNR of the worst output, as the verdict's statement has it. */
function worstOutput(diagnosis: Loose): number | null {
  const { conclusions } = diagnosis;
  if (!Array.isArray(conclusions)) return null;
  const loss = conclusions.map(objectOf).find((one) => one["says"] === "loss");
  return known(objectOf(objectOf(loss?.["figures"])["sqnr"])["value"]);
}

/** Each verb has its accuracies in another place. */
function accuraciesOf(result: Loose): [Pair | null, Accuracy | null] {
  const pair = pairOf(result) ?? pairOf(result["accuracy"]) ?? pairOf({ ...result, reference: result["against"], quantized: result });
  const alone = accuracyOf(result["quantized"]) ?? accuracyOf(objectOf(result["accuracy"])["quantized"]) ?? accuracyOf(result);
  return [pair, pair?.quantized ?? alone];
}

function pathOf(run: Run, role: string): string {
  return run.models.find((model) => model.role === role)?.path ?? "";
}

function dataOf(run: Run): string {
  const data = run.data.find((one) => one.role === "samples");
  return data?.path || (data?.data ?? "");
}

export function sideOf(run: Run, outputs: Outputs, ops: OpCounts | null = toldOpCounts(run.result)): Side {
  const result = objectOf(run.result);
  const diagnosis = objectOf(result["diagnosis"] ?? result);
  const sqnr = worstOutput(diagnosis);
  const [pair, accuracy] = accuraciesOf(result);
  return {
    id: run.id,
    name: run.name || run.id,
    verb: run.verb,
    reference: pathOf(run, "reference"),
    model: pathOf(run, "quantized"),
    data: dataOf(run),
    samples: known(diagnosis["samples"]) ?? 0,
    pair,
    accuracy,
    sqnr,
    error: errorOf(outputs) ?? (sqnr === null ? null : 10 ** (-sqnr / 10)),
    ops,
  };
}

export interface Row {
  title: string;
  meaning: string;
  before: string;
  after: string;
  change: string;
  isBetter: boolean | null; // null: neither, or not known
}

function row(title: string, meaning: string, before: string, after: string, change: string, isBetter: boolean | null): Row {
  return { title, meaning, before, after, change, isBetter };
}

const nothing = "–";

function withInterval(value: string, span: string): string {
  return span ? `${value} (${span})` : value;
}

/** Of the accuracies' intervals, where both are known: each run knows nothing of the other's answers. */
function overlap(before: Side, after: Side): boolean {
  const [one, other] = [before.accuracy?.interval, after.accuracy?.interval];
  return !!one && !!other && one[0] <= other[1] && other[0] <= one[1];
}

function accuracyRows(before: Side, after: Side): Row[] {
  const unit = after.accuracy ?? before.accuracy;
  if (!unit) return [];
  const show = ({ accuracy: one }: Side) => (one ? withInterval(shownFigure(one.value, unit), shownInterval(one.interval, unit)) : nothing);
  const less = ({ pair }: Side) =>
    pair ? withInterval(shownDifference(pair.difference, unit), shownDifferences(pair.differenceInterval, unit)) : nothing;
  const isSame = before.accuracy?.metric === after.accuracy?.metric;
  const change = isSame && before.accuracy && after.accuracy ? after.accuracy.value - before.accuracy.value : NaN;
  const better = Number.isNaN(change) || change === 0 || overlap(before, after) ? null : change > 0 === unit.higherIsBetter;
  const rows = [row(`INT8 ${unit.metric}`, "accuracy of the quantized model, 95 % interval", show(before), show(after),
    Number.isNaN(change) ? nothing : shownDifference(change, unit), better)];
  if (before.pair ?? after.pair) {
    rows.push(row("From FP32", "INT8 less FP32 over the same samples, paired 95 % interval", less(before), less(after), "", null));
  }
  return rows;
}

/** The share of the outputs' error that is gone; below 0: there is more. NaN where it is not known. */
export function goneOf(before: Side, after: Side): number {
  if (before.error === null || after.error === null || !(before.error > 0) || !Number.isFinite(before.error)) return NaN;
  return 1 - after.error / before.error;
}

function errorRows(before: Side, after: Side): Row[] {
  const rows: Row[] = [];
  if (before.sqnr !== null || after.sqnr !== null) {
    const [from, to] = [before.sqnr ?? NaN, after.sqnr ?? NaN];
    const change = to - from;
    const text = Number.isFinite(change) ? `${change > 0 ? "+" : ""}${decibels(change)} dB` : nothing;
    rows.push(row("Outputs keep", "SQNR of the output that is kept worst", inDecibels(from), inDecibels(to), text,
      Number.isNaN(change) || change === 0 ? null : change > 0));
  }
  const gone = goneOf(before, after);
  if (!Number.isNaN(gone)) {
    rows.push(row("Outputs' error", "noise over signal, summed over the outputs", figure(before.error ?? NaN), figure(after.error ?? NaN),
      goneText(gone), gone === 0 ? null : gone > 0));
  }
  return rows;
}

function inDecibels(value: number): string {
  return Number.isFinite(value) ? `${decibels(value)} dB` : figure(value);
}

/** "45 % gone", "12 % more". */
export function goneText(gone: number): string {
  if (Number.isNaN(gone)) return nothing;
  return gone < 0 ? `${percent(-gone)} more` : `${percent(gone)} gone`;
}

function opsRow(before: Side, after: Side): Row[] {
  if (!before.ops && !after.ops) return [];
  const show = ({ ops }: Side) => (ops ? `${ops.int8}, ${Number.isNaN(ops.float) ? nothing : ops.float} in float` : nothing);
  const change = (after.ops?.int8 ?? NaN) - (before.ops?.int8 ?? NaN);
  const text = Number.isNaN(change) ? nothing : change === 0 ? "0" : `${change < 0 ? "−" : "+"}${Math.abs(change)}`;
  return [row("Ops in int8", "ops of the float model that compute on int8 codes", show(before), show(after), text, null)];
}

export function rowsOf(before: Side, after: Side): Row[] {
  return [...accuracyRows(before, after), ...errorRows(before, after), ...opsRow(before, after)];
}

function goneOfAll(gone: number): string {
  return gone < 0 ? `${percent(-gone)} more of the outputs' error` : `${percent(gone)} of the outputs' error gone`;
}

/** What was predicted against what came of it. */
export function outcomeText(expected: Gain | null, before: Side, after: Side): string {
  const gone = goneOf(before, after);
  if (expected === null) return Number.isNaN(gone) ? "" : `Nothing was predicted. Came: ${goneOfAll(gone)}.`;
  const [what, than] = expected.by === "in float" ? ["Measured in float", "in float"] : ["Predicted", "predicted"];
  const predicted = `${what}: ${gainText(expected, "more of the outputs' error", "of the outputs' error gone")}.`;
  if (Number.isNaN(gone)) return `${predicted} What came of it is not known: one of the runs compared no outputs.`;
  const [low, high] = expected.interval ?? [-Infinity, Infinity];
  return `${predicted} Came: ${goneText(gone)}${gone < low ? `, less than ${than}` : gone > high ? `, more than ${than}` : ""}.`;
}

function isTimed({ verb }: Side): boolean {
  return verb === "profile" || verb === "benchmark";
}

/** What the figures must not be taken for. */
export function caveatsOf(before: Side, after: Side): string[] {
  const caveats: string[] = [];
  if (before.samples > 0 && after.samples > 0 && before.samples !== after.samples) {
    caveats.push(`Outputs were compared over ${before.samples} samples before, over ${after.samples} after.`);
  }
  if (before.accuracy && after.accuracy && before.accuracy.metric !== after.accuracy.metric) caveats.push("The two runs have other metrics.");
  if (isTimed(before)) caveats.push("A quantization tells no times: profile the new model to see what it has gained.");
  const isMoved = before.accuracy && after.accuracy && before.accuracy.value !== after.accuracy.value;
  if (isMoved && overlap(before, after)) caveats.push("The accuracies' intervals overlap: only both models over the same samples tell which is better.");
  if (!after.accuracy && before.accuracy) caveats.push("The new run has no accuracy.");
  return caveats;
}

/** The new model timed as the one before was, where that was timed. */
export function timedCommand(before: Side, after: Side): string {
  if (!isTimed(before) || !before.reference || !after.model) return "";
  return commandOf([before.verb, before.reference, after.model, ...(before.data ? ["--data", before.data] : [])]);
}

/** Both int8 models over the same samples: what tells their accuracies apart. */
export function pairedCommand(before: Side, after: Side, metric: string): string {
  if (!before.model || !after.model || !after.data || !metric) return "";
  return commandOf(["evaluate", after.model, "--against", before.model, "--data", after.data, "--metric", metric]);
}

/** As text with tabs, which spreadsheets and tickets take. */
export function comparisonText(rows: readonly Row[], outcome: string): string {
  const lines = [
    ["", ...rows.map((row) => row.title)],
    ["Before", ...rows.map((row) => row.before)],
    ["After", ...rows.map((row) => row.after)],
    ["Change", ...rows.map((row) => row.change)],
  ].map((cells) => cells.join("\t"));
  return `${[...lines, ...(outcome ? [outcome] : [])].join("\n")}\n`;
}
