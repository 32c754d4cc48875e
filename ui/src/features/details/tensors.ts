// SPDX-License-Identifier: Apache-2.0
// The tensors of an op, with what is known of their codes: as they were compared, or as they are planned.
import { decibels, figure, interval, real, type Interval, type Real } from "../../base/numbers";
import { weightAlgorithm, type Known } from "./chosen";
import { paramsOf, reachOf, scalesText, schemeOf, schemeText, unclippedOf, zeroPointsText, type Params, type Scheme } from "./codes";
import type { ActivationRow, OpRows, WeightRow } from "./model";
import { shareBetween, shareOf } from "../../base/share";
import { between } from "./text";

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

/** By plan.json: the least and greatest codes may be left out on purpose (reduce_range). */
function withBits(scheme: Scheme | null, bits: number | undefined): Scheme | null {
  return scheme && bits && bits < scheme.bits ? { ...scheme, bits } : scheme;
}

function ends(low: Real, high: Real): Interval | null {
  return interval([low, high]);
}

type Facts = [string, string][];

/** Whether there is one scale, for a channel of this axis, or a block. */
function granularityText(word: string, scheme: Scheme | null): string {
  return `${word.replaceAll("_", " ")}${typeof scheme?.axis === "number" ? `, axis ${scheme.axis}` : ""}`;
}

function activation(rows: OpRows, row: ActivationRow, known: Known): Tensor {
  const pair = rows.pairs.find((one) => one.reference === row.value && one.quantized === row.quantized);
  const scheme = schemeOf(pair?.scheme);
  const ofChannels = paramsOf(pair?.channel_params);
  const params = ofChannels.length > 1 ? ofChannels : paramsOf(pair?.params);
  const single = params.length === 1 ? params[0] : undefined;
  const data = ends(row.min, row.max);
  const sameAs = typeof pair?.same_as === "number" ? pair.same_as : null;
  const facts: Facts = scheme ? ofActivation(scheme, params, rangeText(row.value, sameAs !== null, known))
    : [["Codes", "none: what is compared are floats"]];
  if (data) facts.push(["Data reach", between(data)]);
  const clipped = real(row.clip_rate);
  const clip = interval(row.clip_rate_interval as Real[] | null);
  if (scheme && Number.isFinite(clipped)) facts.push(["Clipped", `${shareOf(clipped)}${clip ? ` (${shareBetween(clip)})` : ""}`]);
  return {
    id: "activation", title: "Activation", name: row.value, quantized: row.quantized, sameAs, isWeight: false,
    scheme, params, reach: reachOf(scheme, single), unclipped: unclippedOf(scheme, single), data, facts,
  };
}

function ofActivation(scheme: Scheme, params: Params[], by: string): Facts {
  const reach = params.length === 1 ? reachOf(scheme, params[0]) : null;
  return [
    ["Codes", schemeText(scheme)],
    ["Granularity", params.length > 1 ? granularityText("per_channel", scheme) : "per tensor"],
    ...(reach ? [["Codes reach", between(reach)] as [string, string]] : []),
    ["Range by", by],
    ["Scale", scalesText(params)],
    ["Zero point", zeroPointsText(params)],
  ];
}

function rangeText(value: string, isMoved: boolean, known: Known): string {
  return known.ranges.get(value)?.by || (isMoved ? "that of its source, which it only moves" : "not stored");
}

function weight(rows: OpRows, row: WeightRow, index: number, known: Known): Tensor {
  const pair = rows.weightPairs.find((one) => one.quantized === row.quantized) ?? rows.weightPairs[index];
  const scheme = withBits(schemeOf(pair?.scheme), known.bits.get(row.weight) ?? known.bits.get(row.quantized.replace(/_quantized(_\d+)?$/, "")));
  const params = paramsOf(pair?.params);
  const single = params.length === 1 ? params[0] : undefined;
  const by = weightAlgorithm(known.recipe, row.op?.name ?? "", row.type);
  const data = ends(row.reference?.min, row.reference?.max);
  const facts: Facts = [
    ["Codes", scheme ? schemeText(scheme) : String(row.dtype ?? "–")],
    ["Granularity", granularityText(String(row.granularity ?? "–"), scheme)],
  ];
  if (by) facts.push(["Range by", by]);
  facts.push(["Scale", pair?.in_blocks ? "one a block, in the model alone" : scalesText(params)]);
  if (!pair?.in_blocks) facts.push(["Zero point", zeroPointsText(params)]);
  if (data) facts.push(["Data reach", between(data)]);
  facts.push(["SQNR", `${decibels(real(row.sqnr_db))} dB of its rounding`]);
  if (row.channels > 1) {
    facts.push(["Worst channel", `${row.worst_channel}, ${decibels(real(row.worst_channel_sqnr_db))} dB`]);
    facts.push(["Spread", `${figure(real(row.channel_spread))} (widest over median channel)`]);
  }
  return {
    id: `weight ${index}`, title: rows.weights.length > 1 ? `Weight ${index + 1}` : "Weight", name: row.weight, quantized: row.quantized,
    sameAs: null, isWeight: true, scheme, params, reach: reachOf(scheme, single), unclipped: unclippedOf(scheme, single), data, facts,
  };
}

