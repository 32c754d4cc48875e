// SPDX-License-Identifier: Apache-2.0
// A fragment of a recipe in a few words.
import type { Json } from "../../base/basket";
import { listOf, objectOf, type Loose } from "../../base/loose";

/** Null where it says nothing. */
export function remedyOf(value: unknown): Json | null {
  return Object.keys(objectOf(value)).length > 0 ? (value as Json) : null;
}

const words: Record<string, string> = { fp32: "in float", fp16: "in half precision", int8: "in int8" };

/** A pattern that matches one name alone is told as that name. */
function named(pattern: string): string {
  return pattern.replace(/\\(\W)/g, "$1");
}

const told = ["dtype", "scheme", "granularity", "algorithm"]; // options whose values say by themselves what they are

function options(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return listOf(value).map(String).join(", ");
  return Object.entries(value as Loose)
    .filter(([name, option]) => !(name === "algorithm" && option === "percentile" && "percentile" in value))
    .map(([name, option]) => optionText(name, option))
    .join(", ");
}

function optionText(name: string, option: unknown): string {
  const words = name.replaceAll("_", " ");
  if (typeof option === "boolean") return option ? words : `no ${words}`;
  return told.includes(name) ? options(option).replaceAll("_", " ") : `${words} ${options(option)}`;
}

/** What an entry asks of the ops that it is about. */
function asked(entry: unknown): string {
  if (typeof entry === "string") return words[entry] ?? entry;
  const { activation, weight } = objectOf(entry);
  const dtypes = [objectOf(activation)["dtype"], objectOf(weight)["dtype"]];
  const isWord = dtypes[0] !== undefined && dtypes[0] === dtypes[1] && Object.keys(objectOf(activation)).length === 1;
  if (isWord && typeof dtypes[0] === "string" && dtypes[0] in words) return words[dtypes[0]]!;
  return options(entry);
}

function entries(dictionary: unknown, what: "op" | "type"): string[] {
  const groups = new Map<string, string[]>();
  for (const [pattern, entry] of Object.entries(objectOf(dictionary))) {
    const text = asked(entry);
    groups.set(text, [...(groups.get(text) ?? []), named(pattern)]);
  }
  return [...groups].map(([text, names]) => {
    const place = names.length === 1 ? (what === "op" ? names[0]! : `all ${names[0]!}`) : `${names.length} ${what}s`;
    return Object.values(words).includes(text) ? `${place} ${text}` : `${place}: ${text}`;
  });
}

/** "Conv_4 in float; recipes smooth quant true". */
export function remedyText(recipe: Json | null): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(objectOf(recipe))) {
    if (key === "op_name_dict") parts.push(...entries(value, "op"));
    else if (key === "op_type_dict") parts.push(...entries(value, "type"));
    else if (key === "recipes") parts.push(options(value));
    else if (key === "activation" || key === "weight") parts.push(`${key === "weight" ? "weights" : "activations"}: ${options(value)}`);
    else parts.push(options({ [key]: value }));
  }
  return parts.join("; ");
}
