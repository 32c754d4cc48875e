// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from "../../api/client";
import { decibels, figure, real, type Real } from "../../base/numbers";
import { languageOf, type Column } from "../../base/table";

export interface Weight {
  id: string; // of its op
  name: string;
  type: string;
  weight: string;
  dtype: string;
  granularity: string;
  sqnr: number;
  mse: number;
  min: number;
  max: number;
  mean: number;
  deviation: number;
  spread: number;
  worst: number;
}

/** The stored columns that make a row. */
export const asked = [
  "op.id", "op.name", "type", "weight", "dtype", "granularity", "sqnr_db", "mse", "reference.min", "reference.max", "reference.mean",
  "reference.standard_deviation", "channel_spread", "worst_channel_sqnr_db",
] as const;

export function weightsOf(table: Schemas["TablePage"]): Weight[] {
  const column = (name: (typeof asked)[number]) => (table.columns[name] ?? []) as unknown[];
  const text = (name: (typeof asked)[number], row: number) => String(column(name)[row] ?? "");
  const number = (name: (typeof asked)[number], row: number) => real(column(name)[row] as Real);
  return column("op.id").map((id, row) => ({
    id: String(id),
    name: text("op.name", row),
    type: text("type", row),
    weight: text("weight", row),
    dtype: text("dtype", row),
    granularity: text("granularity", row).replaceAll("_", " "),
    sqnr: number("sqnr_db", row),
    mse: number("mse", row),
    min: number("reference.min", row),
    max: number("reference.max", row),
    mean: number("reference.mean", row),
    deviation: number("reference.standard_deviation", row),
    spread: number("channel_spread", row),
    worst: number("worst_channel_sqnr_db", row),
  }));
}

export const columns: readonly Column<Weight>[] = [
  { id: "name", title: "Op", meaning: "name of the op", of: (row) => row.name, show: (row) => row.name, first: "up", width: 180 },
  { id: "weight", title: "Weight", meaning: "name of the weight", of: (row) => row.weight, show: (row) => row.weight, first: "up", width: 128 },
  { id: "codes", title: "Codes", meaning: "dtype and granularity", of: (row) => `${row.dtype}, ${row.granularity}`,
    show: (row) => `${row.dtype}, ${row.granularity}`, first: "up", width: 124 },
  { id: "sqnr", title: "SQNR [dB]", meaning: "signal over the error of rounding", of: (row) => row.sqnr, show: (row) => decibels(row.sqnr),
    first: "up", width: 106 },
  { id: "worst", title: "Worst channel [dB]", meaning: "SQNR of the channel that has least", of: (row) => row.worst,
    show: (row) => decibels(row.worst), first: "up", width: 162 },
  { id: "spread", title: "Spread", meaning: "widest channel over the median one", of: (row) => row.spread, show: (row) => figure(row.spread),
    first: "down", width: 76 },
  { id: "mse", title: "MSE", meaning: "mean squared error", of: (row) => row.mse, show: (row) => figure(row.mse), first: "down", width: 78 },
  { id: "min", title: "Min", meaning: "least element", of: (row) => row.min, show: (row) => figure(row.min), first: "up", width: 76 },
  { id: "max", title: "Max", meaning: "greatest element", of: (row) => row.max, show: (row) => figure(row.max), first: "down", width: 76 },
  { id: "mean", title: "Mean", meaning: "mean of the elements", of: (row) => row.mean, show: (row) => figure(row.mean), first: "down", width: 76 },
  { id: "deviation", title: "Std. dev.", meaning: "standard deviation of the elements", of: (row) => row.deviation, show: (row) => figure(row.deviation),
    first: "down", width: 76 },
];

export const language = languageOf<Weight>(
  (row) => row.name,
  [
    { names: ["type", "kind"], meaning: "the operator", text: (row) => row.type },
    { names: ["weight"], meaning: "name of the weight", text: (row) => row.weight },
    { names: ["codes"], meaning: "dtype and granularity", text: (row) => `${row.dtype}, ${row.granularity}` },
  ],
  columns,
);
