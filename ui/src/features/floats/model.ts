// SPDX-License-Identifier: Apache-2.0
// What became of each op, why it stayed float, and what a recipe can change about that.
import type { Schemas } from "../../api/client";
import { exactly, type BasketItem, type Json } from "../../base/basket";
import { fatesOf, type Fate } from "../../base/op-counts";
import { languageOf, type Column } from "../../base/table";
import { shownWork, type Work } from "../../base/work";
import type { UnitTime } from "../../base/timed";

/** An op of plan.json. */
export interface Planned {
  id: string;
  name: string;
  type: string;
  kind: string;
  pattern: string;
  fate: Fate;
  precision: string;
  reason: string;
  work: number; // multiply-adds of one sample; NaN: none, or not known
  conversions: number; // microseconds that conversions around it take; NaN: not known
}

export const planColumns = ["op.id", "op.name", "type", "kind", "pattern", "quantized", "precision", "reason", "form"] as const;

export const fates: Record<Fate, { title: string; meaning: string }> = {
  int8: { title: "int8", meaning: "computed on codes of 8 or 16 bits" },
  float: { title: "float", meaning: "not quantized, for the reason beside it" },
  otherwise: { title: "planned int8, runs otherwise", meaning: "the file has it in int8, but the runtime's own graph does not run it so" },
  stored: { title: "stored in few bits, computed in float", meaning: "its weight or result has codes, the kernel computes in float" },
};

export function plannedOf(table: Schemas["TablePage"], work: ReadonlyMap<string, Work>, conversions: ReadonlyMap<string, number>): Planned[] {
  const cells = (name: (typeof planColumns)[number]) => table.columns[name] ?? [];
  const text = (name: (typeof planColumns)[number]) => {
    const all = cells(name);
    return (row: number) => (all[row] === undefined || all[row] === null ? "" : String(all[row]));
  };
  const [name, type, kind, precision, reason] = [text("op.name"), text("type"), text("kind"), text("precision"), text("reason")];
  const [patterns, quantized, fates] = [cells("pattern"), cells("quantized"), fatesOf(table)];
  return cells("op.id").flatMap((id, row) => {
    const fate = fates[row] === undefined ? "float" : fates[row];
    if (fate === null) return [];
    return [{
      id: String(id),
      name: name(row) || String(id),
      type: type(row),
      kind: kind(row),
      pattern: Array.isArray(patterns[row]) ? (patterns[row] as string[]).join(" ") : "",
      fate,
      precision: precision(row) || (quantized[row] === true ? "int8" : "fp32"),
      reason: reason(row),
      work: work.get(String(id))?.count ?? NaN,
      conversions: conversions.get(String(id)) ?? NaN,
    }];
  });
}

/** Microseconds of conversions by op; those of a unit stand at its first op. */
export function conversionsOf(units: readonly UnitTime[]): Map<string, number> {
  return new Map(units.flatMap((unit) => (unit.ops[0] && unit.conversions > 0 ? [[unit.ops[0].id, unit.conversions] as const] : [])));
}

/** Ops that have something in common. */
export interface Pile {
  id: string; // in the address
  title: string;
  ops: Planned[];
  types: [string, number][]; // how many of each, most first
  work: number;
}

function pilesBy(ops: readonly Planned[], key: (op: Planned) => string): Map<string, Planned[]> {
  const piles = new Map<string, Planned[]>();
  for (const op of ops) {
    const pile = piles.get(key(op));
    if (pile) pile.push(op);
    else piles.set(key(op), [op]);
  }
  return piles;
}

function pileOf(id: string, title: string, ops: Planned[]): Pile {
  const types = [...pilesBy(ops, (op) => op.type)].map(([type, all]): [string, number] => [type, all.length]);
  return { id, title, ops, types: types.sort((a, b) => b[1] - a[1]), work: workOf(ops) };
}

/** NaN where nothing is known of any. */
export function workOf(ops: readonly Planned[]): number {
  const known = ops.filter((op) => !Number.isNaN(op.work));
  return known.length === 0 ? NaN : known.reduce((sum, op) => sum + op.work, 0);
}

/** Multiply-adds as a search counted them when it ran the model; null: it did not. */
export interface Counted {
  all: number;
  int8: number;
}

export function countedOf(study: unknown): Counted | null {
  const { multiply_adds: all, trials, best } = (study ?? {}) as Partial<Schemas["Study"]>;
  const trial = Array.isArray(trials) ? trials.find((one) => one.number === best) : undefined;
  const int8 = trial?.multiply_adds_quantized;
  return typeof all === "number" && all > 0 && typeof int8 === "number" ? { all, int8 } : null;
}

export type Grouping = "reason" | "type";

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Reasons that differ in a name or a number alone are one. */
export function reasonKey(reason: string): string {
  return reason
    .replace(/'[^']*'/g, "…")
    .replace(/\([^)]*\)/g, (text) => (text.endsWith("_quantization)") ? text : "(…)"))
    .replace(/(?<![\w.])[-+]?\d[\w.+-]*/g, "…");
}

function titleOf(ops: readonly Planned[]): string {
  const [first] = ops;
  if (!first) return "";
  if (first.fate !== "float") return sentence(fates[first.fate].title);
  const isOne = ops.every((op) => op.reason === first.reason);
  return sentence((isOne ? first.reason : reasonKey(first.reason)) || "no reason is stored");
}

