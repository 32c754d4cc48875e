// SPDX-License-Identifier: Apache-2.0
// The answers of a report: a file that holds these pages and some runs, and has no server.
import { ApiError } from "./problem";
import type { components } from "./types";

type Schemas = components["schemas"];

/** What was asked of a run: `quantlens report --fail-below 20`. */
export interface Gate {
  workload: string; // id
  asks: string; // "SQNR >= 20 dB"
  reached: boolean;
  because: string; // empty where it is reached
}

/** What of a run is missing or damaged, and is therefore not in the file. */
export interface LeftOut {
  workload: string; // id
  because: string; // a sentence
}

/** What `quantlens report` writes into the file; public/report.html reads it before the pages. */
export interface Report {
  format: 1;
  made: string; // when, ISO 8601
  version: string; // of quantlens
  runs: string[]; // ids
  workloads: Schemas["ListedRun"][]; // the newest first
  answers: Record<string, unknown>; // by address: "workloads/ID", "workloads/ID/ops?op=OP"
  gates: Gate[]; // that were asked for
  left_out?: LeftOut[];
  compared: boolean; // two runs of which one is held against the other
  tables: Record<string, Schemas["TablePage"]>; // by address: "workloads/ID/tables/plan.ops"; all rows
}

declare global {
  var quantlensReport: Report | undefined;
}

/** Null on pages of a server. */
export function reportHere(): Report | null {
  return globalThis.quantlensReport ?? null;
}

/** What needs a server is not offered then: jobs, labels, what-ifs, pictures of samples. */
export function isReport(): boolean {
  return reportHere() !== null;
}

/** Whether its list of runs has nothing to choose from, and is opened for the run's details. */
export function isOfOneRun(): boolean {
  return reportHere()?.runs.length === 1;
}

/** Whether what is different in the second run is read first. */
export function isComparison(): boolean {
  return reportHere()?.runs.length === 2 && reportHere()!.compared;
}

/** Those of a run; none on pages of a server. */
export function gatesOf(run: string): Gate[] {
  return reportHere()?.gates.filter(({ workload }) => workload === run) ?? [];
}

/** Sentences about a run; none on pages of a server. */
export function leftOutOf(run: string): string[] {
  return (reportHere()?.left_out ?? []).filter(({ workload }) => workload === run).map(({ because }) => because);
}

export function refusal(): ApiError {
  return new ApiError(404, "This is a report: it shows what was stored of its runs, and starts or changes nothing.");
}

