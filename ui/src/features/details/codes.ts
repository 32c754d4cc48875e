// SPDX-License-Identifier: Apache-2.0
// The codes of an op's tensors: of its activation and of each of its weights.
import type { Schemas } from "../../api/client";
import { decibels, figure, interval, real, type Interval, type Real } from "../../base/numbers";
import type { ActivationRow, OpRows, WeightRow } from "./model";
import { between, countOf, shareBetween, shareOf } from "./text";

export interface Params {
  scale: number;
  zeroPoint: number;
}
export interface Scheme {
  dtype: string;
  symmetric: boolean;
  axis: number | null;
  bits: number;
}

/** One object, a list of them, or columns: {"scale": [...], "zero_point": 0 or [...]}. */
export function paramsOf(stored: unknown): Params[] {
  if (Array.isArray(stored)) return stored.flatMap(paramsOf);
  if (!stored || typeof stored !== "object") return [];
  const { scale, zero_point } = stored as { scale?: unknown; zero_point?: unknown };
  const points = Array.isArray(zero_point) ? (zero_point as Real[]) : null;
  if (Array.isArray(scale)) {
    return (scale as Real[]).map((one, index) => ({ scale: real(one), zeroPoint: real((points ? points[index] : zero_point) as Real) }));
  }
  const one = real(scale as Real);
  return Number.isNaN(one) ? [] : [{ scale: one, zeroPoint: real(zero_point as Real) }];
}

export function schemeOf(stored: Schemas["Scheme"] | null | undefined): Scheme | null {
  if (!stored || typeof stored.dtype !== "string") return null;
  const bits = Number(/\d+$/.exec(stored.dtype)?.[0] ?? 8);
  return { dtype: stored.dtype, symmetric: stored.symmetric ?? false, axis: stored.axis ?? null, bits: bits === 8 ? (stored.bits ?? 8) : bits };
}

/** The least and the greatest code that a scheme uses: symmetric ones use one fewer. */
export function codesOf(scheme: Scheme): Interval {
  const half = 2 ** (scheme.bits - 1);
  const isUnsigned = scheme.dtype.startsWith("uint");
  const less = scheme.symmetric ? 1 : 0;
  return isUnsigned ? [less, 2 * half - 1] : [less - half, half - 1];
}

/** What the codes of one scale mean, from the least to the greatest. */
export function reachOf(scheme: Scheme | null, params: Params | undefined): Interval | null {
  if (!scheme || !params) return null;
  const [low, high] = codesOf(scheme).map((code) => params.scale * (code - params.zeroPoint));
  return Number.isFinite(low!) && Number.isFinite(high!) && low! < high! ? [low!, high!] : null;
}

/** Beyond these values are clipped, not rounded: half a step outside of all codes of the dtype, used or not. */
export function unclippedOf(scheme: Scheme | null, params: Params | undefined): Interval | null {
  if (!scheme || !params) return null;
  const bits = Number(/\d+$/.exec(scheme.dtype)?.[0] ?? scheme.bits);
  const reach = reachOf({ ...scheme, bits, symmetric: false }, params);
  return reach && [reach[0] - params.scale / 2, reach[1] + params.scale / 2];
}

export function scalesText(params: readonly Params[]): string {
  if (params.length === 0) return "–";
  if (params.length === 1) return figure(params[0]!.scale, 4);
  const scales = params.map((one) => one.scale).filter(Number.isFinite);
  const ends: Interval = [scales.reduce((a, b) => Math.min(a, b), Infinity), scales.reduce((a, b) => Math.max(a, b), -Infinity)];
  return scales.length === 0 ? `${countOf(params.length)} scales` : `${countOf(params.length)} scales from ${between(ends)}`;
}

export function zeroPointsText(params: readonly Params[]): string {
  const points = params.map((one) => one.zeroPoint).filter(Number.isFinite);
  if (points.length === 0) return "–";
  const low = points.reduce((a, b) => Math.min(a, b));
  const high = points.reduce((a, b) => Math.max(a, b));
  const text = (point: number) => String(point).replace("-", "−");
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}

