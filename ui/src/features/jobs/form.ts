// SPDX-License-Identifier: Apache-2.0
// What was typed, as the request of a job and as words of a command line.
import type { Schemas } from "../../api/client";
import type { Json } from "../../base/basket";
import type { Field } from "./fields";

/** As typed, by the field's name. Of a recipe: where it starts ("recipe", a path or an id) and what is laid over it ("recipe changes"). */
export type Values = Readonly<Record<string, string | boolean>>;
export type Request = Record<string, Json>;
export type Problems = Record<string, string>;

export const changesName = "recipe changes";

class Problem extends Error {}

function wholeOf(text: string, field: Field): number {
  const value = Number(text);
  const isGood = /^\d+$/.test(text) && Number.isSafeInteger(value) && value >= field.least && value <= field.most;
  if (isGood) return value;
  const least = Number.isFinite(field.least) ? field.least : 0;
  throw new Problem(`must be a whole number${Number.isSafeInteger(field.most) ? ` from ${least} to ${field.most}` : `, ${least} or more`}`);
}

function countsOf(text: string, field: Field): Json {
  const counts = text.split(",").map((part) => wholeOf(part.trim(), field));
  return counts.length === 1 ? counts[0]! : counts;
}

function realOf(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new Problem("must be a number");
}

/** What stands in the text: an object, or a list of objects, paths and ids, each laid over those before it. */
export function recipesOf(text: string): Json[] {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (problem) {
    throw new Problem(`is no JSON: ${(problem as Error).message}`);
  }
  const list = Array.isArray(value) ? value : [value];
  const isObject = (one: Json) => one !== null && typeof one === "object" && !Array.isArray(one);
  const isRecipe = (one: Json) => isObject(one) || (Array.isArray(value) && typeof one === "string");
  if (list.every(isRecipe)) return list;
  throw new Problem('must be an object, as {"weight": {"granularity": "per_tensor"}}');
}

/** What is wrong with the text of a recipe; empty: nothing. */
export function recipeProblem(text: string): string {
  try {
    if (text.trim() !== "") recipesOf(text);
    return "";
  } catch (problem) {
    return (problem as Error).message;
  }
}

function recipeOf(values: Values): Json | undefined {
  const [base, changes] = [String(values["recipe"] ?? "").trim(), String(values[changesName] ?? "").trim()];
  const all: Json[] = [...(base ? [base] : []), ...(changes ? recipesOf(changes) : [])];
  return all.length > 1 ? all : all[0];
}

function valueOf(field: Field, values: Values): Json | undefined {
  if (field.kind === "recipe") return recipeOf(values);
  const value = values[field.name];
  if (field.kind === "flag") return value === true ? true : undefined;
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") return undefined;
  if (field.kind === "count") return wholeOf(text, field);
  if (field.kind === "counts") return countsOf(text, field);
  return field.kind === "real" ? realOf(text) : text;
}

/** What the program would say only after it has begun: fields that do not go together. */
function togetherProblems(request: Request, problems: Problems): Problems {
  const has = (name: string) => request[name] !== undefined || problems[name] !== undefined;
  const found: Problems = {};
  if (has("isolate_timeout") && !has("isolate")) found["isolate_timeout"] = "means something with isolate alone";
  if (request["verb"] !== "quantize") return found;
  if (has("ranges") && has("calibration_data")) found["calibration_data"] = "is of no use with ranges: nothing is calibrated then";
  if (has("data")) return found;
  const needsNone = ["dynamic", "weight_only"].includes(String(request["approach"])) || has("ranges") || has("recipe");
  if (has("diagnose") || has("metric")) found["data"] = "diagnosis and metric need it";
  else if (!needsNone) found["data"] = "calibration needs it; with ranges, or the approach dynamic or weight_only, none is needed";
  return found;
}

/** Fields that are left out mean what the program does by itself. Problems are those that are seen here; the server sees the others. */
export function requestOf(verb: string, fields: readonly Field[], values: Values): { request: Request; problems: Problems } {
  const request: Request = { verb };
  const problems: Problems = {};
  for (const field of fields) {
    try {
      const value = valueOf(field, values);
      if (value !== undefined) request[field.name] = value;
      else if (field.isNeeded) problems[field.name] = `${verb} needs it`;
    } catch (problem) {
      problems[field.name] = (problem as Error).message;
    }
  }
  Object.assign(problems, togetherProblems(request, problems));
  // The command line knows remedies of a diagnosis alone, and "none" is no number there.
  if (verb === "quantize" && (request["diagnose"] !== true || request["verify"] === 0)) delete request["verify"];
  return { request, problems };
}

const places = ["model", "workload", "other_workload", "quantized", "other"]; // arguments without an option

function optionWords(name: string, value: Json): string[] {
  const option = name === "output" ? "-o" : `--${name.replaceAll("_", "-")}`;
  if (typeof value === "boolean") return value ? [option] : [];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.startsWith("-") ? [`${option}=${text}`] : [option, text];
}

/** The command that does the same outside of the server. */
export function wordsOf(request: Request): string[] {
  const words = [String(request["verb"])];
  for (const name of places) if (request[name] !== undefined) words.push(String(request[name]));
  for (const [name, value] of Object.entries(request)) {
    if (name === "verb" || places.includes(name)) continue;
    if (name === "recipe" && Array.isArray(value)) words.push(...value.flatMap((one) => optionWords(name, one)));
    else words.push(...optionWords(name, Array.isArray(value) ? value.join(",") : value));
  }
  // There the file has no place of its own.
  if (request["verb"] === "calibrate" && request["output"] === undefined) words.push("-o", "statistics.bin");
  return words;
}

/** A refusal begins with the field that it is about; null: it is about the whole. */
export function refusalOf(sentence: string, fields: readonly Field[]): { field: string | null; sentence: string } {
  const colon = sentence.indexOf(": ");
  const name = sentence.slice(0, Math.max(0, colon));
  return fields.some((field) => field.name === name) ? { field: name, sentence: sentence.slice(colon + 2) } : { field: null, sentence };
}

/** What is right for most. */
export function usualValues(verb: string): Values {
  return verb === "quantize" ? { diagnose: true } : {};
}

type Like = Pick<Schemas["ShownRun"], "verb" | "models" | "data" | "metric">;

/** The model, the data and the metric of a run, as this verb takes them. */
export function valuesLike(like: Like | null, verb: string): Values {
  if (!like) return {};
  const role = (wanted: string) => like.models.findLast((one) => one.role === wanted)?.path ?? "";
  const [reference, quantized] = [role("reference") || (like.models[0]?.path ?? ""), role("quantized")];
  const data = (wanted: string) => pathOf(like.data.find((one) => one.role === wanted));
  const isPair = verb === "evaluate" && like.verb === "evaluate" && role("reference") !== "" && quantized !== "";
  return {
    model: isPair ? quantized : reference,
    against: isPair ? reference : "",
    quantized,
    other: quantized,
    data: data("samples"),
    calibration_data: data("calibration"),
    metric: like.metric.startsWith("command:") ? "" : like.metric,
  };
}

/** As a job takes it: runs of older versions only know what was typed, which may begin in another folder. */
function pathOf(data: Schemas["DataUsed"] | undefined): string {
  return data ? data.path || data.data : "";
}

/** The verb of a run where jobs do it, else the first. */
export function verbLike(like: Pick<Like, "verb"> | null, verbs: readonly string[]): string {
  return like && verbs.includes(like.verb) ? like.verb : (verbs[0] ?? "quantize");
}