/** Of ops that are not in int8: why, or of which type; most ops first. */
export function pilesOf(ops: readonly Planned[], by: Grouping): Pile[] {
  const key = (op: Planned) => (by === "type" ? op.type : op.fate === "float" ? reasonKey(op.reason) : `fate:${op.fate}`);
  return [...pilesBy(ops.filter((op) => op.fate !== "int8"), key)]
    .map(([id, all]) => pileOf(id, by === "type" ? id : titleOf(all), all))
    .sort((a, b) => b.ops.length - a.ops.length || a.title.localeCompare(b.title));
}

export interface Count {
  fate: Fate;
  ops: number;
  work: number; // 0 where nothing is known
}

export function countsOf(ops: readonly Planned[]): Count[] {
  const piles = pilesBy(ops, (op) => op.fate);
  return (Object.keys(fates) as Fate[]).map((fate) => {
    const all = piles.get(fate) ?? [];
    return { fate, ops: all.length, work: workOf(all) || 0 };
  });
}

export interface Remedy {
  label: string;
  recipe: Json;
  caution: string;
}

/** What a recipe could say against a reason, or for a whole type; null: nothing helps. */
export function remedyOf(pile: Pick<Pile, "ops">, by: Grouping): Remedy | null {
  const [first] = pile.ops;
  if (!first || pile.ops.some((op) => op.fate !== "float")) return null;
  if (by === "type") {
    const cautions = pile.ops.map((op) => cautionOf(op.reason));
    const caution = cautions.find((one) => one !== undefined);
    if (caution === undefined || cautions.includes(undefined)) return null;
    return { label: `${first.type} in int8`, recipe: { op_type_dict: { [exactly(first.type)]: "int8" } }, caution };
  }
  if (pile.ops.some((op) => reasonKey(op.reason) !== reasonKey(first.reason))) return null;
  const found = switches.find((name) => first.reason.includes(name));
  if (found) return { label: `recipes.${found}: true`, recipe: { recipes: { [found]: true } }, caution: "The recipe has switched it off." };
  const caution = cautionOf(first.reason);
  return caution === undefined ? null : { label: `${named(pile.ops)} in int8`, recipe: inInt8(pile.ops), caution };
}

function cautionOf(reason: string): string | undefined {
  return forcible.find(({ is }) => is.test(reason))?.caution;
}

const switches = ["first_conv_or_matmul_quantization", "last_conv_or_matmul_quantization", "pre_post_process_quantization"];

/** "1 op", "7 ops". */
export function opsText(count: number): string {
  return `${count} ${count === 1 ? "op" : "ops"}`;
}

/** Where an entry that asks for integers wins (docs/recipes.md, "Single ops"). */
const forcible = [
  { is: /^the recipe keeps it in float/, caution: "The recipe asked for float." },
  { is: /int8 would add rounding and save (nothing|no time)/, caution: "This adds rounding, and seldom saves time." },
  { is: /^inside (GELU|LayerNormalization|RMS normalization)/, caution: "A fused float kernel is mostly faster, and more accurate." },
  { is: /^a logarithm .* reads its result/, caution: "Small values are lost before the logarithm: accuracy may fall far." },
  { is: /^numbers of its constant are far apart/, caution: "Small numbers of the constant become 0." },
];

function named(ops: readonly Planned[]): string {
  return ops.length === 1 ? ops[0]!.name : `${ops.length} ops`;
}

export function inInt8(ops: readonly Planned[]): Json {
  return { op_name_dict: Object.fromEntries(ops.map((op) => [exactly(op.name), "int8"])) };
}

export function itemOf(pile: Pick<Pile, "id" | "ops">, by: Grouping): BasketItem | null {
  const remedy = remedyOf(pile, by);
  return remedy && { id: `floats:${pile.id}`, label: `Still float: ${remedy.label}`, recipe: remedy.recipe, gain: NaN };
}

export const columns: readonly Column<Planned>[] = [
  { id: "name", title: "Op", meaning: "name of the op", of: (op) => op.name, show: (op) => op.name, first: "up", width: 210 },
  { id: "type", title: "Type", meaning: "the operator", of: (op) => op.type, show: (op) => op.type, first: "up", width: 100 },
  { id: "precision", title: "Runs in", meaning: "what the runtime computes it in", of: (op) => op.precision, show: (op) => op.precision, first: "up",
    width: 76 },
  { id: "work", title: "Multiply-adds", meaning: "of one sample, by the shapes of the graph", of: (op) => op.work, show: (op) => shownWork(op.work),
    first: "down", width: 134 },
  { id: "conversions", title: "Conversions [µs]", meaning: "that it causes in the quantized model, by a profile", of: (op) => op.conversions,
    show: (op) => (Number.isNaN(op.conversions) ? "–" : op.conversions.toFixed(1)), first: "down", width: 136 },
  { id: "reason", title: "Reason", meaning: "why it is not in int8", of: (op) => op.reason, show: (op) => op.reason, first: "up", width: 330 },
  { id: "pattern", title: "Pattern", meaning: "the ops that are one with it", of: (op) => op.pattern, show: (op) => op.pattern, first: "up", width: 180,
    isExtra: true },
];

export const language = languageOf<Planned>(
  (op) => op.name,
  [
    { names: ["type", "kind"], meaning: "the operator", text: (op) => op.type },
    { names: ["precision"], meaning: "what it runs in", text: (op) => op.precision },
    { names: ["reason"], meaning: "why it is not in int8", text: (op) => op.reason },
    { names: ["pattern"], meaning: "the ops that are one with it", text: (op) => op.pattern },
  ],
  columns,
);
