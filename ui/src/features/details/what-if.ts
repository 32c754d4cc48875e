// SPDX-License-Identifier: Apache-2.0
// What other codes of an op would cost: what is asked, and what the answer says.
import type { Schemas } from "../../api/client";
import type { Json } from "../../base/basket";
import { decibels, figure, real, type Interval, type Real } from "../../base/numbers";
import { shareOf } from "../../base/share";
import { entryOf, wordsOf } from "./text";

/** Empty texts: as it is now. */
export interface Asked {
  by: string; // an algorithm, or "hand": `range`
  range: Interval;
  percentile: string; // as it was typed
  dtype: string;
  scheme: string;
  weightDtype: string;
  weightScheme: string;
  granularity: string;
}

export function nothingAsked(range: Interval = [0, 0]): Asked {
  return { by: "", range, percentile: "99.99", dtype: "", scheme: "", weightDtype: "", weightScheme: "", granularity: "" };
}

export type Choices = readonly (readonly [value: string, text: string])[];
export const algorithms: Choices = [["minmax", "minmax"], ["percentile", "percentile"], ["entropy", "entropy"], ["mse", "mse"]];
export const activationDtypes: Choices = [["uint8", "uint8"], ["int8", "int8"], ["uint16", "uint16"], ["int16", "int16"], ["fp32", "float"]];
export const weightDtypes: Choices = [["int8", "int8"], ["uint8", "uint8"], ["int4", "int4"], ["uint4", "uint4"], ["fp32", "float"]];
export const schemes: Choices = [["asym", "asym"], ["sym", "sym"]];
export const granularities: Choices = [["per_channel", "per channel"], ["per_tensor", "per tensor"]];

/** Why it cannot be asked; empty where it can. */
export function problemOf(asked: Asked): string {
  if (asked.by === "hand") {
    const [low, high] = asked.range;
    if (!Number.isFinite(low) || !Number.isFinite(high)) return "Give both ends of the range as numbers.";
    if (low >= high) return "The lower end must lie below the upper end.";
  }
  if (asked.by === "percentile") {
    const kept = Number(asked.percentile);
    if (asked.percentile.trim() === "" || !(kept > 0 && kept <= 100)) return "The percentile lies above 0, and is 100 at most.";
  }
  return "";
}

/** The change as the server takes it; null where nothing is asked, or nothing that makes sense. */
export function changeOf(asked: Asked, value: string, quantized: string): { [name: string]: Json } | null {
  if (problemOf(asked) !== "") return null;
  const isFloat = asked.dtype === "fp32";
  const isByHand = asked.by === "hand" && !isFloat;
  const activation: { [name: string]: Json } = {};
  if (asked.by && !isByHand && !isFloat) activation["algorithm"] = asked.by;
  if (asked.by === "percentile" && !isFloat) activation["percentile"] = Number(asked.percentile);
  if (asked.dtype) activation["dtype"] = asked.dtype;
  if (asked.scheme && !isFloat) activation["scheme"] = asked.scheme;
  const weight: { [name: string]: Json } = {};
  if (asked.weightDtype) weight["dtype"] = asked.weightDtype;
  if (asked.weightScheme && asked.weightDtype !== "fp32") weight["scheme"] = asked.weightScheme;
  if (asked.granularity && asked.weightDtype !== "fp32") weight["granularity"] = asked.granularity;
  const change: { [name: string]: Json } = { value, quantized };
  if (isByHand) change["range"] = { min: asked.range[0], max: asked.range[1] };
  if (Object.keys(activation).length > 0) change["activation"] = activation;
  if (Object.keys(weight).length > 0) change["weight"] = weight;
  return Object.keys(change).length > 2 ? change : null;
}

/** Ends as the codes will have them: 0 lies between, and of symmetric codes both are as far from it. */
export function rangeOf(ends: Interval, moved: "low" | "high" | "both", isSymmetric: boolean): Interval {
  const [low, high] = [Math.min(ends[0], 0), Math.max(ends[1], 0)];
  if (!isSymmetric) return [low, high];
  const reach = moved === "low" ? -low : moved === "high" ? high : Math.max(-low, high);
  return [-reach, reach];
}

