// SPDX-License-Identifier: Apache-2.0
// What int8 gains at an op against what it costs there in error, and the recipe that gives ops back to float.
import type { Schemas } from "../../api/client";
import { exactly, type BasketItem } from "../../base/basket";
import { microsecond, timeFigure, timeText, unitOf } from "../../base/durations";
import { gainOfAll, type Gain } from "../../base/gain";
import { decibels, percent, real } from "../../base/numbers";
import { shareMeaning } from "../../base/share";
import type { Column } from "../../base/table";
import { comparedLanguage, type Compared } from "../../base/compared";
import type { UnitTime } from "../../base/timed";
import { shownWork, type Work } from "../../base/work";

/** Ops that are computed as a unit. Fields of a compared row are those of the worst of them. */
export interface Point extends Compared {
  key: string;
  names: string[]; // of ops that an entry of a recipe would name
  gain: number; // of int8: microseconds, or multiply-adds where no times are known; NaN: not known
  detail: string; // what the gain is made of
  isInt8: boolean;
}

export type Unit = "us" | "multiply-adds";

/** Where gains come from. */
export interface Source {
  id: string;
  title: string;
  unit: Unit;
  total: number; // of the quantized model: a run's microseconds, or all multiply-adds
}

/** SQNR of ops of one unit as one: shares add up, of all else the worst counts. */
function joined(rows: readonly Compared[]): Compared | undefined {
  const [first, ...others] = [...rows].sort((a, b) => a.sqnr - b.sqnr);
  if (!first || others.length === 0) return first;
  const shares = rows.map((row) => row.share).filter((share) => !Number.isNaN(share));
  const locals = rows.map((row) => row.local).filter((local) => !Number.isNaN(local));
  return {
    ...first,
    share: shares.length > 0 ? shares.reduce((sum, share) => sum + share, 0) : NaN,
    local: locals.length > 0 ? Math.min(...locals) : NaN,
  };
}

export function byOp(compared: readonly Compared[]): Map<string, Compared[]> {
  const found = new Map<string, Compared[]>();
  for (const row of compared) {
    const known = found.get(row.id);
    if (known) known.push(row);
    else found.set(row.id, [row]);
  }
  return found;
}

/** As the axis has it, whose marks are powers of ten. */
const inMicroseconds = (us: number): string => timeText(us, microsecond);

/** Units of a profile that were compared, too. */
export function pointsOfTimes(units: readonly UnitTime[], rows: ReadonlyMap<string, Compared[]>): Point[] {
  return units.flatMap((unit, index) => {
    const own = unit.ops.flatMap((op) => rows.get(op.id) ?? []);
    const worst = joined(own);
    if (!worst) return [];
    const int8 = `${inMicroseconds(unit.kernels)} + ${inMicroseconds(unit.conversions)} conversions + ${inMicroseconds(unit.layouts)} layouts`;
    const detail = `float ${inMicroseconds(unit.reference)}, int8 ${int8}`;
    return [{ ...worst, key: String(index), names: namesOf(own), gain: unit.gain, detail, isInt8: unit.isQuantized }];
  });
}

/** Groups of prices.json; conversions lie between groups and are in none of them. */
export function pointsOfPrices(
  groups: readonly Partial<Schemas["GroupPrice"]>[],
  rows: ReadonlyMap<string, Compared[]>,
  isInt8: (id: string) => boolean,
): Point[] {
  return groups.flatMap((group, index) => {
    const ids = group.ops ?? [];
    const own = ids.flatMap((id) => rows.get(id) ?? []);
    const worst = joined(own);
    if (!worst || !group.seen_in_int8) return [];
    const [float, int8] = [real(group.float_us), real(group.int8_us)];
    const detail = `float ${inMicroseconds(float)}, int8 ${inMicroseconds(int8)}, conversions not counted`;
    return [{ ...worst, key: String(index), names: namesOf(own), gain: float - int8, detail, isInt8: ids.some(isInt8) }];
  });
}

