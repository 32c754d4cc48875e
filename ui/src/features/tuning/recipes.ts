// SPDX-License-Identifier: Apache-2.0
// Recipes beside each other: what one says that another does not, in few words.
import type { Json } from "../../base/basket";

type Entry = { [name: string]: Json };

export function isEntry(value: Json | undefined): value is Entry {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** What a recipe means where it says nothing (docs/recipes.md). */
const defaults: Entry = {
  approach: "static",
  fallback: "fp32",
  quant_format: "qdq",
  accuracy_level: "default",
  activation: { dtype: "uint8", scheme: "asym", granularity: "per_tensor", algorithm: "mse" },
  weight: { dtype: "int8", scheme: "sym", granularity: "per_channel", algorithm: "minmax" },
  op_type_dict: {},
  op_name_dict: {},
  target: "auto",
  reduce_range: "auto",
  calibration_sampling_size: 100,
  recipes: {
    bias_correction: true,
    cross_layer_equalization: "false",
    smooth_quant: false,
    first_conv_or_matmul_quantization: true,
    last_conv_or_matmul_quantization: true,
    pre_post_process_quantization: true,
    optypes_to_exclude_output_quant: [],
  },
};

const ofLevel: Record<string, Entry> = {
  fast: { activation: { algorithm: "minmax" }, recipes: { bias_correction: false } },
  best: { recipes: { smooth_quant: true } },
};

export const defaultRecipe: Json = defaults;

/** Without what is absent: earlier records say null for it. */
function withoutNulls(value: Json): Json {
  if (!isEntry(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inside]) => inside !== null).map(([name, inside]) => [name, withoutNulls(inside)]));
}

function over(below: Json, above: Json): Json {
  if (!isEntry(below) || !isEntry(above)) return above;
  const made: Entry = { ...below };
  for (const [name, value] of Object.entries(above)) made[name] = name in below ? over(below[name]!, value) : value;
  return made;
}

/** With what it leaves to its accuracy level and to the defaults. */
export function inFull(recipe: Json): Entry {
  const said = withoutNulls(isEntry(recipe) ? recipe : {}) as Entry;
  const level = typeof said["accuracy_level"] === "string" ? said["accuracy_level"] : "default";
  return over(over(defaults, ofLevel[level] ?? {}), said) as Entry;
}

export interface Change {
  path: string[];
  was: Json | undefined;
  is: Json | undefined;
}

const same = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

function compare(was: Json | undefined, is: Json | undefined, path: string[], changes: Change[]): void {
  if (same(was, is)) return;
  // An op's entry is told as a whole: in float, or how else.
  const isWhole = path.length >= 2 && (path[0] === "op_name_dict" || path[0] === "op_type_dict");
  if (!isWhole && (isEntry(was) || isEntry(is)) && (was === undefined || isEntry(was)) && (is === undefined || isEntry(is))) {
    const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
    for (const name of names) compare((was as Entry | undefined)?.[name], (is as Entry | undefined)?.[name], [...path, name], changes);
    return;
  }
  changes.push({ path, was, is });
}

/** What `to` says otherwise than `from`, both in full. */
export function changesOf(from: Json, to: Json): Change[] {
  const changes: Change[] = [];
  compare(inFull(from), inFull(to), [], changes);
  return changes;
}

/** An entry that keeps its ops in float, in 16 bits, or neither. */
export function keeps(entry: Json | undefined): "float" | "half" | null {
  const ofWord = (word: Json | undefined) => (word === "fp32" ? "float" : word === "fp16" ? "half" : null);
  if (!isEntry(entry)) return ofWord(entry);
  const { activation, weight } = entry;
  const words = [activation, weight].map((part) => ofWord(isEntry(part) ? part["dtype"] : part));
  return words.includes("float") ? "float" : words.includes("half") ? "half" : null;
}

