// SPDX-License-Identifier: Apache-2.0
// The run once more with a recipe laid over its own: as a job, and as a command.
import type { Schemas } from "../../api/client";
import { commandOf, type Json } from "../../base/basket";
import { has } from "../../base/view";
import { optionOf, ownWords, writing } from "../../base/words";

type Run = Schemas["ShownRun"];
export type Request = Record<string, Json>;

/** What the recipe is laid over: the run's own, that in the quantized model, or none. */
export type Base = { kind: "run"; id: string; folder: string } | { kind: "model"; path: string } | { kind: "none" };

function pathOf(run: Run, role: string): string {
  return run.models.find((model) => model.role === role)?.path ?? "";
}

const modelOf = (run: Run): string => pathOf(run, "reference") || (run.models[0]?.path ?? "");

export function baseOf(run: Run): Base {
  if (has(run, "recipe")) return { kind: "run", id: run.id, folder: run.folder };
  const path = pathOf(run, "quantized");
  return path ? { kind: "model", path } : { kind: "none" };
}

function countOf(words: readonly string[], option: string): number | null {
  const value = Number(optionOf(words, option) ?? NaN);
  return Number.isInteger(value) && value >= 0 ? value : null;
}

/** By its absolute path; runs of earlier versions have only what their command line said. */
function dataOf(run: Run, role: string): string {
  const data = run.data.find((one) => one.role === role);
  return data?.path || (data?.data ?? "");
}

/** A program as a metric is run by no job. */
export function hasOwnProgram(run: Run): boolean {
  return run.metric.startsWith("command:");
}

const maxName = 200; // bytes that the server takes

function nameOf(run: Run, labels: readonly string[]): string {
  const text = [run.name || "run", ...labels].join(", ").replace(/\p{Cc}/gu, " ");
  let end = Math.min(text.length, maxName);
  while (new TextEncoder().encode(text.slice(0, end)).length > maxName) --end;
  return text.slice(0, end).replace(/[\ud800-\udbff]$/, "").trim(); // never half of a character
}

/** What is asked of the server: a quantization of the same model over the same data, with both recipes. */
export function requestOf(run: Run, recipe: Json, labels: readonly string[], base: Base): Request {
  const words = run.arguments;
  const request: Request = { verb: "quantize", model: modelOf(run), name: nameOf(run, labels) };
  const [data, calibration] = [dataOf(run, "samples"), dataOf(run, "calibration")];
  if (data) Object.assign(request, { data, diagnose: true });
  if (calibration) request["calibration_data"] = calibration;
  if (data && run.metric && !hasOwnProgram(run)) request["metric"] = run.metric;
  for (const name of ["limit", "batch_size", "seed"]) {
    const count = countOf(words, `--${name.replace("_", "-")}`);
    if (count !== null && (name === "seed" || count > 0)) request[name] = count;
  }
  const ranges = run.verb === "quantize" ? optionOf(words, "--ranges") : null;
  if (ranges) request["ranges"] = ranges;
  for (const flag of ["strict", "isolate"]) if (words.includes(`--${flag}`)) request[flag] = true;
  if (base.kind === "none") request["recipe"] = recipe;
  else request["recipe"] = [base.kind === "run" ? base.id : base.path, recipe];
  return request;
}

/** What is written has the form of the model: ONNX, or a frozen graph of TensorFlow whatever it was made from. */
const madeOf = (model: string): string => (model.endsWith(".onnx") ? "mended.onnx" : "mended.pb");

/** The same on the command line: the run's own command, where that quantized. */
export function commandFor(run: Run, recipe: Json, base: Base): string {
  const text = JSON.stringify(recipe);
  const made = madeOf(modelOf(run));
  if (run.verb === "quantize") return commandOf(diagnosing(writing(ownWords(run.arguments), made), run), ["--recipe", text]);
  const request = requestOf(run, recipe, [], base);
  const words = ["quantize", String(request["model"]), "-o", made];
  for (const name of ["data", "calibration_data", "limit", "batch_size", "seed"]) {
    const value = request[name];
    if (value !== undefined) words.push(`--${name.replace("_", "-")}`, String(value));
  }
  if (run.metric) words.push("--metric", run.metric);
  for (const flag of ["strict", "isolate", "diagnose"]) if (request[flag] === true) words.push(`--${flag}`);
  if (base.kind !== "none") words.push("--recipe", base.kind === "run" ? base.folder : base.path);
  return commandOf(words, ["--recipe", text]);
}

function diagnosing(words: readonly string[], run: Run): string[] {
  return words.includes("--diagnose") || !dataOf(run, "samples") ? [...words] : [...words, "--diagnose"];
}
