// SPDX-License-Identifier: Apache-2.0
// What may be asked of each verb, out of the server's OpenAPI document: a field that the server gains is here the same day.

import { listOf, objectOf, type Loose } from "../../base/loose";

export type Kind = "text" | "count" | "counts" | "real" | "flag" | "word" | "recipe";

export interface Field {
  name: string;
  kind: Kind;
  words: string[];
  least: number;
  most: number;
  meaning: string;
  isNeeded: boolean;
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((one): one is string => typeof one === "string");
}

function kindOf(schema: Loose): Kind {
  const type = schema["type"];
  if (type === "boolean") return "flag";
  if (type === "integer") return "count";
  if (type === "number") return "real";
  if (type === "string") return textsOf(schema["enum"]).length > 0 ? "word" : "text";
  return "anyOf" in schema ? "counts" : "recipe";
}

function fieldOf(name: string, value: unknown, needed: readonly string[]): Field {
  const schema = objectOf(value);
  const number = (key: string, missing: number) => (typeof schema[key] === "number" ? schema[key] : missing);
  return {
    name,
    kind: kindOf(schema),
    words: textsOf(schema["enum"]),
    least: number("minimum", -Infinity),
    most: number("maximum", Infinity),
    meaning: typeof schema["description"] === "string" ? schema["description"] : "",
    isNeeded: needed.includes(name),
  };
}

/** The fields of each verb, in the order of its command line; empty where the document has none. */
export function verbsOf(document: unknown): Map<string, Field[]> {
  const inside = (value: unknown, ...names: string[]) => names.reduce((at, name) => objectOf(at)[name], value);
  const body = inside(document, "paths", "/api/v1/jobs", "post", "requestBody", "content", "application/json", "schema");
  const verbs = new Map<string, Field[]>();
  for (const form of listOf(objectOf(body)["anyOf"])) {
    const properties = objectOf(objectOf(form)["properties"]);
    const [verb] = textsOf(objectOf(properties["verb"])["enum"]);
    if (verb === undefined) continue;
    const needed = textsOf(objectOf(form)["required"]);
    const names = Object.keys(properties).filter((name) => name !== "verb");
    verbs.set(verb, names.map((name) => fieldOf(name, properties[name], needed)));
  }
  return verbs;
}

const meanings: Readonly<Record<string, string>> = {
  quantize: "Make an int8 model of a float one, and see what that costs",
  diagnose: "Compare a float model with its quantized form, op by op",
  tune: "Search for a recipe that keeps the accuracy within a goal",
  profile: "See where the time goes, node by node",
  benchmark: "Measure latency and throughput",
  evaluate: "Score a model, or two over the same samples",
  calibrate: "Gather ranges of activations, to quantize with later",
  report: "Write a stored run into one file, for a colleague or a pipeline",
  tensorboard: "Write a stored run as event files that TensorBoard shows",
};

export function verbMeaning(verb: string): string {
  return meanings[verb] ?? "";
}

/** What most people set, in this order; all else is under "More options". */
const first: Readonly<Record<string, readonly string[]>> = {
  quantize: ["model", "data", "metric", "recipe", "accuracy_level", "diagnose", "verify"],
  diagnose: ["model", "quantized", "data", "metric", "local"],
  tune: ["model", "data", "metric", "max_loss", "objective", "recipe"],
  profile: ["model", "other", "data", "verify"],
  benchmark: ["model", "other", "batch_size", "instances"],
  evaluate: ["model", "against", "data", "metric"],
  calibrate: ["model", "data", "recipe"],
  report: ["workload", "other_workload", "fail_below", "max_loss"],
  tensorboard: ["workload", "logdir"],
};

/** Those that stand in the form at once, and the rest. A verb that is new here shows what it needs. */
export function parted(verb: string, fields: readonly Field[]): { shown: Field[]; more: Field[] } {
  const order = first[verb] ?? fields.filter((field) => field.isNeeded).map((field) => field.name);
  const isShown = (field: Field) => order.includes(field.name) || field.name === "name";
  const rank = (field: Field) => (field.name === "name" ? order.length : order.indexOf(field.name));
  return {
    shown: fields.filter(isShown).sort((a, b) => rank(a) - rank(b)),
    more: fields.filter((field) => !isShown(field)),
  };
}

