// SPDX-License-Identifier: Apache-2.0
// The recipe that is being put together out of remedies, what-ifs and choices in charts.

import { gainOfAll, type Gain } from "./gain";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface BasketItem {
  id: string; // the same one replaces the one before: "finding:0", "what-if:conv_1", "lasso"
  label: string; // what people read: "Conv_4: percentile 99.9"
  recipe: Json; // a fragment
  gain: number; // share of the outputs' error that is expected to go; NaN where nothing is known
  known?: Pick<Gain, "interval" | "by">; // else it is an estimate
}

/** The recipes, each laid over those before it: objects are merged, all else is replaced. */
export function merged(recipes: readonly Json[]): Json {
  const isObject = (value: Json): value is { [name: string]: Json } => value !== null && typeof value === "object" && !Array.isArray(value);
  const over = (below: Json, above: Json): Json => {
    if (!isObject(below) || !isObject(above)) return above;
    const made = new Map(Object.entries(below)); // an op may be called __proto__
    for (const [name, value] of Object.entries(above)) made.set(name, made.has(name) ? over(made.get(name)!, value) : value);
    return Object.fromEntries(made);
  };
  return recipes.reduce<Json>(over, {});
}

/** With the item in place of the one of its id, or at the end. */
export function put(basket: readonly BasketItem[], item: BasketItem): BasketItem[] {
  const at = basket.findIndex((one) => one.id === item.id);
  return at < 0 ? [...basket, item] : basket.map((one, index) => (index === at ? item : one));
}

export function gainOf({ gain, known }: BasketItem): Gain {
  return { share: gain, interval: null, by: "estimated", ...known };
}

/** What all items are expected to gain. */
export function expectedGain(basket: readonly BasketItem[]): Gain {
  return gainOfAll(basket.map(gainOf));
}

/** A word of a command line as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The command that a run was started by, with more words. */
export function commandOf(words: readonly string[], more: readonly string[] = []): string {
  return ["quantlens", ...words, ...more].map(quoted).join(" ");
}

/** A regular expression that matches this name alone, as `op_name_dict` takes it. */
export function exactly(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