function schemeText(scheme: Scheme): string {
  const full = Number(/\d+$/.exec(scheme.dtype)?.[0] ?? scheme.bits);
  const fewer = scheme.bits < full ? `, ${scheme.bits} bits in use` : "";
  return `${scheme.dtype}, ${scheme.symmetric ? "symmetric" : "asymmetric"}${fewer}`;
}

/** How ranges of activations were found, by ranges.json. */
export interface ChosenRange {
  min: number;
  max: number;
  by: string; // empty: not said
}

export function rangesOf(record: unknown): Map<string, ChosenRange> {
  const given = (record && typeof record === "object" ? record : {}) as Record<string, unknown>;
  const chosen = new Map<string, ChosenRange>();
  for (const list of ["wide", "values"]) { // a value of 8 and of 16 bits has both: the former one is shown
    const rows = given[list];
    if (!Array.isArray(rows)) continue;
    for (const row of rows as Partial<Schemas["ValueRange"]>[]) {
      if (typeof row?.value !== "string") continue;
      const by = row.algorithm ? (row.algorithm as string).replaceAll("_", " ") : "given by hand";
      const asked = row.asked && row.asked !== row.algorithm ? `, chosen by ${row.asked}` : "";
      chosen.set(row.value, { min: real(row.min), max: real(row.max), by: by + asked });
    }
  }
  return chosen;
}

type WeightOptions = { algorithm?: string | null } | null | undefined;
interface OpOptions {
  weight?: WeightOptions;
}

/** The algorithm that a recipe asks for the ranges of this op's weights; later entries win, as in docs/recipes.md. */
export function weightAlgorithm(recipe: unknown, name: string, type: string): string {
  if (!recipe || typeof recipe !== "object") return "";
  const given = recipe as { weight?: WeightOptions; op_type_dict?: Record<string, OpOptions>; op_name_dict?: Record<string, OpOptions> };
  let algorithm = given.weight?.algorithm ?? "minmax";
  for (const [entries, text] of [[given.op_type_dict, type], [given.op_name_dict, name]] as const) {
    for (const pattern of Object.keys(entries ?? {}).sort()) {
      const asked = entries?.[pattern]?.weight?.algorithm;
      if (asked && matches(pattern, text)) algorithm = asked;
    }
  }
  return algorithm;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(text);
  } catch {
    return false; // Perl's syntax has more than this one
  }
}

export interface Tensor {
  id: string; // "activation", "weight 0"
  title: string;
  name: string; // in the reference
  quantized: string; // in the quantized model
  sameAs: number | null; // the pair whose elements it has, only moved
  isWeight: boolean;
  scheme: Scheme | null;
  params: Params[];
  reach: Interval | null; // where there is one scale
  unclipped: Interval | null;
  data: Interval | null; // least and greatest value
  facts: [string, string][];
}

export interface Known {
  ranges: ReadonlyMap<string, ChosenRange>;
  bits: ReadonlyMap<string, number>; // in use, by the name of a weight: a file does not say that some of its codes are left out
  recipe: unknown;
}

/** By plan.json: the least and greatest codes may be left out on purpose (reduce_range). */
function withBits(scheme: Scheme | null, bits: number | undefined): Scheme | null {
  return scheme && bits && bits < scheme.bits ? { ...scheme, bits } : scheme;
}

/** The bits that weights use, by a page of plan.weights_quantized. */
export function bitsOf(page: unknown): Map<string, number> {
  const columns = ((page as { columns?: Record<string, unknown> } | null)?.columns ?? {}) as Record<string, unknown>;
  const [names, bits] = [columns["weight"], columns["scheme.bits"]];
  if (!Array.isArray(names) || !Array.isArray(bits)) return new Map();
  return new Map(names.flatMap((name, index) => (typeof bits[index] === "number" ? [[String(name), bits[index] as number] as const] : [])));
}

