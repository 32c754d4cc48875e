// SPDX-License-Identifier: Apache-2.0
// The list in pages, while runs come and go.
import type { Run } from "./model";

export interface Filter {
  q: string;
  verb: string;
  state: string;
  tag: string;
}

export const noFilter: Filter = { q: "", verb: "", state: "", tag: "" };
export const pageSize = 200;
/** What the server gives at once, at most. */
export const mostRows = 1000;
/** A page begins with rows that are known already: where it does not, some came or went unseen. */
export const overlap = 2;

export function isFiltered(filter: Filter): boolean {
  return filter.q.trim() !== "" || filter.verb !== "" || filter.state !== "" || filter.tag !== "";
}

/** As the server is asked; what is not said is left out. */
export function askedOf(filter: Filter): Record<string, string | undefined> {
  return { q: filter.q.trim() || undefined, verb: filter.verb || undefined, state: filter.state || undefined, tag: filter.tag || undefined };
}

/** Where the next page begins. */
export function nextOffset(loaded: number): number {
  return Math.max(0, loaded - overlap);
}

/** The list with its next page behind; null where they do not join, so that the list must be read anew. */
export function joined(runs: readonly Run[], page: readonly Run[]): Run[] | null {
  const seam = runs.slice(nextOffset(runs.length));
  if (page.length < seam.length || seam.some((run, index) => page[index]?.id !== run.id)) return null;
  return [...runs.slice(0, runs.length - seam.length), ...page];
}

/** Which one to show when this one is gone: the next below, else the one above. */
export function neighbour(runs: readonly Run[], id: string): string | null {
  const at = runs.findIndex((run) => run.id === id);
  if (at < 0) return runs[0]?.id ?? null;
  return runs[at + 1]?.id ?? runs[at - 1]?.id ?? null;
}

/** The index that a key leads to from this one; null: the key means nothing here. */
export function stepped(key: string, at: number, count: number): number | null {
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity }[key];
  if (by === undefined || count === 0) return null;
  if (at < 0) return by < 0 && key !== "Home" ? count - 1 : key === "End" ? count - 1 : 0;
  return Math.min(count - 1, Math.max(0, at + by));
}

/** All tags that were ever seen, in order. */
export function tagsOf(known: readonly string[], runs: readonly Run[]): string[] {
  const all = new Set(known);
  for (const run of runs) for (const tag of run.tags) all.add(tag);
  return [...all].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
}