export function tensorsOf(rows: OpRows, row: ActivationRow | undefined, known: Known): Tensor[] {
  const first = row ? [activation(rows, row, known)] : [];
  return [...first, ...rows.weights.map((one, index) => weight(rows, one, index, known))];
}

/** Pages of plan.activations, plan.weights_quantized and plan.ops. */
export interface Planned {
  activations: unknown;
  weights: unknown;
  ops: unknown;
}

function rowsIn(page: unknown): Record<string, unknown>[] {
  const columns = (page as { columns?: Record<string, unknown> } | null)?.columns ?? {};
  const lists = Object.entries(columns).filter((one): one is [string, unknown[]] => Array.isArray(one[1]));
  return (lists[0]?.[1] ?? []).map((_, index) => Object.fromEntries(lists.map(([name, list]) => [name, list[index]])));
}

/** Codes of an op that was not compared, as its plan has them: facts alone, as nothing was counted. */
export function plannedOf(rows: OpRows, planned: Planned, known: Known): Tensor[] {
  const plan = rows.plan[0];
  if (!plan) return [];
  const value = plan.members?.at(-1) ?? rows.graph[0]?.outputs?.[0];
  const bare = { quantized: "", sameAs: null, reach: null, unclipped: null, data: null };
  const tensors: Tensor[] = [];
  for (const row of rowsIn(planned.activations)) {
    const [scheme, params] = [schemeOf(row["scheme"] as Parameters<typeof schemeOf>[0]), paramsOf(row["params"])];
    if (row["value"] !== value || !scheme || tensors.length > 0) continue; // a value that has codes twice is shown once
    const facts = ofActivation(scheme, params, rangeText(String(value), false, known));
    tensors.push({ ...bare, id: "activation", title: "Activation", name: String(value), isWeight: false, scheme, params, facts });
  }
  for (const row of rowsIn(planned.weights)) {
    const [scheme, params] = [schemeOf(row["scheme"] as Parameters<typeof schemeOf>[0]), paramsOf(row["params"])];
    const uses = Array.isArray(row["uses"]) ? (row["uses"] as { op?: string }[]) : [];
    if (!scheme || scheme.dtype === "int32" || !uses.some((use) => use?.op === plan.op?.id)) continue;
    const facts: Facts = [
      ["Codes", schemeText(scheme)],
      ["Granularity", granularityText(params.length > 1 ? "per_channel" : "per_tensor", scheme)],
      ["Range by", weightAlgorithm(known.recipe, plan.op?.name ?? "", plan.type) || "not stored"],
      ["Scale", scalesText(params)],
      ["Zero point", zeroPointsText(params)],
    ];
    tensors.push({ ...bare, id: `weight ${tensors.length}`, title: "Weight", name: String(row["weight"]), isWeight: true, scheme, params, facts });
  }
  return tensors;
}

export interface Owner {
  id: string;
  name: string;
  value: string; // its compared row
}

/** The op that this one is computed as one with, whose figures hold for both; null where there is none. */
export function ownerOf(op: string, planned: Planned): Owner | null {
  for (const row of rowsIn(planned.ops)) {
    const members = Array.isArray(row["members"]) ? (row["members"] as unknown[]).map(String) : [];
    const id = String(row["op.id"] ?? "");
    if (id !== "" && id !== op && members.includes(op)) return { id, name: String(row["op.name"] ?? id), value: members.at(-1)! };
  }
  return null;
}