/** An address by its decoded parts, whatever was encoded in it. */
interface Address {
  parts: string[];
  asked: URLSearchParams;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function addressIn(text: string): Address {
  const [path = "", ...search] = text.split("?");
  return { parts: path.split("/").filter(Boolean).map(decoded), asked: new URLSearchParams(search.join("?")) };
}

/** What tells answers of one path apart; others, as the number of bins, choose how much of it there is. */
const telling = ["op", "reference", "quantized", "channel", "other"];

function keyOf({ parts, asked }: Address, other: Record<string, string> = {}): string {
  return JSON.stringify([parts, telling.map((name) => other[name] ?? asked.get(name))]);
}

interface Index {
  report: Report;
  answers: ReadonlyMap<string, unknown>;
  tables: ReadonlyMap<string, Schemas["TablePage"]>;
}
let kept: Index | null = null;

function indexOf(report: Report): Index {
  if (kept?.report === report) return kept;
  const byKey = <T>(all: Record<string, T>) => new Map(Object.entries(all).map(([text, answer]) => [keyOf(addressIn(text)), answer]));
  return (kept = { report, answers: byKey(report.answers), tables: byKey(report.tables) });
}

/** As the server answers GET of this address below api/v1; throws an ApiError where the report does not have it. */
export function storedAnswer(text: string): unknown {
  const report = reportHere();
  if (!report) throw refusal();
  const index = indexOf(report);
  const address = addressIn(text);
  const [first, run, kind, name] = address.parts;
  if (first !== "workloads") throw refusal();
  if (run === undefined) return listed(report.workloads, address.asked);
  if (!report.runs.includes(run)) throw new ApiError(404, `There is no workload '${run}' in this report.`);
  if (kind === "tables") return tableAt(index, address, name ?? "");
  const found = index.answers.get(keyOf(address)) ?? (kind === "ops" ? byName(index, address, run) : undefined);
  if (found === undefined) throw new ApiError(404, missing(address));
  return kind === "histograms" && name === "pair" ? withAllEdges(found) : found;
}

function missing({ parts: [, , kind, name], asked }: Address): string {
  if (kind === "ops") return `Nothing is stored of an op '${asked.get("op") ?? ""}'.`;
  if (kind === "records") return `This report has no record '${name ?? ""}' of the run.`;
  if (kind === "histograms" && asked.has("channel")) return "Histograms of single channels are not in this report.";
  if (kind === "histograms") return `This report has no pair of '${asked.get("reference") ?? ""}' and '${asked.get("quantized") ?? ""}'.`;
  return kind === "samples" ? "Pictures of samples are not in a report." : "This is not in the report.";
}

function numberIn(asked: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(asked.get(name) ?? NaN);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
}

function listed(runs: readonly Schemas["ListedRun"][], asked: URLSearchParams): Schemas["RunList"] {
  const wants = (name: string, values: readonly string[]) => !asked.get(name) || values.includes(asked.get(name)!);
  const words = (asked.get("q") ?? "").trim().toLowerCase();
  const said = (run: Schemas["ListedRun"]) => [run.id, run.name, run.note, ...run.tags, ...run.models.map(({ path }) => path)].join("\n").toLowerCase();
  const all = runs.filter((run) => wants("verb", [run.verb]) && wants("state", [run.state]) && wants("tag", run.tags) && said(run).includes(words));
  const offset = numberIn(asked, "offset", 0);
  return { total: all.length, offset, workloads: all.slice(offset, offset + numberIn(asked, "limit", 100)) };
}

/** A column that is a part of one which is stored is taken out of it: `scheme.bits` out of `scheme`. */
function cellsOf({ columns }: Schemas["TablePage"], name: string): readonly unknown[] | null {
  if (columns[name]) return columns[name];
  const dot = name.lastIndexOf(".");
  const around = dot < 0 ? null : cellsOf({ columns } as Schemas["TablePage"], name.slice(0, dot));
  const part = name.slice(dot + 1);
  return around && around.map((cell) => (typeof cell === "object" && cell !== null ? ((cell as Record<string, unknown>)[part] ?? null) : null));
}

function tableAt(index: Index, address: Address, list: string): Schemas["TablePage"] {
  const table = index.tables.get(keyOf(address));
  if (!table) throw new ApiError(404, `This report has no list '${list}' of the run.`);
  const [offset, limit] = [numberIn(address.asked, "offset", 0), numberIn(address.asked, "limit", 100)];
  const names = address.asked.get("columns")?.split(",") ?? Object.keys(table.columns);
  const chosen = names.map((name) => {
    const cells = cellsOf(table, name);
    if (!cells) throw new ApiError(400, `${list} has no column '${name}'; it has ${Object.keys(table.columns).join(", ")}`);
    return [name, cells.slice(offset, offset + limit)] as const;
  });
  const count = Math.max(0, Math.min(limit, table.rows - offset));
  return { rows: table.rows, offset, count, columns: Object.fromEntries(chosen) };
}

/** Of an op that is called by its name, as any table of the run has it. */
function byName(index: Index, address: Address, run: string): unknown {
  const wanted = address.asked.get("op");
  for (const [key, table] of index.tables) {
    const [parts] = JSON.parse(key) as [string[]];
    if (parts[1] !== run) continue;
    const [idColumn, nameColumn] = parts[3] === "graph.ops" ? ["op", "name"] : ["op.id", "op.name"];
    const row = cellsOf(table, nameColumn!)?.indexOf(wanted) ?? -1;
    const id = row < 0 ? undefined : cellsOf(table, idColumn!)?.[row];
    const found = id === undefined ? undefined : index.answers.get(keyOf(address, { op: String(id) }));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The report tells the first edge and the last one; those between are equally far apart. */
function withAllEdges(answer: unknown): unknown {
  const { edges, reference } = answer as Schemas["HistogramPair"];
  if (edges.length === 0) return answer;
  const [low, high] = edges.map(Number) as [number, number];
  const edge = (part: number) => Number((low * (1 - part) + high * part).toPrecision(6));
  return { ...(answer as object), edges: Array.from({ length: reference.length + 1 }, (_, i) => edge(i / reference.length)) };
}