const titles: Readonly<Record<string, string>> = {
  quantized: "Quantized model", other: "Second model", against: "Compare with", max_loss: "Allowed loss", workload: "Run", other_workload: "Second run",
  logdir: "Folder", tensorboard: "TensorBoard folder", tensorboard_tags: "TensorBoard tags",
};

/** "calibration_data" is "Calibration data". */
export function titleOf(name: string, verb: string): string {
  if (name === "model" && ["quantize", "diagnose", "tune", "calibrate"].includes(verb)) return "Float model";
  const plain = name.replaceAll("_", " ");
  return titles[name] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

const said: Readonly<Record<string, string>> = {
  "tune max_loss": "of the float model's accuracy, as a share of it",
  "report max_loss": "of the float model's accuracy, as a share of it; a greater loss is told first",
  "report fail_below": "SQNR in dB; an op with less is told first",
  "tune absolute": "the allowed loss is in the metric's own unit, not a share",
  "quantize approach": "when ranges of activations are found: before, by calibration, or as the model runs",
  "benchmark batch_size": "samples at once; several with commas between",
};

/** What a field means: the server's words, where nothing better fits the form. */
export function meaningOf(verb: string, field: Field): string {
  return said[`${verb} ${field.name}`] ?? field.meaning;
}

/** What takes a path of something that is there, with the endings that it usually has; a folder too, where images may be. */
export interface PathKind {
  endings: readonly string[];
  takesFolder: boolean;
  words: readonly string[]; // that it takes instead
}

const data: PathKind = { endings: [".npz", ".npy", ".yaml", ".yml", ".json"], takesFolder: true, words: ["random"] };
const model: PathKind = { endings: [".onnx"], takesFolder: false, words: [] };
const paths: Readonly<Record<string, PathKind>> = {
  model, quantized: model, other: model, against: model, data, calibration_data: data,
  ranges: { endings: [".bin", ".json"], takesFolder: false, words: [] },
  prices: { endings: [".json"], takesFolder: false, words: ["measured", "none"] },
};
/** These are made by the job: nothing is there to be picked. */
const made = ["output", "emit_recipe", "trace", "logdir", "tensorboard"];

export function pathKindOf(field: Field): PathKind | null {
  if (field.kind !== "text" || made.includes(field.name)) return null;
  const isPath = /\bpath\b/.test(field.meaning);
  return paths[field.name] ?? (isPath ? { endings: [], takesFolder: false, words: [] } : null);
}

/** A count that is a tick for most people. */
export interface CountTick {
  title: string;
  unit: string;
  count: string; // how many, where only the tick is set
  isUsual: boolean; // the program does it by itself, and 0 leaves it out
  needs: string;
  isOff: (values: Readonly<Record<string, string | boolean>>) => boolean;
}

/** By verb and field. */
export const countTicks: Readonly<Record<string, CountTick>> = {
  "quantize verify": {
    title: "Try the remedies of the first findings", unit: "findings", count: "3", isUsual: false, needs: "needs the diagnosis",
    isOff: (values) => values["diagnose"] !== true,
  },
  "profile verify": {
    title: "Time the remedies of the first findings", unit: "findings", count: "5", isUsual: true, needs: "needs a second model",
    isOff: (values) => String(values["other"] ?? "").trim() === "",
  },
  "diagnose local": {
    title: "Find the error of each op alone, in a second pass", unit: "samples", count: "32", isUsual: true, needs: "", isOff: () => false,
  },
};

const usual: Readonly<Record<string, string>> = {
  "quantize approach": "static", "quantize format": "qdq", accuracy_level: "default", target: "auto: this machine", objective: "int8",
  strategy: "auto", max_loss: "0.01: a hundredth", max_trials: "100", timeout: "no limit", prices: "measured", seed: "0", isolate_timeout: "600",
  rounds: "10", warmup: "10",
  name: "the model's file name", limit: "all", threads: "all", output: "in the job's folder", instances: "1, on any core",
};

/** What holds where a field is left empty, as far as that is one word. */
export function usualOf(verb: string, name: string): string {
  return usual[`${verb} ${name}`] ?? usual[name] ?? "";
}
