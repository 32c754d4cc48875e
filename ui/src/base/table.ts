// SPDX-License-Identifier: Apache-2.0
// What every table does with its rows: columns, order, queries, CSV.
import type { Interval } from "./numbers";
import type { Field, Language } from "./query";

export interface Column<Row> {
  id: string;
  title: string;
  meaning: string;
  /** What it is sorted by, and what a query compares. */
  of: (row: Row) => number | string;
  show: (row: Row) => string;
  whisker?: (row: Row) => Interval | null;
  /** Sorted like this when it is first clicked: what is worst comes first. */
  first: "up" | "down";
  width: number;
  isExtra?: boolean; // shown when it is asked for
}

export interface Order {
  column: string;
  direction: "up" | "down";
}

/** As an address holds it: "sqnr", "-mse" (down). */
export function orderText(order: Order): string {
  return (order.direction === "down" ? "-" : "") + order.column;
}

/** `start` where the text names no column. */
export function orderOf(text: string | undefined, columns: readonly { id: string }[], start: Order): Order {
  const column = text?.replace(/^-/, "") ?? "";
  if (!columns.some((one) => one.id === column)) return start;
  return { column, direction: text!.startsWith("-") ? "down" : "up" };
}

/** Those that a text of ids names, else those that are shown at first; in the table's order. */
export function shownColumns<Row>(columns: readonly Column<Row>[], text: string | undefined): Column<Row>[] {
  const ids = text?.split(",") ?? [];
  const named = columns.filter((column) => ids.includes(column.id));
  return named.length > 0 ? named : columns.filter((column) => !column.isExtra);
}

let collator: Intl.Collator | undefined; // slow to make, and most tables are sorted by figures
const asPeopleCount = (a: string, b: string) => (collator ??= new Intl.Collator(undefined, { numeric: true })).compare(a, b);

/** Makes it while nobody waits for it. */
export function prepareOrder(): void {
  asPeopleCount("", "");
}

/** Rows without a figure come last, whichever way; equal ones stay as they were. */
export function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order): Row[] {
  const column = columns.find((one) => one.id === order.column);
  if (!column) return [...rows];
  const sign = order.direction === "up" ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: column.of(row) }));
  keyed.sort(({ key: x }, { key: y }) => {
    if (typeof x === "string" || typeof y === "string") return sign * asPeopleCount(String(x), String(y));
    const [gone, lacks] = [Number.isNaN(x), Number.isNaN(y)];
    if (gone || lacks) return Number(gone) - Number(lacks);
    return sign * (x - y);
  });
  return keyed.map(({ row }) => row);
}

/** Queries over the columns, those of text named here, and the name. */
export function languageOf<Row>(name: (row: Row) => string, texts: readonly Field<Row>[], columns: readonly Column<Row>[]): Language<Row> {
  const known = texts.flatMap((field) => field.names);
  const numbers = columns
    .filter((column) => column.id !== "name" && !known.includes(column.id))
    .map(({ id, meaning, of }) => ({ names: [id], meaning, number: (row: Row) => of(row) as number }));
  return { name, fields: [...texts, ...numbers] };
}

/** The least and the greatest figure of each column that has whiskers, 0 included. */
export function spansOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Map<string, Interval> {
  const spans = new Map<string, Interval>();
  for (const column of columns.filter((one) => one.whisker)) {
    let [low, high] = [0, 0];
    for (const row of rows) {
      const value = column.of(row) as number;
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    spans.set(column.id, [low, high]);
  }
  return spans;
}

export type Cell = number | string;

const plainNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Spreadsheets compute text that begins so, quoted or not: after an apostrophe it stays text (OWASP, CSV injection). */
function inert(text: string): string {
  const isFormula = /^([\t\r\n]|\s*[=+\-@＝＋－＠])/.test(text) && !plainNumber.test(text);
  return isFormula ? `'${text}` : text;
}

/** Figures have all their digits; text that would be more than one cell stands in quotation marks. */
function cell(value: Cell): string {
  if (typeof value === "number") return String(value);
  const text = inert(value);
  return /[",\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** "1 op", "3 of 7 ops"; `counted`: what all are, as of several. */
export function countText(shown: number, all: number, counted: string): string {
  return [shown === all ? all : `${shown} of ${all}`, all === 1 ? counted.replace(/s$/, "") : counted].join(" ").trim();
}

/** As everything is saved that is a table. */
export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function csv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  return csvOf(columns.map((column) => column.title.replaceAll("µ", "u")), rows.map((row) => columns.map((column) => column.of(row))));
}