/** Multiply-adds in place of times: int8 can gain most where most is multiplied. */
export function pointsOfWork(work: ReadonlyMap<string, Work>, rows: ReadonlyMap<string, Compared[]>, isInt8: (id: string) => boolean): Point[] {
  return [...rows].flatMap(([id, own]) => {
    const worst = joined(own);
    const count = work.get(id)?.count ?? 0;
    if (!worst || worst.type === "Input") return [];
    return [{ ...worst, key: id, names: namesOf(own), gain: count, detail: `${shownWork(count)} multiply-adds`, isInt8: isInt8(id) }];
  });
}

function namesOf(rows: readonly Compared[]): string[] {
  return [...new Set(rows.filter((row) => row.type !== "Input").map((row) => row.name))];
}

/** Precisions by op, as pairing.json has them; what it does not say counts as int8 where codes are made of the result. */
export function isInt8By(pairs: Schemas["TablePage"] | null, rows: ReadonlyMap<string, Compared[]>): (id: string) => boolean {
  const known = new Map<string, string>();
  const precisions = pairs?.columns["precision"] ?? [];
  (pairs?.columns["op.id"] ?? []).forEach((id, row) => {
    if (typeof precisions[row] === "string") known.set(String(id), precisions[row]);
  });
  return (id) => {
    const precision = known.get(id);
    if (precision !== undefined) return precision === "int8" || precision === "int16";
    return (rows.get(id) ?? []).some((row) => row.side !== "float");
  };
}

export type Harm = "share" | "local";

export const harms: readonly { id: Harm; title: string; meaning: string }[] = [
  { id: "share", title: "Output share", meaning: shareMeaning },
  { id: "local", title: "Local error", meaning: "error that the op makes by itself, as local SQNR: more error is higher" },
];

export function harmOf(point: Point, harm: Harm): number {
  return harm === "share" ? point.share : point.local;
}

export interface Borders {
  gain: number;
  harm: number;
}

/** Where the quadrants part: 0.5 % of a run (1 % of the multiply-adds); 5 % of the outputs' error, or 20 dB. */
export function bordersOf(source: Source, harm: Harm): Borders {
  return { gain: source.total * (source.unit === "us" ? 0.005 : 0.01), harm: harm === "share" ? 0.05 : 20 };
}

export function bordersText(source: Source, harm: Harm): string {
  const x = source.unit === "us" ? "0.5 % of a run" : "1 % of all multiply-adds";
  return `Quadrants part at ${x} and at ${harm === "share" ? "5 % of the outputs' error" : "20 dB local SQNR"}.`;
}

export type Quadrant = "keep" | "give back" | "both" | "neither";

export const quadrants: Record<Quadrant, string> = {
  keep: "keep in int8",
  "give back": "to float first",
  both: "pays, and harms",
  neither: "little difference",
};

/** Its name, and what is to be done. */
export function quadrantText(quadrant: Quadrant): string {
  return quadrant === "both" ? `${quadrants.both}: look for a better range` : quadrants[quadrant];
}

/** Empty where it does not fit into so many pixels. */
export function quadrantTitle(quadrant: Quadrant, width: number): string {
  return quadrants[quadrant].length * 6.6 <= width ? quadrants[quadrant] : "";
}

export function quadrantOf(point: Point, borders: Borders, harm: Harm): Quadrant | null {
  const bad = harmOf(point, harm);
  if (Number.isNaN(point.gain) || Number.isNaN(bad)) return null;
  const [pays, harmful] = [point.gain >= borders.gain, harm === "share" ? bad >= borders.harm : bad <= borders.harm];
  if (harmful) return pays ? "both" : "give back";
  return pays ? "keep" : "neither";
}

export function gainText(gain: number, unit: Unit): string {
  return unit === "us" ? inMicroseconds(gain) : `${shownWork(gain)} multiply-adds`;
}

