// SPDX-License-Identifier: Apache-2.0
// Words that several parts of the panel use.
import { figure, type Interval } from "../../base/numbers";
import type { Json } from "../../base/basket";

export function countOf(count: number): string {
  return Number.isFinite(count) ? Math.round(count).toLocaleString("en-US") : "–";
}

export function between(ends: Interval, digits = 3): string {
  return `${figure(ends[0], digits)} to ${figure(ends[1], digits)}`;
}

/** Of a long name the end tells most. */
export function elided(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.floor(most / 3);
  return `${name.slice(0, head)}…${name.slice(head + 1 - most)}`;
}

/** What a recipe's entry asks for, in words: "activation algorithm percentile, percentile 99.9". */
export function wordsOf(entry: Json): string {
  if (entry === null || typeof entry !== "object") return entry === "fp32" ? "float" : String(entry).replaceAll("_", " ");
  if (Array.isArray(entry)) return entry.map(wordsOf).join(" ");
  return Object.entries(entry)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${wordsOf(value)}`)
    .join(", ");
}

/** The only entry of a fragment that is about one op; else nothing. */
export function entryOf(recipe: Json): Json {
  if (recipe === null || typeof recipe !== "object" || Array.isArray(recipe)) return null;
  const names = recipe["op_name_dict"];
  if (!names || typeof names !== "object" || Array.isArray(names) || Object.keys(recipe).length !== 1) return null;
  const entries = Object.values(names);
  return entries.length === 1 ? entries[0]! : null;
}

/** Cells of a table that a spreadsheet takes from the clipboard. */
export function tabbed(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]/g, " ")).join("\t")).join("\n");
}
