// SPDX-License-Identifier: Apache-2.0
// What the page gives to each view of a run, and what a view may ask of the page.
import type { Schemas } from "../api/client";
import type { BasketItem } from "./basket";

/** One of the tabs below the verdict. `held` keeps what a view wants in the address: its sort order, its zoom. */
export interface ViewProps {
  run: string; // id of the workload
  shown: Schemas["ShownRun"];
  op: string | null; // id of the selected op
  value: string | null; // the selected row of the op table, where an op has several
  query: string; // in the words of base/query.ts
  held: Readonly<Record<string, string>>;
  onselect: (op: string, value?: string | null) => void;
  onquery: (text: string) => void;
  onhold: (change: Record<string, string | null>) => void; // null: no longer held
  onbasket: (item: BasketItem) => void;
  onview: (view: string, query?: string) => void;
}

/** Where a run has this record, by its name without an ending: "profile", "study". */
export function has(shown: Schemas["ShownRun"], record: string): boolean {
  return shown.files.some((file) => file.record === record || file.name === `${record}.json`);
}
