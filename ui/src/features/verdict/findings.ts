// SPDX-License-Identifier: Apache-2.0
// Why error begins where it does, or why an op is no faster in int8, with what would mend it.
import type { BasketItem, Json } from "../../base/basket";
import { timeText } from "../../base/durations";
import { gainsOf, isOtherThanFloat, shareReason, shareUnit, type Gain } from "../../base/gain";
import { percent, type Interval } from "../../base/numbers";
import { shareBetween } from "../../base/share";
import { listOf, numberOf, objectOf, spanOf, textOf, type Loose } from "../../base/loose";
import { remedyOf, remedyText } from "./remedy";

export const nothing = 0.005; // a share that would be told as 0 %

export type Severity = "problem" | "warning" | "note";

export interface Found {
  index: number;
  rule: string;
  severity: Severity;
  op: { id: string; name: string } | null;
  others: readonly string[]; // names of ops beside that one
  amount: string; // "48 %", "820 µs"; empty where there is none to be told
  unit: string; // "less error in float", or "if in float", "a run"; "no gain can be told"; empty where the finding is about no error
  meaning: string; // of the amount; empty where it needs none
  doubt: string; // "45 to 50 %, measured"
  share: number; // 0..1, for a bar; NaN: none
  interval: Interval | null;
  tried: string;
  isTied: boolean;
  because: string;
  remedy: Json | null;
  gain: Gain; // of its remedy
}

export function foundIn(result: unknown): Found[] {
  const { findings } = objectOf(result);
  const all = listOf(findings);
  const gains = gainsOf(all);
  return all.map((one, index) => {
    const finding = objectOf(one);
    return "milliseconds" in finding ? slow(finding, index) : lossy(finding, index, gains[index]!);
  });
}

function opOf(value: unknown): Found["op"] {
  const { id, name } = objectOf(value);
  return textOf(name) === "" ? null : { id: textOf(id), name: textOf(name) };
}

function othersOf(ops: readonly unknown[], op: Found["op"]): string[] {
  const first = ops.findIndex((one) => textOf(objectOf(one)["id"]) === op?.id);
  return ops.filter((_, index) => index !== Math.max(0, first)).map((one) => textOf(objectOf(one)["name"]) || textOf(objectOf(one)["id"]));
}

function severityOf(value: unknown): Severity {
  return value === "problem" || value === "warning" ? value : "note";
}

function common(finding: Loose, index: number): Found {
  const ops = listOf(finding["ops"]);
  const op = opOf(finding["op"] ?? ops[0]);
  return {
    index,
    rule: textOf(finding["rule"]).replaceAll("_", " "),
    severity: severityOf(finding["severity"]),
    op,
    others: othersOf(ops, op),
    amount: "",
    unit: "",
    meaning: "",
    doubt: "",
    share: NaN,
    interval: null,
    tried: "",
    isTied: finding["tied_with_previous"] === true,
    because: textOf(finding["because"]),
    remedy: remedyOf(finding["remedy"]),
    gain: { share: NaN, interval: null, by: "estimated" },
  };
}

function measuredText(finding: Loose, isOther: boolean): string {
  const samples = numberOf(finding["share_samples"]);
  const measured = isOther ? "measured in float" : "measured"; // as the remedy is not
  return samples > 0 ? `${measured} over ${samples} ${samples === 1 ? "sample" : "samples"}` : measured;
}

function lossy(finding: Loose, index: number, gain: Gain): Found {
  const share = numberOf(finding["output_share"]);
  const span = spanOf(finding["output_share_interval"]);
  const isMeasured = finding["share_is_measured"] === true;
  const isOther = isOtherThanFloat(finding["remedy"]);
  const isNothing = share < nothing;
  const known = isMeasured ? measuredText(finding, isOther) : isNothing ? "estimated" : "";
  const none = span && span[1] <= 0 ? "no less error in float" : "no gain can be told";
  return {
    ...common(finding, index),
    amount: Number.isNaN(share) || isNothing ? "" : percent(share),
    unit: Number.isNaN(share) ? "" : isNothing ? none : shareUnit(isMeasured, isOther),
    meaning: Number.isNaN(share) ? "" : shareReason(isMeasured),
    doubt: Number.isNaN(share) ? "" : [span ? shareBetween(span) : "", known].filter(Boolean).join(", "),
    share,
    interval: span,
    tried: triedText(numberOf(finding["measured_gain"]), spanOf(finding["measured_gain_interval"])),
    gain,
  };
}