function ends(low: Real, high: Real): Interval | null {
  return interval([low, high]);
}

function activation(rows: OpRows, row: ActivationRow, known: Known): Tensor {
  const pair = rows.pairs.find((one) => one.reference === row.value && one.quantized === row.quantized);
  const scheme = schemeOf(pair?.scheme);
  const ofChannels = paramsOf(pair?.channel_params);
  const params = ofChannels.length > 1 ? ofChannels : paramsOf(pair?.params);
  const single = params.length === 1 ? params[0] : undefined;
  const reach = reachOf(scheme, single);
  const data = ends(row.min, row.max);
  const facts: [string, string][] = [["Codes", scheme ? schemeText(scheme) : "none: what is compared are floats"]];
  if (scheme) {
    facts.push(["Granularity", ofChannels.length > 1 ? `per channel, axis ${scheme.axis ?? "–"}` : "per tensor"]);
    if (reach) facts.push(["Codes reach", between(reach)]);
    facts.push(["Range by", known.ranges.get(row.value)?.by || "not stored"], ["Scale", scalesText(params)], ["Zero point", zeroPointsText(params)]);
  }
  if (data) facts.push(["Data reach", between(data)]);
  const clipped = real(row.clip_rate);
  const clip = interval(row.clip_rate_interval as Real[] | null);
  if (scheme && Number.isFinite(clipped)) facts.push(["Clipped", `${shareOf(clipped)}${clip ? ` (${shareBetween(clip)})` : ""}`]);
  return {
    id: "activation", title: "Activation", name: row.value, quantized: row.quantized, sameAs: pair?.same_as ?? null, isWeight: false,
    scheme, params, reach, unclipped: unclippedOf(scheme, single), data, facts,
  };
}

function weight(rows: OpRows, row: WeightRow, index: number, known: Known): Tensor {
  const pair = rows.weightPairs.find((one) => one.quantized === row.quantized) ?? rows.weightPairs[index];
  const scheme = withBits(schemeOf(pair?.scheme), known.bits.get(row.weight) ?? known.bits.get(row.quantized.replace(/_quantized(_\d+)?$/, "")));
  const params = paramsOf(pair?.params);
  const single = params.length === 1 ? params[0] : undefined;
  const by = weightAlgorithm(known.recipe, row.op?.name ?? "", row.type);
  const axis = scheme?.axis === null || scheme?.axis === undefined ? "" : `, axis ${scheme.axis}`;
  const facts: [string, string][] = [
    ["Codes", scheme ? schemeText(scheme) : String(row.dtype ?? "–")],
    ["Granularity", `${String(row.granularity ?? "–").replaceAll("_", " ")}${axis}`],
  ];
  if (by) facts.push(["Range by", by]);
  facts.push(["Scale", pair?.in_blocks ? "one a block, in the model alone" : scalesText(params)]);
  if (!pair?.in_blocks) facts.push(["Zero point", zeroPointsText(params)]);
  const data = ends(row.reference?.min, row.reference?.max);
  if (data) facts.push(["Data reach", between(data)]);
  facts.push(["SQNR", `${decibels(real(row.sqnr_db))} dB of its rounding`]);
  if (row.channels > 1) {
    facts.push(["Worst channel", `${row.worst_channel}, ${decibels(real(row.worst_channel_sqnr_db))} dB`]);
    facts.push(["Spread", `${figure(real(row.channel_spread))} (widest over median channel)`]);
  }
  return {
    id: `weight ${index}`, title: rows.weights.length > 1 ? `Weight ${index + 1}` : "Weight", name: row.weight, quantized: row.quantized,
    sameAs: null, isWeight: true, scheme, params, reach: reachOf(scheme, single), unclipped: unclippedOf(scheme, single),
    data, facts,
  };
}

export function tensorsOf(rows: OpRows, row: ActivationRow | undefined, known: Known): Tensor[] {
  const first = row ? [activation(rows, row, known)] : [];
  return [...first, ...rows.weights.map((one, index) => weight(rows, one, index, known))];
}
