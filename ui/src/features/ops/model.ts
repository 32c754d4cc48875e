// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../api/client";
import { comparedColumns, comparedOf, comparedTexts, type Compared } from "../../base/compared";
import { numberOf, spanOf } from "../../base/loose";
import { decibels, figure, fixed, percent, type Interval } from "../../base/numbers";
import { shareMeaning } from "../../base/share";
import { languageOf, type Column } from "../../base/table";

/** A row of the op table: one value whose codes were compared. */
export interface Op extends Compared {
  shareInterval: Interval | null;
  maxError: number;
  normalized: number; // MSE as the predecessors have it
  worst: number; // SQNR of the worst channel
  rank: number | null; // shared by rows that the samples cannot tell apart
}

/** The stored columns that make a row. */
export const asked = [
  ...comparedColumns, "output_share_interval", "max_abs_error", "rank", "mse_normalized", "worst_channel_sqnr_db",
] as const;

export function opsOf(table: Schemas["TablePage"]): Op[] {
  const cells = (name: (typeof asked)[number]) => (table.columns[name] ?? []) as unknown[];
  const [spans, errors, ranks] = [cells("output_share_interval"), cells("max_abs_error"), cells("rank")];
  const [normalized, worst] = [cells("mse_normalized"), cells("worst_channel_sqnr_db")];
  return comparedOf(table).map((compared, row) => ({
    ...compared,
    shareInterval: spanOf(spans[row]),
    maxError: numberOf(errors[row]),
    normalized: numberOf(normalized[row]),
    worst: numberOf(worst[row]),
    rank: typeof ranks[row] === "number" ? (ranks[row] as number) : null,
  }));
}

export const columns: readonly Column<Op>[] = [
  { id: "name", title: "Op", meaning: "name of the op", of: (op) => op.name, show: (op) => op.name, first: "up", width: 200 },
  { id: "type", title: "Type", meaning: "the operator", of: (op) => op.type, show: (op) => op.type, first: "up", width: 140 },
  { id: "sqnr", title: "SQNR [dB]", meaning: "signal over error here, all errors before it included", of: (op) => op.sqnr,
    show: (op) => decibels(op.sqnr), whisker: (op) => op.sqnrInterval, first: "up", width: 122 },
  { id: "share", title: "Output share", meaning: shareMeaning, of: (op) => op.share, show: (op) => percent(op.share, 1),
    whisker: (op) => op.shareInterval, first: "down", width: 128 },
  { id: "drop", title: "Drop [dB]", meaning: "how far SQNR falls at this op", of: (op) => op.drop, show: (op) => decibels(op.drop),
    first: "down", width: 92 },
  { id: "local", title: "Local [dB]", meaning: "signal over the error that is born here", of: (op) => op.local,
    show: (op) => decibels(op.local), first: "up", width: 96 },
  { id: "mse", title: "MSE", meaning: "mean squared error", of: (op) => op.mse, show: (op) => figure(op.mse), first: "down", width: 92 },
  { id: "cosine", title: "Cosine", meaning: "cosine similarity", of: (op) => op.cosine, show: (op) => fixed(op.cosine, 5),
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
  comparedTexts(),
  columns,
);
