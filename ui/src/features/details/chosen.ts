// SPDX-License-Identifier: Apache-2.0
// What a run says of how its codes were chosen: ranges.json, recipe.json, plan.json.
import type { Schemas } from "../../api/client";
import { real } from "../../base/numbers";

export interface Known {
  ranges: ReadonlyMap<string, ChosenRange>;
  bits: ReadonlyMap<string, number>; // in use, by the name of a weight: a file does not say that some of its codes are left out
  recipe: unknown;
}

/** How ranges of activations were found, by ranges.json. */
export interface ChosenRange {
  min: number;
  max: number;
  by: string; // empty: not said
}

export function rangesOf(record: unknown): Map<string, ChosenRange> {
  const given = (record && typeof record === "object" ? record : {}) as Record<string, unknown>;
  const chosen = new Map<string, ChosenRange>();
  for (const list of ["wide", "values"]) { // a value of 8 and of 16 bits has both: the former one is shown
    const rows = given[list];
    if (!Array.isArray(rows)) continue;
    for (const row of rows as Partial<Schemas["ValueRange"]>[]) {
      if (typeof row?.value !== "string") continue;
      const by = row.algorithm ? (row.algorithm as string).replaceAll("_", " ") : "given by hand";
      const asked = row.asked && row.asked !== row.algorithm ? `, chosen by ${row.asked}` : "";
      chosen.set(row.value, { min: real(row.min), max: real(row.max), by: by + asked });
    }
  }
  return chosen;
}

type WeightOptions = { algorithm?: string | null } | null | undefined;
interface OpOptions {
  weight?: WeightOptions;
}

/** The algorithm that a recipe asks for the ranges of this op's weights; later entries win, as in docs/recipes.md. */
export function weightAlgorithm(recipe: unknown, name: string, type: string): string {
  if (!recipe || typeof recipe !== "object") return "";
  const given = recipe as { weight?: WeightOptions; op_type_dict?: Record<string, OpOptions>; op_name_dict?: Record<string, OpOptions> };
  let algorithm = given.weight?.algorithm ?? "minmax";
  for (const [entries, text] of [[given.op_type_dict, type], [given.op_name_dict, name]] as const) {
    for (const pattern of Object.keys(entries ?? {}).sort()) {
      const asked = entries?.[pattern]?.weight?.algorithm;
      if (asked && matches(pattern, text)) algorithm = asked;
    }
  }
  return algorithm;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(text);
  } catch {
    return false; // Perl's syntax has more than this one
  }
}

/** The bits that weights use, by a page of plan.weights_quantized. */
export function bitsOf(page: unknown): Map<string, number> {
  const columns = ((page as { columns?: Record<string, unknown> } | null)?.columns ?? {}) as Record<string, unknown>;
  const [names, bits] = [columns["weight"], columns["scheme.bits"]];
  if (!Array.isArray(names) || !Array.isArray(bits)) return new Map();
  return new Map(names.flatMap((name, index) => (typeof bits[index] === "number" ? [[String(name), bits[index] as number] as const] : [])));
}