export interface ExpectedPart {
  id: string;
  name: string;
  now: number;
  expected: number;
}

export interface Expected {
  knownBy: "histogram" | "moments" | "unknown";
  reason: string; // why it is unknown
  nowDb: number;
  expectedDb: number;
  parts: ExpectedPart[]; // [MSE]; the last one is what stays: inputs, and what has no name
  range: Interval | null; // of the new codes
  scale: number;
  zeroPoint: number;
  gain: number; // share of the outputs' error that would go
  recipe: Json;
}

export function expectedOf(answer: unknown): Expected | null {
  const all = (answer && typeof answer === "object" ? answer : {}) as Partial<Schemas["Expectations"]>;
  const change = Array.isArray(all.changes) ? all.changes[0] : undefined;
  if (!change) return null;
  const { now, expected } = change;
  const at = (of: Schemas["LocalError"] | null | undefined, field: keyof Schemas["LocalError"]) => real(of?.[field] as Real);
  const own = (of: Schemas["LocalError"] | null | undefined) => at(of, "rounding_mse") + at(of, "clipping_mse") + at(of, "weight_mse");
  const part = (id: string, name: string, field: keyof Schemas["LocalError"]): ExpectedPart =>
    ({ id, name, now: at(now, field), expected: at(expected, field) });
  const rest = (of: Schemas["LocalError"] | null | undefined) => Math.max(0, at(of, "mse") - own(of));
  const parts = [part("rounding", "Rounding", "rounding_mse"), part("clipping", "Clipping", "clipping_mse"), part("weight", "Weight", "weight_mse"),
    { id: "rest", name: "Inputs, other", now: rest(now), expected: rest(expected) }];
  const ends = change.range ? ([real(change.range.min), real(change.range.max)] as const) : null;
  return {
    knownBy: change.known_by ?? "unknown",
    reason: change.reason ?? "",
    nowDb: at(now, "sqnr_db"),
    expectedDb: at(expected, "sqnr_db"),
    parts,
    range: ends && ends.every(Number.isFinite) ? ends : null,
    scale: real(change.params?.scale),
    zeroPoint: real(change.params?.zero_point),
    gain: real(change.output_gain),
    recipe: (all.recipe ?? null) as Json,
  };
}

/** Why what was asked is in no recipe; empty where it is in one. */
export function whyNoRecipe(asked: Asked, expected: Expected): string {
  if (expected.recipe !== null) return "";
  if (asked.by === "hand" && asked.dtype !== "fp32") return "No recipe says a range by itself: choose an algorithm that gives one like it.";
  if (asked.dtype.endsWith("int16")) {
    return "An op that a recipe gives 16 bits computes in float, and its readers decide what codes its result has.";
  }
  return "No recipe asks for this.";
}

/** The answer in a line, where the histogram is dragged. */
export function noteOf(told: Expected): string {
  if (told.knownBy === "unknown") return `What if: unknown, ${told.reason || "what is stored does not tell"}.`;
  const [about, name] = told.knownBy === "moments" ? ["≈ ", "What if, approximately"] : ["", "What if"];
  return `${name}: local SQNR ${decibels(told.nowDb)} → ${about}${decibels(told.expectedDb)} dB. ${gainText(told.gain)}`;
}

export function gainText(gain: number): string {
  if (Number.isNaN(gain)) return "";
  if (gain >= 0) return `About ${shareOf(gain)} of the outputs' error would go.`;
  if (gain > -1) return `The outputs' error would grow by about ${shareOf(-gain)}.`;
  return `The outputs' error would be about ${figure(1 - gain, 2)} times what it is.`;
}

export function labelOf(name: string, recipe: Json): string {
  const entry = entryOf(recipe);
  return `${name}: ${entry === null ? "what-if" : wordsOf(entry)}`;
}
