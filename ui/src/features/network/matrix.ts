// SPDX-License-Identifier: Apache-2.0
// Equal blocks beside each other: a row is an op of the block, a column a block.
import { decibels, percent } from "../../base/numbers";
import { shareBriefly } from "../../base/share";
import { csv, type Column } from "../../base/table";
import type { Group } from "./blocks";
import type { Step } from "./model";

export interface Matrix {
  title: string;
  meaning: string;
  rows: { title: string; cells: (Step | null)[] }[];
  columns: { title: string; name: string }[];
}

/** Whether a value has no error of its own, as an op only moved it. (Where local errors were not measured, nobody knows.) */
export function isMoved(step: Step): boolean {
  return Number.isNaN(step.local) && !(Math.abs(step.drop) >= 0.05);
}

/** Rows and columns in which something was compared; of an op with several values the worst. */
export function matrixOf(group: Group, steps: readonly Step[], withMoved = true): Matrix {
  const at = new Map<number, Step>();
  for (const step of steps) {
    const known = at.get(step.place);
    if (step.place >= 0 && (!known || step.sqnr < known.sqnr)) at.set(step.place, step);
  }
  const cell = (op: number | null | undefined) => (op === null || op === undefined ? null : (at.get(op) ?? null));
  const units = group.units.filter((unit) => unit.ops.some((op) => cell(op) !== null));
  const rows = group.rows
    .map((title, row) => ({ title, cells: units.map((unit) => cell(unit.ops[row])) }))
    .filter((row) => row.cells.some((one) => one !== null && (withMoved || !isMoved(one))));
  return { title: group.title, meaning: group.meaning, rows, columns: units.map(({ label, name }) => ({ title: label, name })) };
}

export type FigureId = "sqnr" | "local" | "drop" | "share";

interface FigureKind {
  id: FigureId;
  title: string;
  meaning: string;
  of: (step: Step) => number;
  show: (value: number) => string;
  unit: string;
  isWorseLow: boolean;
}

export const figureKinds: readonly FigureKind[] = [
  { id: "sqnr", title: "SQNR", meaning: "signal over error here, all errors before it included, in dB", of: (step) => step.sqnr, show: decibels,
    unit: " dB", isWorseLow: true },
  { id: "local", title: "Local", meaning: "signal over the error that the op makes by itself, in dB", of: (step) => step.local, show: decibels,
    unit: " dB", isWorseLow: true },
  { id: "drop", title: "Drop", meaning: "how far SQNR falls at the op, in dB", of: (step) => step.drop, show: decibels,
    unit: " dB", isWorseLow: false },
  { id: "share", title: "Output share", meaning: shareBriefly, of: (step) => step.share,
    show: (value) => percent(value, 1), unit: "", isWorseLow: false },
];

export function kindOf(id: string | undefined): FigureKind {
  return figureKinds.find((kind) => kind.id === id) ?? figureKinds[0]!;
}

/** Figures between which cells are coloured. */
export interface Span {
  best: number;
  worst: number;
  isCut: boolean; // there are figures beyond the best
}

/** The best and the worst finite figure; null where there is none. Better than 40 dB, or than no fall at all, is as good. */
export function spanOf(matrix: Matrix, kind: FigureKind): Span | null {
  let [low, high, hasInfinite] = [Infinity, -Infinity, false];
  for (const row of matrix.rows) {
    for (const step of row.cells) {
      const value = step ? kind.of(step) : NaN;
      hasInfinite ||= value === Infinity;
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return null;
  const best = kind.isWorseLow ? Math.min(high, Math.max(40, low)) : Math.max(0, low);
  return { best, worst: kind.isWorseLow ? low : Math.max(0, high), isCut: kind.isWorseLow ? hasInfinite || high > best : low < best };
}

/** 0: as good as the best, 1: the worst; NaN where there is no figure. */
export function badness(value: number, span: Span | null): number {
  if (Number.isNaN(value) || !span) return NaN;
  if (span.best === span.worst) return 0;
  return Math.min(1, Math.max(0, (value - span.best) / (span.worst - span.best)));
}

export function cellText(step: Step | null, kind: FigureKind): string {
  return step ? kind.show(kind.of(step)) : "";
}

/** As it stands, with op names in front. */
export function matrixCsv(matrix: Matrix, kind: FigureKind): string {
  const column = (id: string, title: string, of: (row: Matrix["rows"][number]) => number | string): Column<Matrix["rows"][number]> => {
    return { id, title, meaning: title, of, show: (row) => String(of(row)), first: "up", width: 0 };
  };
  const blocks = matrix.columns.map(({ name }, index) => {
    return column(String(index), name, ({ cells }) => (cells[index] ? kind.of(cells[index]) : ""));
  });
  return csv(matrix.rows, [column("op", `${kind.title} of`, (row) => row.title), ...blocks]);
}

/** The cell that a key leads to, of those that have a step; the same one where there is none that way. */
export function moved(matrix: Matrix, from: { row: number; column: number }, key: string): { row: number; column: number } {
  const by: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const [rows, columns] = by[key] ?? [0, 0];
  if (key === "Home" || key === "End") {
    const cells = matrix.rows[from.row]?.cells ?? [];
    const column = key === "Home" ? cells.findIndex((step) => step !== null) : cells.findLastIndex((step) => step !== null);
    return column < 0 ? from : { row: from.row, column };
  }
  for (let [row, column] = [from.row + rows, from.column + columns]; rows !== 0 || columns !== 0; row += rows, column += columns) {
    const step = matrix.rows[row]?.cells[column];
    if (step === undefined) break;
    if (step !== null) return { row, column };
  }
  return from;
}

/** How far to scroll that from..to is in sight. */
export function scrolledTo(now: number, size: number, from: number, to: number): number {
  if (from < now) return Math.max(0, from);
  return to > now + size ? to - size : now;
}
