// SPDX-License-Identifier: Apache-2.0
// The page's state in its URL, so that an address shows what was seen.

export interface Place {
  run: string | null;
  view: string | null; // null: the first one that the run has
  op: string | null; // id of the selected op
  value: string | null; // the selected row, where an op has several
  query: string;
  held: Record<string, string>; // what views keep: order of a table, part of a chart
}

const own = ["run", "view", "op", "value", "q"];

export function placeOf(hash: string): Place {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return {
    run: given.get("run"),
    view: given.get("view"),
    op: given.get("op"),
    value: given.get("value"),
    query: given.get("q") ?? "",
    held: Object.fromEntries([...given].filter(([name]) => !own.includes(name))),
  };
}

export function hashOf(place: Place): string {
  const given = new URLSearchParams();
  const add = (name: string, value: string | null) => value && given.set(name, value);
  add("run", place.run);
  add("view", place.view);
  add("op", place.op);
  add("value", place.value);
  add("q", place.query);
  for (const [name, value] of Object.entries(place.held)) if (!own.includes(name)) add(name, value);
  return `#${given.toString()}`;
}

/** With what a view holds from now on; null: no longer. */
export function holding(held: Readonly<Record<string, string>>, change: Record<string, string | null>): Record<string, string> {
  const all = { ...held, ...change };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== ""));
}