export function figuresOf(point: Point, unit: Unit): [string, string][] {
  return [
    [unit === "us" ? "int8 gains" : "Work", gainText(point.gain, unit)],
    ["Output share", percent(point.share, 1)],
    ["Local SQNR", Number.isNaN(point.local) ? "–" : `${decibels(point.local)} dB`],
  ];
}

export interface Prediction {
  count: number; // of points in int8, which can be given back
  time: number; // that the model would take longer, by figures of single ops; NaN: no times
  error: Gain; // that would go
}

/** What it costs to compute these in float: an estimate, since neighbours share conversions and errors do not quite add up. */
export function predicted(points: readonly Point[], unit: Unit): Prediction {
  const own = points.filter((point) => point.isInt8);
  const gains = own.map((point) => point.gain).filter(Number.isFinite);
  const time = unit === "us" && gains.length > 0 ? gains.reduce((sum, gain) => sum + gain, 0) : NaN;
  return { count: own.length, time, error: gainOfAll(own.map(({ share }) => ({ share, interval: null, by: "estimated" }))) };
}

/** "about 13 µs slower (1.0 %)"; `wall`: microseconds of a run. */
export function slowerText(time: number, wall: number): string {
  const share = wall > 0 ? ` (${percent(Math.abs(time) / wall, 1)})` : "";
  return `about ${timeText(Math.abs(time), unitOf(time), 2)} ${time < 0 ? "faster" : "slower"}${share}`;
}

/** Null where none of them is in int8. */
export function itemOf(points: readonly Point[], unit: Unit, wall: number): BasketItem | null {
  const { count, time, error } = predicted(points, unit);
  if (count === 0) return null;
  const names = points.filter((point) => point.isInt8).flatMap((point) => point.names);
  const slower = Number.isNaN(time) ? "" : `, ${slowerText(time, wall)}`;
  return {
    id: "lasso",
    label: `${names.length === 1 ? names[0] : `${names.length} ops`} in float${slower}`,
    recipe: { op_name_dict: Object.fromEntries(names.map((name) => [exactly(name), "fp32"])) },
    gain: error.share,
    known: { interval: null, by: error.by },
  };
}

export function columnsOf(unit: Unit): Column<Point>[] {
  return [
    { id: "name", title: "Op", meaning: "name of the op", of: (point) => point.name, show: (point) => point.name, first: "up", width: 240 },
    { id: "gain", title: unit === "us" ? "Gain [µs]" : "Work", meaning: "what int8 gains there, conversions and layouts included",
      of: (point) => point.gain, show: (point) => (unit === "us" ? timeFigure(point.gain, microsecond) : shownWork(point.gain)), first: "down",
      width: 98 },
    { id: "share", title: "Output share", meaning: shareMeaning, of: (point) => point.share,
      show: (point) => percent(point.share, 1), first: "down", width: 128 },
    { id: "local", title: "Local [dB]", meaning: "signal over the error that is born here", of: (point) => point.local,
      show: (point) => decibels(point.local), first: "up", width: 92 },
    { id: "precision", title: "Now in", meaning: "what it is computed in", of: (point) => (point.isInt8 ? "int8" : "float"),
      show: (point) => (point.isInt8 ? "int8" : "float"), first: "up", width: 74 },
    { id: "type", title: "Type", meaning: "the operator", of: (point) => point.type, show: (point) => point.type, first: "up", width: 90 },
    { id: "detail", title: "Gain is", meaning: "what the gain is made of", of: (point) => point.detail, show: (point) => point.detail, first: "up",
      width: 320, isExtra: true },
  ];
}

export const language = comparedLanguage<Point>([
  { names: ["gain"], meaning: "what int8 gains there", number: (point) => point.gain },
  { names: ["precision"], meaning: "what it is computed in", text: (point) => (point.isInt8 ? "int8" : "float") },
]);