/** A pattern that matches one name, as that name. */
export function plainName(pattern: string): string {
  return pattern.replace(/\\(.)/g, "$1");
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return "not said";
  if (typeof value === "string") return value.replaceAll("_", " ");
  if (!isEntry(value)) return Array.isArray(value) && value.length === 0 ? "none" : JSON.stringify(value);
  const parts = Object.entries(value).flatMap(([name, inside]) => {
    if (!isEntry(inside)) return [`${name} ${valueText(inside)}`];
    return Object.entries(inside).map(([key, one]) => `${name} ${key} ${valueText(one)}`);
  });
  return parts.join(", ") || "as usual";
}

const switches: Record<string, string> = {
  bias_correction: "bias correction",
  cross_layer_equalization: "cross-layer equalization",
  smooth_quant: "SmoothQuant",
  smooth_quant_args: "SmoothQuant alpha",
};

function pathText(path: readonly string[]): string {
  const [first, ...rest] = path;
  if (first === "recipes" && rest[0] !== undefined) return switches[rest[0]] ?? rest.join(" ").replaceAll("_", " ");
  return path.map((part) => part.replaceAll("_", " ")).join(" ");
}

interface Moved {
  what: string; // "op", "type"
  names: string[];
  to: string;
}

function movedText({ what, names, to }: Moved, most: number): string {
  const shown = names.slice(0, most).join(", ");
  const more = names.length > most ? ", …" : "";
  return `${names.length === 1 ? what : `${names.length} ${what}s`} ${to}: ${shown}${more}`;
}

/** Few words for each change; ops that go the same way are told together, with `most` of their names. */
export function told(changes: readonly Change[], most = 3): string[] {
  const moved = new Map<string, Moved>();
  const lines: string[] = [];
  for (const { path, was, is } of changes) {
    const [first, pattern] = path;
    const isOf = (first === "op_name_dict" || first === "op_type_dict") && pattern !== undefined;
    if (!isOf) {
      lines.push(`${pathText(path)}: ${valueText(was)} → ${valueText(is)}`);
      continue;
    }
    const what = first === "op_name_dict" ? "op" : "type";
    const [before, now] = [keeps(was), keeps(is)];
    const to = now !== null ? `into ${now}` : before !== null && is === undefined ? "out of float" : "";
    if (to === "") {
      lines.push(`${what} ${plainName(pattern)}: ${is === undefined ? "as all others" : valueText(is)}`);
      continue;
    }
    const group = moved.get(what + to) ?? { what, names: [], to };
    group.names.push(plainName(pattern));
    moved.set(what + to, group);
  }
  return [...[...moved.values()].map((group) => movedText(group, most)), ...lines];
}

/** Names that stay in float by this recipe, of ops and of types. */
export function namedInFloat(recipe: Json): number {
  const full = inFull(recipe);
  const names = full["op_name_dict"];
  return isEntry(names) ? Object.values(names).filter((entry) => keeps(entry) === "float").length : 0;
}

function put(into: Entry, path: readonly string[], value: Json): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  const inside = into[first];
  const next: Entry = isEntry(inside) ? inside : {};
  into[first] = next;
  put(next, rest, value);
}

/** What must be said beyond `base` to have this recipe: short words for what stays in float. */
export function fragment(recipe: Json, base: Json = defaultRecipe): Json {
  const made: Entry = {};
  for (const { path, is } of changesOf(base, recipe)) {
    if (is === undefined) continue;
    const word = path.length === 2 && path[0]!.startsWith("op_") ? { float: "fp32", half: "fp16", none: null }[keeps(is) ?? "none"] : null;
    put(made, path, isPlain(is) ? (word ?? is) : is);
  }
  return made;
}

/** An entry that says nothing but one dtype for both. */
function isPlain(entry: Json): boolean {
  if (!isEntry(entry)) return true;
  return Object.values(entry).every((part) => !isEntry(part) || (Object.keys(part).length === 1 && "dtype" in part));
}
