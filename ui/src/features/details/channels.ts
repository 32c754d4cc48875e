// SPDX-License-Identifier: Apache-2.0
// Figures of all channels of a tensor, worst first, as rows of a heat map.
import { decibels, figure, real, type Real } from "../../base/numbers";
import { csvOf } from "../../base/table";

export interface Channel {
  channel: number;
  min: number;
  max: number;
  mean: number;
  deviation: number;
  sqnr: number;
  mse: number;
}

export interface Channels {
  all: Channel[]; // worst first
  counted: ReadonlySet<number>; // that have histograms of their own
  has: ReadonlySet<Field>;
  total: number; // that there are; more than `all` where they were too many to be sent
}

export type Field = Exclude<keyof Channel, "channel">;

const fields: readonly (readonly [Field, string])[] = [
  ["min", "min"], ["max", "max"], ["mean", "mean"], ["deviation", "standard_deviation"], ["sqnr", "sqnr_db"], ["mse", "mse"],
];

/** Null where nothing is stored by channel. What is not known comes last. */
export function channelsOf(answer: unknown): Channels | null {
  const given = (answer && typeof answer === "object" ? answer : {}) as Record<string, unknown>;
  const numbers = Array.isArray(given["channels"]) ? (given["channels"] as number[]) : [];
  if (numbers.length === 0) return null;
  const has = new Set<Field>();
  const lists = fields.map(([field, name]) => {
    const list = given[name];
    if (!Array.isArray(list) || list.length !== numbers.length) return null;
    if (list.some((one) => !Number.isNaN(real(one as Real)))) has.add(field);
    return list as Real[];
  });
  const all = numbers.map((channel, index) => {
    const at = (field: number) => real(lists[field]?.[index]);
    return { channel, min: at(0), max: at(1), mean: at(2), deviation: at(3), sqnr: at(4), mse: at(5) };
  });
  const total = typeof given["total"] === "number" ? given["total"] : 0;
  const histograms = Array.isArray(given["histograms"]) ? (given["histograms"] as number[]) : [];
  return { all: worstFirst(all, has), counted: new Set(histograms), has, total: Math.max(total, all.length) };
}

function worstFirst(all: Channel[], has: ReadonlySet<Field>): Channel[] {
  const badness = has.has("sqnr") ? (one: Channel) => -one.sqnr : has.has("mse") ? (one: Channel) => one.mse : null;
  if (!badness) return all;
  return [...all].sort((a, b) => {
    const [x, y] = [badness(a), badness(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a.channel - b.channel;
    return x === y ? a.channel - b.channel : y - x;
  });
}

export interface HeatRow {
  field: Field;
  title: string;
  meaning: string;
  isSigned: boolean;
}

export const heatRows: readonly HeatRow[] = [
  { field: "min", title: "Min", meaning: "least value", isSigned: true },
  { field: "max", title: "Max", meaning: "greatest value", isSigned: true },
  { field: "mean", title: "Mean", meaning: "mean of the values", isSigned: true },
  { field: "deviation", title: "Std", meaning: "standard deviation of the values", isSigned: false },
  { field: "sqnr", title: "SQNR", meaning: "signal over error [dB]: the stronger the colour, the worse", isSigned: false },
];

/** How to shade a field: 0..1 by figure, relative to all channels. NaN where there is no figure. */
export function shadeOf(all: readonly Channel[], { field }: HeatRow): (one: Channel) => number {
  let [low, high] = [Infinity, -Infinity];
  for (const one of all) {
    const value = one[field];
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (field === "sqnr") {
    return (one) => (Number.isNaN(one.sqnr) ? NaN : Math.min(1, Math.max(0, high > low ? (high - one.sqnr) / (high - low) : one.sqnr < low ? 1 : 0)));
  }
  const most = Math.max(Math.abs(low), Math.abs(high));
  // By the square root: beside an outlier the others can still be told from each other.
  return (one) => (!Number.isFinite(one[field]) ? NaN : most > 0 ? Math.sqrt(Math.abs(one[field]) / most) : 0);
}

export function channelText(one: Channel): string {
  const told = [
    ["SQNR", one.sqnr, `${decibels(one.sqnr)} dB`],
    ["MSE", one.mse, figure(one.mse)],
    ["min", one.min, figure(one.min)],
    ["max", one.max, figure(one.max)],
    ["mean", one.mean, figure(one.mean)],
    ["std", one.deviation, figure(one.deviation)],
  ] as const;
  const known = told.filter(([, value]) => !Number.isNaN(value)).map(([name, , text]) => `${name} ${text}`);
  return `Channel ${one.channel}: ${known.length > 0 ? known.join(", ") : "no finite element"}`;
}

export function channelsCsv(all: readonly Channel[]): string {
  return csvOf(["Channel", "Min", "Max", "Mean", "Std", "SQNR [dB]", "MSE"],
    all.map((one) => [one.channel, one.min, one.max, one.mean, one.deviation, one.sqnr, one.mse]));
}

/** Channels of which histograms are drawn at first: the worst of the counted ones. */
export function firstOf(counted: readonly number[], channels: Channels | null, most: number): number[] {
  if (counted.length <= most || !channels) return counted.slice(0, most);
  const wanted = new Set(counted);
  return channels.all.map((one) => one.channel).filter((one) => wanted.has(one)).slice(0, most);
}
