// SPDX-License-Identifier: Apache-2.0
// What an op's own error is made of, and how it compares with what arrives at it.
import { decibels, figure, interval, percent, real, type Interval, type Real } from "../../base/numbers";
import { shareBetween, shareBriefly } from "../../base/share";
import { csvOf } from "../../base/table";
import type { ActivationRow } from "./model";
import { between } from "./text";

export interface Part {
  id: string;
  name: string;
  meaning: string;
  mse: number;
  share: number; // of all parts, 0..1
  from: number; // where it begins in the waterfall, 0..1
  alone: number; // SQNR if it were the only one [dB]
}

const kinds = [
  ["rounding", "Rounding", "rounding of its result to codes", "rounding_mse"],
  ["clipping", "Clipping", "values beyond the range of its codes", "clipping_mse"],
  ["weight", "Weight", "rounding of its weight", "weight_mse"],
  ["input", "Inputs", "codes of what it reads", "input_mse"],
  ["other", "Other", "what the others do not explain: bias, attributes, arithmetic", "other_mse"],
] as const;

/** In the order in which they arise; their shares add up to 1. None where no local error was measured. */
export function partsOf(row: ActivationRow | undefined): Part[] {
  if (!row) return [];
  const known = kinds.filter(([, , , field]) => !Number.isNaN(real(row[field])));
  const sizes = known.map(([, , , field]) => Math.max(0, real(row[field])));
  const sum = sizes.reduce((total, one) => total + one, 0);
  if (!(sum > 0) || !Number.isFinite(sum)) return [];
  const energy = real(row.local_mse) * 10 ** (real(row.local_sqnr_db) / 10);
  let from = 0;
  return known.map(([id, name, meaning], index) => {
    const mse = sizes[index]!;
    const part = { id, name, meaning, mse, share: mse / sum, from, alone: mse > 0 ? 10 * Math.log10(energy / mse) : Infinity };
    from += part.share;
    return part;
  });
}

export function partsCsv(parts: readonly Part[]): string {
  return csvOf(["Part", "MSE", "Share", "SQNR if alone [dB]"], parts.map((part) => [part.name, part.mse, part.share, part.alone]));
}

/** Why there is no local error. */
export function whyNoParts(row: ActivationRow | undefined): string {
  if (!row) return "No activation of this op was compared, so that nothing is known of its error.";
  if (Number.isNaN(real(row.local_mse))) {
    return "Its local error was not measured: its elements are only moved, or the run left local errors out (--local 0).";
  }
  return real(row.local_mse) === 0 ? "It makes no error of its own." : "The parts of its local error are not stored.";
}

export interface Figure {
  id: string;
  name: string;
  meaning: string;
  text: string;
  value: number;
  interval: Interval | null;
  between: string;
}

const apportioned = `${shareBriefly}; a finding may have measured how much goes away in float`;

/** The figures of a row that people decide by. */
export function figuresOf(row: ActivationRow): Figure[] {
  const span = (stored: unknown) => interval(stored as Real[] | null | undefined);
  const db = (ends: Interval) => `${decibels(ends[0])} to ${decibels(ends[1])}`;
  type Shown = readonly [one: (value: number) => string, both: (ends: Interval) => string];
  const dbs: Shown = [decibels, db];
  const shares: Shown = [(value) => percent(value, 1), shareBetween];
  const figures = (digits: number): Shown => [(value) => figure(value, digits), (ends) => between(ends, digits)];
  const make = (id: string, name: string, meaning: string, stored: Real, ends: unknown, [one, both]: Shown): Figure => {
    const [value, range] = [real(stored), span(ends)];
    return { id, name, meaning, value, text: one(value), interval: range, between: range ? both(range) : "" };
  };
  return [
    make("sqnr", "SQNR [dB]", "accumulated: all errors before it included", row.sqnr_db, row.sqnr_db_interval, dbs),
    make("local", "Local SQNR [dB]", "of the op alone: it reads the reference's values in its own codes", row.local_sqnr_db,
      row.local_sqnr_db_interval, dbs),
    make("drop", "SQNR drop [dB]", "how far SQNR falls at this op", row.sqnr_drop_db, null, dbs),
    make("share", "Output share", apportioned, row.output_share, row.output_share_interval, shares),
    make("mse", "MSE", "mean squared error, accumulated", row.mse, row.mse_interval, figures(3)),
    make("cosine", "Cosine", "cosine similarity, accumulated", row.cosine, row.cosine_interval, figures(5)),
  ].filter((one) => !Number.isNaN(one.value));
}

/** Where the error that is seen here comes from, in one sentence; empty where that is not known. */
export function originOf(row: ActivationRow): string {
  const [mse, local, input] = [real(row.mse), real(row.local_mse), real(row.input_mse)];
  if (!(mse > 0) || !Number.isFinite(mse) || Number.isNaN(local)) return "";
  const own = Math.max(0, local - (Number.isNaN(input) ? 0 : input)) / mse;
  if (own >= 0.95) return "Nearly all of the error here begins at this op.";
  return `${own < 0.01 ? "Less than 1 %" : `About ${percent(own)}`} of the error here begins at this op; the rest comes from ops before it.`;
}

export interface Sample {
  name: string;
  share: number;
}

export function samplesOf(row: ActivationRow | undefined): Sample[] {
  const stored: unknown = row?.worst_samples;
  if (!Array.isArray(stored)) return [];
  return (stored as { sample?: number; name?: string; share?: Real }[])
    .map((one) => ({ name: one?.name || `sample ${one?.sample ?? "–"}`, share: real(one?.share) }))
    .sort((a, b) => (Number.isNaN(b.share) ? -1 : b.share) - (Number.isNaN(a.share) ? -1 : a.share));
}
