// SPDX-License-Identifier: Apache-2.0
// What is known before a run of the error that a recipe takes away, told no surer than it is.
import { numberOf, objectOf, spanOf } from "./loose";
import { percent, type Interval } from "./numbers";
import { shareBetween } from "./share";

/** A share of the outputs' error that is expected to go; below 0: that comes. */
export interface Gain {
  share: number; // NaN: not known
  interval: Interval | null;
  by: "measured" | "in float" | "estimated" | "tried" | "sum"; // "in float": measured so, while the remedy is another
}

function isFloat(entry: unknown): boolean {
  if (typeof entry === "string") return entry === "fp32";
  const parts = Object.values(objectOf(entry));
  return parts.length > 0 && parts.every((part) => objectOf(part)["dtype"] === "fp32");
}

/** Whether a remedy asks for anything but float, in which shares of findings are measured. */
export function isOtherThanFloat(remedy: unknown): boolean {
  const parts = Object.entries(objectOf(remedy));
  const isEntries = (key: string) => key === "op_name_dict" || key === "op_type_dict";
  return !parts.every(([key, entries]) => isEntries(key) && Object.values(objectOf(entries)).every(isFloat));
}

/** What stands behind a finding's share of the outputs' error. `isOther`: its remedy is not float. */
export function shareUnit(isMeasured: boolean, isOther = false): string {
  return isMeasured ? `less error ${isOther ? "if in float" : "in float"}` : "of the error, estimated";
}

/** Why the same op has another share elsewhere. */
export function shareReason(isMeasured: boolean): string {
  return isMeasured
    ? "Measured: so much of the outputs' error goes away when these ops alone are computed in float, over the first samples. Shares of several " +
      "findings overlap and do not add up. “Output share” in tables is an estimate: it apportions the error by each op's own part."
    : "Estimated, as “Output share” in tables is: the outputs' error apportioned by each op's own part. A measured share is how much of the error " +
      "goes away when the ops are computed in float.";
}

/** Of each finding's remedy. Those that were tried were tried together with those before, and gain what they add. */
export function gainsOf(findings: readonly unknown[]): Gain[] {
  let tried = NaN; // what is gone with all remedies so far
  return findings.map(objectOf).map((finding) => {
    const measured = numberOf(finding["measured_gain"]);
    if (Number.isNaN(measured)) {
      const by = finding["share_is_measured"] !== true ? "estimated" : isOtherThanFloat(finding["remedy"]) ? "in float" : "measured";
      return { share: numberOf(finding["output_share"]), interval: spanOf(finding["output_share_interval"]), by };
    }
    const isFirst = Number.isNaN(tried);
    const share = isFirst ? measured : measured - tried;
    tried = measured;
    return { share, interval: isFirst ? spanOf(finding["measured_gain_interval"]) : null, by: "tried" };
  });
}

/** Of several parts, each by itself: a sum that is no bound, since errors of ops overlap or hide each other. NaN where none is known. */
export function gainOfAll(parts: readonly Gain[]): Gain {
  const known = parts.filter(({ share }) => Number.isFinite(share));
  if (known.length === 1) return known[0]!;
  return { share: known.length === 0 ? NaN : known.reduce((sum, { share }) => sum + share, 0), interval: null, by: "sum" };
}

function range([low, high]: Interval, more: string, less: string): string {
  if (low >= 0) return `${shareBetween([low, high])} ${less}`;
  if (high <= 0) return `${shareBetween([-high, -low])} ${more}`;
  return `from ${percent(-low)} ${more} to ${percent(high)} ${less}`;
}

/** "18 to 63 % less error", "parts add up to 82 % less error"; empty where nothing is known. */
export function gainText({ share, interval, by }: Gain, more = "more error", less = "less error"): string {
  if (Number.isNaN(share)) return "";
  if (interval) return range(interval, more, less);
  if (by === "sum" && share > 1) return "parts add up to more than 100 %, so they overlap";
  const text = share < 0 ? `${percent(-share)} ${more}` : `${percent(share)} ${less}`;
  return by === "sum" ? `parts add up to ${text}` : `about ${text}`;
}

const reasons: Record<Gain["by"], string> = {
  measured:
    "Measured with these ops alone in float, over the first 16 samples. The run chooses its other ranges anew and compares more samples.",
  "in float":
    "Measured with these ops alone in float, over the first 16 samples. This remedy is not float, so it may take away less.",
  estimated: "An estimate from stored figures: it takes errors of ops as uncorrelated and each as equally harmful to the outputs.",
  tried: "The model was quantized with this remedy and those tried before it, and run over all samples.",
  sum: "Each part is known by itself. Where errors of ops overlap, less goes than the sum of the parts; where they hide each other, more.",
};

/** "expected: 18 to 63 % less error", "measured in float: 18 to 63 % less error" where the remedy is another. */
export function expectedText(gain: Gain): string {
  if (Number.isNaN(gain.share)) return "gain not known";
  if (gain.by === "sum") return gainText(gain);
  return `${gain.by === "in float" ? "measured in float" : "expected"}: ${gainText(gain)}`;
}

/** How it is known, and what it must not be taken for. */
export function gainReason({ share, by }: Gain): string {
  if (Number.isNaN(share)) return "Nothing that is stored tells how much of the outputs' error goes: the run does.";
  return by === "tried" ? reasons.tried : `${reasons[by]} It is no bound: the run tells what comes.`;
}
