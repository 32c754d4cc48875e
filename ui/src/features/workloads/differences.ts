// SPDX-License-Identifier: Apache-2.0
// What is different in another run, as the server tells it: ops, findings and what was done otherwise, in words of a table.
import type { Schemas } from "../../api/client";
import { hashOf } from "../../base/address";
import { decibels, percent, real, type Real } from "../../base/numbers";

export type Told = Schemas["ToldComparison"];
type Op = Told["ops"][number];

export interface OpRow {
  key: string;
  name: string;
  other: string; // its name in the other run, where that is another one
  href: string; // where the other run shows it
  isWorse: boolean;
  change: string; // "−3.2 dB"
  interval: string; // "−3.6 to −2.8"; empty: none
  sqnr: string; // "31.0 → 27.8"
  precision: string; // "int8 → fp32"; empty where both are alike
}

const mostOps = 100;

export function signed(value: number, digits = 1): string {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : value > 0 ? "+∞" : "–";
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

function asReal(value: unknown): number {
  return real((value ?? null) as Real);
}

function rowOf(op: Op, run: string, place: number): OpRow {
  const span = op.difference_interval as readonly unknown[] | null | undefined;
  const [a, b] = [op.precision_a ?? "", op.precision_b ?? ""];
  return {
    key: `${op.a.id} ${place}`,
    name: op.a.name || op.a.id,
    other: op.b.name === op.a.name ? "" : op.b.name || op.b.id,
    href: hashOf({ run, view: "ops", op: op.b.id, value: null, query: "", held: {} }),
    isWorse: op.verdict === "worse",
    change: `${signed(asReal(op.difference_db))} dB`,
    interval: span ? `${signed(asReal(span[0]))} to ${signed(asReal(span[1]))}` : "",
    sqnr: `${decibels(asReal(op.sqnr_a_db))} → ${decibels(asReal(op.sqnr_b_db))}`,
    precision: a !== b && a && b ? `${a} → ${b}` : "",
  };
}

/** Those that samples tell apart, worse ones first; a few of very many. */
export function opRows(told: Told): OpRow[] {
  const apart = told.ops.filter(({ verdict }) => verdict === "worse" || verdict === "better");
  return apart.slice(0, mostOps).map((op, place) => rowOf(op, told.b.id, place));
}

/** How many ops are told apart beyond those of opRows. */
export function opsLeft(told: Told): number {
  return Math.max(0, Number(told.counts.worse) + Number(told.counts.better) - mostOps);
}

/** "12 as they were, 3 that samples cannot tell": what the rows leave out. */
export function restText(told: Told): string {
  const { equal, undecided, unknown, only_a, only_b } = told.counts;
  const parts: [unknown, string][] = [
    [equal, "as before"],
    [undecided, "that samples cannot tell apart"],
    [unknown, "that one of the runs did not compare"],
    [only_a, "of the first model alone"],
    [only_b, "of the other model alone"],
  ];
  return parts.filter(([count]) => Number(count) > 0).map(([count, what]) => `${String(count)} ${what}`).join(", ");
}

export interface FindingRow {
  change: "new" | "changed" | "gone";
  rule: string;
  op: string;
  because: string;
  share: string; // "12 % → 3 %"
}

export function findingRows(told: Told): FindingRow[] {
  return told.findings.flatMap((finding) => {
    if (finding.change === "same") return [];
    const shares = [finding.output_share_a, finding.output_share_b].map((one) => asReal(one));
    const text = shares.some((one) => !Number.isNaN(one)) ? shares.map((one) => (Number.isNaN(one) ? "–" : percent(one))).join(" → ") : "";
    const at = finding.b ?? finding.a;
    const because = (finding as { because?: string }).because ?? "";
    return [{ change: finding.change, rule: finding.rule, op: at?.name || at?.id || "", because, share: text }];
  });
}

export interface SettingRow {
  what: string;
  a: string;
  b: string;
}

function optionText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Options that the two recipes have otherwise. */
export function settingRows(told: Told): SettingRow[] {
  return told.recipe.map(({ option, a, b }) => ({ what: option, a: optionText(a), b: optionText(b) })).slice(0, mostOps);
}

type Planned = Told["plan"][number];

export interface PlanRow {
  ops: string; // "27 ops: conv1, conv2, conv3, …"
  a: string; // "int8 static"
  b: string;
  notes: string; // what differs, and why an op stays float
}

const mostNamed = 3;

function plannedAs(precision: string, form: string | undefined): string {
  return !form || form.startsWith("float") ? precision : `${precision} ${form}`;
}

function notesOf(op: Planned): string {
  const isAlike = op.precision_a === op.precision_b && op.form_a === op.form_b;
  const notes = [
    isAlike && op.other_activation ? "other range or scheme of its values" : "",
    isAlike && op.other_weight ? "other scales or scheme of its weight" : "",
    op.reason_a && `A: ${op.reason_a}`,
    op.reason_b && `B: ${op.reason_b}`,
  ];
  return notes.filter(Boolean).join("; ");
}

function namesOf(ops: readonly Planned[]): string {
  const names = ops.slice(0, mostNamed).map(({ a, b }) => (a.name === b.name ? a.name || a.id : `${a.name || a.id} (in B ${b.name || b.id})`));
  return ops.length === 1 ? names[0]! : `${ops.length} ops: ${names.join(", ")}${ops.length > mostNamed ? ", …" : ""}`;
}

/** Ops that the two plans treat otherwise, those that they do so in one way together. */
export function planRows(told: Told): PlanRow[] {
  const groups = new Map<string, { row: Omit<PlanRow, "ops">; ops: Planned[] }>();
  for (const op of told.plan) {
    const row = { a: plannedAs(op.precision_a, op.form_a), b: plannedAs(op.precision_b, op.form_b), notes: notesOf(op) };
    const key = JSON.stringify(row);
    const group = groups.get(key) ?? { row, ops: [] };
    group.ops.push(op);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ row, ops }) => ({ ops: namesOf(ops), ...row })).slice(0, mostOps);
}

/** "A: ID of 'quantize', made …, 200 samples of digits.npz, top1" */
export function whoText(which: "A" | "B", run: Told["a"]): string {
  const data = run.data.find(({ role }) => role === "samples");
  const file = data?.path.split("/").filter(Boolean).pop() ?? "";
  const samples = data ? `, ${data.samples} sample${Number(data.samples) === 1 ? "" : "s"}${file && ` of ${file}`}` : "";
  return `${which}: ${run.id} of '${run.verb}', made ${run.created}${samples}${run.metric && `, ${run.metric}`}`;
}
