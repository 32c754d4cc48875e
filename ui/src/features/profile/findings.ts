// SPDX-License-Identifier: Apache-2.0
// What is no faster in int8, and what came of putting it in float.
import type { BasketItem, Json } from "../../base/basket";
import type { Interval } from "../../base/numbers";
import type { Column } from "../../base/table";
import type { Finding } from "./record";

const rules: Record<string, string> = {
  lost_kernel: "Lost kernel",
  broken_fusion: "Broken fusion",
  slow_kernel: "Slow kernel",
  conversions: "Conversions cost more than int8 saves",
  float_island: "Float island",
};

export function ruleText(rule: string): string {
  return rules[rule] ?? rule.replaceAll("_", " ");
}

export function opsText(finding: Pick<Finding, "ops">, most = 3): string {
  const names = finding.ops.slice(0, most).map((op) => op.name).join(", ");
  const more = finding.ops.length - most;
  return more > 0 ? `${names} and ${more} more` : names;
}

export type Outcome = "gains" | "loses" | "open" | "not tried";

/** What the timing says; open: the interval holds 1. */
export function outcomeOf(finding: Finding): Outcome {
  const span = finding.trial?.ratioInterval;
  if (!finding.trial) return "not tried";
  if (span && span[1] < 1) return "gains";
  return span && span[0] > 1 ? "loses" : "open";
}

const outcomes: Record<Outcome, string> = {
  gains: "faster in float", loses: "slower in float", open: "no difference seen in float", "not tried": "not timed in float",
};

export function outcomeText(finding: Finding): string {
  return outcomes[outcomeOf(finding)];
}

/** "0.912 (0.890 to 0.934)", of the model's time as it is. */
export function ratioText({ trial }: Pick<Finding, "trial">): string {
  if (!trial || !Number.isFinite(trial.ratio)) return "–";
  const between = trial.ratioInterval ? ` (${trial.ratioInterval.map((end) => end.toFixed(3)).join(" to ")})` : "";
  return `${trial.ratio.toFixed(3)}${between}`;
}

/** Laid into the basket; null where no recipe helps. What speed gains is no share of an error, so none is told. */
export function itemOf(finding: Finding): BasketItem | null {
  const { remedy } = finding;
  if (remedy === null || typeof remedy !== "object" || Array.isArray(remedy)) return null;
  const ops = finding.trial?.ops.length ? { ops: finding.trial.ops } : finding;
  return { id: `finding:${finding.number - 1}`, label: `${ruleText(finding.rule)}: ${opsText(ops)} in float`, recipe: remedy as Json, gain: NaN };
}

/** The axis of ratios: 1 and all intervals on it. */
export function axisOf(findings: readonly Finding[]): Interval {
  let [low, high] = [1, 1];
  for (const { trial } of findings) {
    for (const value of [trial?.ratio ?? 1, ...(trial?.ratioInterval ?? [])]) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const margin = Math.max(0.02, 0.08 * (high - low));
  return [low - margin, high + margin];
}

const of = (id: string, title: string, value: (finding: Finding) => number | string): Column<Finding> =>
  ({ id, title, meaning: "", of: value, show: (finding) => String(value(finding)), first: "down", width: 90 });

export const findingColumns: readonly Column<Finding>[] = [
  of("number", "Number", (finding) => finding.number),
  of("rule", "Rule", (finding) => finding.rule),
  of("ops", "Ops", (finding) => finding.ops.map((op) => op.name).join(";")),
  of("cost", "Slower than in float [µs]", (finding) => 1e3 * finding.milliseconds),
  of("outcome", "Outcome in float", outcomeOf),
  of("tried", "Ops that were in float", (finding) => finding.trial?.ops.map((op) => op.name).join(";") ?? ""),
  of("ratio", "Time over as it is", (finding) => finding.trial?.ratio ?? NaN),
  of("ratioLow", "95 % from", (finding) => finding.trial?.ratioInterval?.[0] ?? NaN),
  of("ratioHigh", "95 % to", (finding) => finding.trial?.ratioInterval?.[1] ?? NaN),
  of("gain", "Gain [µs]", (finding) => 1e3 * (finding.trial?.gain ?? NaN)),
  of("gainLow", "Gain, 95 % from [µs]", (finding) => 1e3 * (finding.trial?.gainInterval?.[0] ?? NaN)),
  of("gainHigh", "Gain, 95 % to [µs]", (finding) => 1e3 * (finding.trial?.gainInterval?.[1] ?? NaN)),
  of("before", "These ops as it is [µs]", (finding) => finding.trial?.before ?? NaN),
  of("inFloat", "These ops in float [µs]", (finding) => finding.trial?.inFloat ?? NaN),
  of("around", "Neighbours longer by [µs]", (finding) => finding.trial?.around ?? NaN),
  of("because", "Because", (finding) => finding.because),
];
