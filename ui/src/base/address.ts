// SPDX-License-Identifier: Apache-2.0
// The page's state in its URL, so that an address shows what was seen.

export interface Place {
  run: string | null;
  value: string | null; // the selected row
  table: "ops" | "weights";
  query: string;
}

export function placeOf(hash: string): Place {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return { run: given.get("run"), value: given.get("value"), table: given.get("table") === "weights" ? "weights" : "ops", query: given.get("q") ?? "" };
}

export function hashOf(place: Place): string {
  const given = new URLSearchParams();
  if (place.run) given.set("run", place.run);
  if (place.value) given.set("value", place.value);
  if (place.table !== "ops") given.set("table", place.table);
  if (place.query) given.set("q", place.query);
  return `#${given.toString()}`;
}
