// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../api/client";
import { decibels, figure, interval, percent, real, type Interval, type Real } from "../../base/numbers";
import { languageOf, type Column } from "../../base/table";

/** A row of the op table: one value whose codes were compared. */
export interface Op {
  id: string;
  name: string;
  type: string;
  pattern: string;
  value: string;
  quantized: string;
  side: string;
  sqnr: number;
  sqnrInterval: Interval | null;
  drop: number;
  local: number;
  share: number;
  shareInterval: Interval | null;
  mse: number;
  cosine: number;
  clip: number;
  min: number;
  max: number;
  range: number;
  maxError: number;
  normalized: number; // MSE as the predecessors have it
  worst: number; // SQNR of the worst channel
  rank: number | null; // shared by rows that the samples cannot tell apart
}

/** The stored columns that make a row. */
export const asked = [
  "op.id", "op.name", "type", "pattern", "value", "quantized", "side", "sqnr_db",
  "sqnr_db_interval", "sqnr_drop_db", "local_sqnr_db", "output_share", "output_share_interval", "mse", "cosine", "clip_rate",
  "min", "max", "data_range", "max_abs_error", "rank",
  "mse_normalized", "worst_channel_sqnr_db",
] as const;

export function opsOf(table: Schemas["TablePage"]): Op[] {
  const cells = (name: (typeof asked)[number]) => (table.columns[name] ?? []) as unknown[];
  const [ids, names, types, patterns, values, quantized, sides, sqnrs, sqnrIntervals, drops, locals, shares,
    shareIntervals, mses, cosines, clips, mins, maxs, ranges, errors, ranks,
    normalized, worst] = asked.map(cells) as unknown[][];
  const at = (column: unknown[] | undefined, row: number) => real(column?.[row] as Real);
  const span = (column: unknown[] | undefined, row: number) => interval(column?.[row] as Real[] | null);
  return (ids ?? []).map((id, row) => ({
    id: String(id),
    name: String(names?.[row]),
    type: String(types?.[row]),
    pattern: ((patterns?.[row] ?? []) as string[]).join(" "),
    value: String(values?.[row]),
    quantized: String(quantized?.[row]),
    side: String(sides?.[row]),
    sqnr: at(sqnrs, row),
    sqnrInterval: span(sqnrIntervals, row),
    drop: at(drops, row),
    local: at(locals, row),
    share: at(shares, row),
    shareInterval: span(shareIntervals, row),
    mse: at(mses, row),
    cosine: at(cosines, row),
    clip: at(clips, row),
    min: at(mins, row),
    max: at(maxs, row),
    range: at(ranges, row),
    maxError: at(errors, row),
    normalized: at(normalized, row),
    worst: at(worst, row),
    rank: typeof ranks?.[row] === "number" ? (ranks[row] as number) : null,
  }));
}

export const columns: readonly Column<Op>[] = [
  { id: "name", title: "Op", meaning: "name of the op", of: (op) => op.name, show: (op) => op.name, first: "up", width: 240 },
  { id: "type", title: "Type", meaning: "the operator", of: (op) => op.type, show: (op) => op.type, first: "up", width: 146 },
  { id: "sqnr", title: "SQNR [dB]", meaning: "signal over error here, all errors before it included", of: (op) => op.sqnr,
    show: (op) => decibels(op.sqnr), whisker: (op) => op.sqnrInterval, first: "up", width: 122 },
  { id: "drop", title: "Drop [dB]", meaning: "how far SQNR falls at this op", of: (op) => op.drop, show: (op) => decibels(op.drop),
    first: "down", width: 92 },
  { id: "local", title: "Local [dB]", meaning: "signal over the error that is born here", of: (op) => op.local,
    show: (op) => decibels(op.local), first: "up", width: 96 },
  { id: "share", title: "Output share", meaning: "part of the outputs' error that begins here", of: (op) => op.share,
    show: (op) => percent(op.share, 1), whisker: (op) => op.shareInterval, first: "down", width: 140 },
  { id: "mse", title: "MSE", meaning: "mean squared error", of: (op) => op.mse, show: (op) => figure(op.mse), first: "down", width: 92 },
  { id: "cosine", title: "Cosine", meaning: "cosine similarity", of: (op) => op.cosine, show: (op) => figure(op.cosine, 5),
    first: "up", width: 92 },
  { id: "clip", title: "Clipped", meaning: "part of the values that lie outside of the range", of: (op) => op.clip,
    show: (op) => percent(op.clip, 2), first: "down", width: 92 },
  { id: "min", title: "Min", meaning: "least value of the reference", of: (op) => op.min, show: (op) => figure(op.min), first: "up", width: 84 },
  { id: "max", title: "Max", meaning: "greatest value of the reference", of: (op) => op.max, show: (op) => figure(op.max), first: "down", width: 84 },
  { id: "range", title: "Data range", meaning: "greatest minus least value", of: (op) => op.range, show: (op) => figure(op.range), first: "down", width: 106 },
  { id: "error", title: "Max error", meaning: "greatest absolute error of an element", of: (op) => op.maxError, show: (op) => figure(op.maxError),
    first: "down", width: 92, isExtra: true },
  { id: "worst", title: "Worst channel [dB]", meaning: "SQNR of the channel with most error", of: (op) => op.worst, show: (op) => decibels(op.worst),
    first: "up", width: 162, isExtra: true },
  { id: "normalized", title: "MSE normalized", meaning: "the predecessors' figure: each side rescaled by its own range; blind to wrong scales",
    of: (op) => op.normalized, show: (op) => figure(op.normalized), first: "down", width: 130, isExtra: true },
  { id: "pattern", title: "Pattern", meaning: "the ops that are one with it", of: (op) => op.pattern, show: (op) => op.pattern, first: "up", width: 180,
    isExtra: true },
  { id: "value", title: "Value", meaning: "the tensor that was compared", of: (op) => op.value, show: (op) => op.value, first: "up", width: 200,
    isExtra: true },
  { id: "side", title: "Side", meaning: "where its codes come from", of: (op) => op.side, show: (op) => op.side.replaceAll("_", " "), first: "up",
    width: 110, isExtra: true },
];

export const language = languageOf<Op>(
  (op) => op.name,
  [
    { names: ["type", "kind"], meaning: "the operator", text: (op) => op.type },
    { names: ["pattern"], meaning: "the ops that are one with it", text: (op) => op.pattern },
    { names: ["side"], meaning: "where its codes come from", text: (op) => op.side },
  ],
  columns,
);
