// SPDX-License-Identifier: Apache-2.0
// What is stored of one op, read defensively: a record may be of an older version.
import type { Schemas } from "../../api/client";
import type { Json } from "../../base/basket";
import { timeText } from "../../base/durations";
import { gainsOf, isOtherThanFloat, shareUnit, type Gain } from "../../base/gain";
import { interval, real, type Interval, type Real } from "../../base/numbers";
import { shareBetween, shareOf } from "../../base/share";
import { entryOf, wordsOf } from "./text";

export type ActivationRow = Schemas["ActivationRow"];
export type WeightRow = Schemas["WeightRow"];
export type OpPlan = Schemas["OpPlan"];
export type Finding = Schemas["Finding"];

/** Rows as the records have them. */
export interface OpRows {
  activations: ActivationRow[];
  weights: WeightRow[];
  plan: OpPlan[];
  pairs: Schemas["ValuePair"][];
  weightPairs: Schemas["WeightPair"][];
  findings: Finding[];
  graph: Schemas["OpOutline"][];
  times: Schemas["OpTime"][];
}

export function rowsOf(answer: unknown): OpRows {
  const given = (answer && typeof answer === "object" ? answer : {}) as Record<string, unknown>;
  const list = <Row>(name: string) => (Array.isArray(given[name]) ? (given[name] as unknown[]).filter(Boolean) : []) as Row[];
  return {
    activations: list("activations"),
    weights: list("weights"),
    plan: list("plan"),
    pairs: list("pairs"),
    weightPairs: list("weight_pairs"),
    findings: list("findings"),
    graph: list("graph"),
    times: list("times"),
  };
}

/** The row of this value, else the first. */
export function rowOf(rows: OpRows, value: string | null): ActivationRow | undefined {
  return rows.activations.find((row) => row.value === value) ?? rows.activations[0];
}

export interface Head {
  name: string;
  type: string;
  pattern: string; // empty where it is the op alone
  precision: string; // empty where it is not known
  reason: string; // why it is float, or what runs in its place; empty
  form: string; // how it is written, where that is neither float nor static
}

const forms: Record<string, string> = {
  dynamic: "its input is quantized anew for each run",
  weight_only: "its weight alone is stored in few bits",
};

export function headOf(rows: OpRows, op: string, row: ActivationRow | undefined): Head {
  const plan = rows.plan[0];
  const pair = rows.pairs.find((one) => one.reference === row?.value) ?? rows.pairs[0];
  const type = row?.type ?? plan?.type ?? rows.weights[0]?.type ?? pair?.type ?? rows.graph[0]?.type ?? "";
  const pattern = ([row?.pattern, plan?.pattern, pair?.pattern].find((one) => Array.isArray(one) && one.length > 0) ?? []).join(" ");
  return {
    name: row?.op?.name || plan?.op?.name || rows.weights[0]?.op?.name || pair?.op?.name || rows.graph[0]?.name || op,
    type,
    pattern: pattern === type ? "" : pattern,
    precision: plan?.precision ?? pair?.precision ?? "",
    reason: plan?.reason ?? "",
    form: forms[plan?.form ?? ""] ?? "",
  };
}

/** "120 µs in float, 45.0 µs quantized": of a profile of both models; empty where there is none. */
export function timeOf(rows: OpRows): string {
  const time = rows.times[0];
  if (!time) return "";
  const quantized = real(time.quantized_us) + real(time.conversion_us) + real(time.layout_us);
  const group = Array.isArray(time.ops) && time.ops.length > 1 ? `, of ${time.ops.length} ops as one` : "";
  return `${timeText(real(time.reference_us))} in float, ${timeText(quantized)} quantized${group}`;
}

/** A finding of the run that names the op. */
export interface Told {
  id: string; // of its remedy in the basket: the same as where the verdict lists it
  rule: string;
  severity: string;
  sentence: string;
  share: number;
  interval: readonly Real[] | null;
  isMeasured: boolean;
  others: number; // ops beside this one that the share is of, too
  remedy: Json;
  gain: Gain;
  label: string;
}

type RunFinding = Partial<Finding> & { because?: string };

function names(finding: RunFinding, ids: readonly string[]): boolean {
  const ops = [finding.op, ...(Array.isArray(finding.ops) ? finding.ops : [])];
  return ops.some((op) => op && (ids.includes(op.id) || ids.includes(op.name)));
}

function othersOf({ op, ops }: RunFinding): number {
  const all = [op, ...(Array.isArray(ops) ? ops : [])].flatMap((one) => (one ? [one.id || one.name] : []));
  return Math.max(0, new Set(all).size - 1);
}

/** Findings as a run's result tells them, with their sentences. */
export function findingsIn(result: unknown): RunFinding[] {
  const all = (result && typeof result === "object" ? result : {}) as Record<string, unknown>;
  const diagnosis = (all["diagnosis"] && typeof all["diagnosis"] === "object" ? all["diagnosis"] : all) as Record<string, unknown>;
  return Array.isArray(diagnosis["findings"]) ? (diagnosis["findings"] as RunFinding[]) : [];
}

/** Those about this op. `known`: all of the run; where it has none, the rows without sentences stand for them. */
export function findingsOf(rows: OpRows, op: string, known: readonly RunFinding[]): Told[] {
  const all: readonly RunFinding[] = known.length > 0 ? known : rows.findings;
  const told: Told[] = [];
  const gains = gainsOf(all);
  all.forEach((finding, index) => {
    if (!finding || !names(finding, [op])) return;
    const remedy = (finding.remedy ?? null) as Json;
    const entry = entryOf(remedy);
    told.push({
      id: known.length > 0 ? `finding:${index}` : `finding:${finding.rule ?? ""}:${op}:${index}`,
      rule: (finding.rule ?? "").replaceAll("_", " "),
      severity: finding.severity ?? "note",
      sentence: finding.because ?? "",
      share: real(finding.output_share),
      interval: finding.output_share_interval ?? null,
      isMeasured: finding.share_is_measured ?? false,
      others: othersOf(finding),
      remedy,
      gain: gains[index]!,
      label: `${finding.op?.name || op}: ${entry === null ? (finding.rule ?? "").replaceAll("_", " ") : wordsOf(entry)}`,
    });
  });
  return told;
}

/** "46 % less error in float with 2 more ops (6 to 86 %), measured". */
export function shareText(told: Pick<Told, "share" | "interval" | "isMeasured" | "others" | "remedy">): string {
  const { share, interval: stored, isMeasured, others, remedy } = told;
  const ends = interval(stored);
  const range = (of: Interval | null) => (of ? ` (${shareBetween(of)})` : "");
  const beside = others > 0 ? ` with ${others} more ${others === 1 ? "op" : "ops"}` : "";
  if (!isMeasured) return `${shareOf(share)} ${shareUnit(false)}${beside && `,${beside}`}${range(ends)}`;
  if (share >= 0) return `${shareOf(share)} ${shareUnit(true, isOtherThanFloat(remedy))}${beside}${range(ends)}, measured`;
  return `${shareOf(-share)} more error in float${beside}${range(ends && [-ends[1], -ends[0]])}, measured`;
}