function triedText(gain: number, span: Interval | null): string {
  if (Number.isNaN(gain)) return "";
  const between = span ? ` (${shareBetween(span)})` : "";
  if (span && span[0] <= 0 && span[1] >= 0) return `tried: no gain that can be told${between}`;
  if (gain < 0) return `tried: ${percent(-gain)} more error${span ? ` (${shareBetween([-span[1], -span[0]])})` : ""}`;
  return `tried: ${percent(gain)} less error${between}`;
}

/** Of a profile: it costs time, not accuracy. */
function slow(finding: Loose, index: number): Found {
  const us = 1000 * numberOf(finding["milliseconds"]);
  const trial = objectOf(finding["trial"]);
  const [gain, span] = [1000 * numberOf(trial["gain_ms"]), spanOf(trial["gain_interval"])];
  const tells = span !== null && (span[0] > 0 || span[1] < 0);
  const between = span ? ` (${timeText(1000 * span[0])} to ${timeText(1000 * span[1])})` : "";
  const amount = tells ? `${timeText(Math.abs(gain))} ${gain < 0 ? "slower" : "faster"}` : "no gain that can be told";
  return {
    ...common(finding, index),
    severity: remedyOf(finding["remedy"]) ? "warning" : "note",
    amount: Number.isNaN(us) ? "" : timeText(us),
    unit: Number.isNaN(us) ? "" : "a run",
    doubt: Number.isNaN(us) ? "" : "slower than in float",
    tried: Number.isNaN(gain) ? "" : `tried in float: ${amount}${between}`,
  };
}

/** "48 % less error in float"; empty where the finding is about no error. */
export function amountText({ amount, unit }: Found): string {
  return [amount, unit].filter(Boolean).join(" ");
}

export const itemId = (found: Found): string => `finding:${found.index}`;

export function itemOf(found: Found): BasketItem | null {
  if (found.remedy === null) return null;
  const { share, ...known } = found.gain;
  return { id: itemId(found), label: remedyText(found.remedy), recipe: found.remedy, gain: share, known };
}

/** What its remedy asks for, without the op's name where it stands beside it. */
export function remedyBeside(found: Found): string {
  const text = remedyText(found.remedy);
  const rest = found.op && text.startsWith(found.op.name) ? text.slice(found.op.name.length) : text;
  return /^(: | )/.test(rest) ? rest.replace(/^(: | )/, "") : text;
}

export const most = 50; // findings that are listed at once: with thousands of them the page would stand still

export interface Part {
  from: number;
  listed: readonly Found[];
  before: number | null; // where the ones beside it begin
  after: number | null;
}

/** The part of the list that begins here, or at the last place where one can. */
export function partOf(found: readonly Found[], wanted: number): Part {
  const from = Math.max(0, Math.min(wanted, Math.floor((found.length - 1) / most) * most));
  return {
    from,
    listed: found.slice(from, from + most),
    before: from > 0 ? from - most : null,
    after: from + most < found.length ? from + most : null,
  };
}

/** How many fit as a whole into so many pixels, and a line of `more` for the others; at least one. `ends`: of each, from above. */
export function fitting(ends: readonly number[], room: number, more: number): number {
  if ((ends.at(-1) ?? 0) <= room + 1) return ends.length;
  return Math.max(1, ends.filter((end) => end + more <= room + 1).length);
}

const told = 12; // names of other ops that are listed

/** "X, Y and 4 more". */
export function othersText(others: readonly string[]): string {
  const rest = others.length - told;
  return `${others.slice(0, told).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** The scopes that all names begin with, which tell them apart least; empty where there is one name alone. */
export function sharedStart(names: readonly string[]): string {
  const [first = "", ...others] = new Set(names);
  if (others.length === 0) return "";
  let length = first.length;
  for (const other of others) {
    let same = 0;
    while (same < length && first[same] === other[same]) ++same;
    length = same;
  }
  const start = first.slice(0, length);
  return start.slice(0, Math.max(0, start.lastIndexOf(start.includes("/") ? "/" : ".")));
}
