// SPDX-License-Identifier: Apache-2.0
// profile.json as a run shows it, read field by field: an earlier record may lack some.
import type { Schemas } from "../../api/client";
import { baseName } from "../../base/numbers";
import { count, fields, list, number, span, text, texts, type Fields } from "./fields";
import type { Finding, JoinedRow, NodeRow, OpRef, Role, Side, Times, Trial, Wall } from "./shapes";

export type * from "./shapes";

function refs(value: unknown): OpRef[] {
  return list(value).map((one) => ({ id: text(fields(one)["id"]), name: text(fields(one)["name"]) }));
}

const roles: readonly string[] = ["op", "quantize", "dequantize", "reorder", "transpose", "cast"];

export function nodeOf(value: unknown, index: number): NodeRow {
  const node = fields(value);
  const role = text(node["role"]);
  return {
    key: `node:${index}`,
    name: text(node["name"]),
    type: text(node["type"]),
    provider: text(node["provider"]),
    role: (roles.includes(role) ? role : "op") as Role,
    position: count(node["position"]),
    ops: refs(node["ops"]),
    inputs: texts(node["inputs"]),
    outputs: texts(node["outputs"]),
    total: number(node["total_us"]),
    accelerator: number(node["accelerator_us"]),
    cpu: number(node["cpu_us"]),
    mean: number(node["mean_us"]),
    median: number(node["median_us"]),
    p95: number(node["p95_us"]),
    share: number(node["share"]),
    runs: count(node["runs"]),
    defined: count(node["defined"] ?? 1),
    scaling: number(node["scaling"]),
    bytes: number(node["bytes"]),
    operations: number(node["operations"]),
    gigabytes: number(node["gb_per_second"]),
    gigaops: number(node["gop_per_second"]),
    bound: text(node["bound"]),
  };
}

/** "Conv_3", or of several ops "Conv_3 +1". */
export function unitName(ops: readonly OpRef[]): string {
  const first = ops[0];
  if (!first) return "(no op of the model)";
  return ops.length === 1 ? first.name : `${first.name} +${ops.length - 1}`;
}

/** Two rows of one op have keys of their own, as a chart of them needs. */
function distinct(rows: JoinedRow[]): JoinedRow[] {
  const seen = new Set<string>();
  return rows.map((row, index) => {
    const key = seen.has(row.key) ? `${row.key} ${index}` : row.key;
    seen.add(key);
    return key === row.key ? row : { ...row, key };
  });
}

export function joinedOf(value: unknown, index: number): JoinedRow {
  const row = fields(value);
  const ops = refs(row["ops"]);
  return {
    key: `op:${ops[0]?.id || index}`,
    name: unitName(ops),
    type: text(row["type"]),
    ops,
    float: number(row["reference_us"]),
    kernels: number(row["quantized_us"]),
    conversions: number(row["conversion_us"]),
    layouts: number(row["layout_us"]),
    gain: number(row["gain_us"]),
    floatNodes: texts(row["reference_nodes"]),
    int8Nodes: texts(row["quantized_nodes"]),
    isInt8: row["quantized"] === true,
    isWrapped: row["wrapped"] === true,
  };
}

export function wallOf(value: unknown): Wall {
  const wall = fields(value);
  return {
    runs: count(wall["runs"]),
    mean: number(wall["mean_us"]),
    median: number(wall["median_us"]),
    interval: span(wall["median_interval"]),
    p90: number(wall["p90_us"]),
    p95: number(wall["p95_us"]),
    p99: number(wall["p99_us"]),
  };
}

function machineOf(value: unknown): Side["machine"] {
  if (value === null || typeof value !== "object") return null;
  const machine = fields(value);
  return {
    gigabytes: number(machine["gb_per_second"]),
    float: number(machine["float_gop_per_second"]),
    int8: number(machine["int8_gop_per_second"]),
  };
}

function sideOf(value: unknown, nodes: readonly unknown[] | undefined, types: readonly unknown[] | undefined): Side {
  const side = fields(value);
  return {
    model: text(side["model"]),
    name: baseName(text(side["model"])),
    source: text(side["source"]) || "quantlens",
    threads: count(side["threads"]),
    batch: count(side["batch_size"]),
    wall: wallOf(side["wall"]),
    nodesUs: number(side["nodes_us"]),
    outsideUs: number(side["outside_us"]),
    eventUs: number(side["event_us"]),
    machine: machineOf(side["machine"]),
    nodes: (nodes ?? list(side["nodes"])).map(nodeOf),
    types: (types ?? list(side["types"])).map((row, index) => ({ ...nodeOf(row, index), key: `type:${index}` })),
  };
}

function trialOf(value: unknown): Trial | null {
  if (value === null || typeof value !== "object") return null;
  const trial = fields(value);
  return {
    ops: refs(trial["ops"]),
    ratio: number(trial["ratio"]),
    ratioInterval: span(trial["ratio_interval"]),
    gain: number(trial["gain_ms"]),
    gainInterval: span(trial["gain_interval"]),
    before: number(trial["before_us"]),
    inFloat: number(trial["in_float_us"]),
    around: number(trial["around_us"]),
  };
}

function findingOf(value: unknown, index: number): Finding {
  const finding = fields(value);
  return {
    number: index + 1,
    rule: text(finding["rule"]),
    ops: refs(finding["ops"]),
    milliseconds: number(finding["milliseconds"]),
    because: text(finding["because"]),
    remedy: finding["remedy"] ?? null,
    trial: trialOf(finding["trial"]),
  };
}

/** The lists of profile.json that may be in files of their own, by their names there. */
export const longLists = ["reference.nodes", "reference.types", "quantized.nodes", "quantized.types", "ops"] as const;
export type LongLists = Partial<Record<(typeof longLists)[number], unknown[]>>;

/** Which of them the result of this run has left out. */
export function elsewhere(shown: Pick<Schemas["ShownRun"], "lists">): (typeof longLists)[number][] {
  return longLists.filter((name) => (shown.lists ?? []).some((one) => one.record === "profile" && one.list === name));
}

/** `result`: of one model its own fields, of two those of the record. `longer`: lists that it has left out. */
export function timesOf(result: unknown, longer: LongLists = {}): Times {
  const all = fields(result);
  const isPair = all["quantized"] !== null && typeof all["quantized"] === "object";
  const first = isPair ? fields(all["reference"]) : all;
  const second = fields(all["quantized"]);
  const reference = sideOf(first, longer["reference.nodes"], longer["reference.types"]);
  if (!isPair) return { reference, quantized: null, pair: null };
  return {
    reference,
    quantized: sideOf(second, longer["quantized.nodes"], longer["quantized.types"]),
    pair: {
      ratio: number(all["ratio"]),
      ratioInterval: span(all["ratio_interval"]),
      ops: distinct((longer["ops"] ?? list(all["ops"])).map(joinedOf)),
      findings: list(all["findings"]).map(findingOf),
      verdict: text(all["verdict"]),
    },
  };
}

/** Rows of a table that the server gives in columns. */
export function rowsOf(table: Pick<Schemas["TablePage"], "count" | "columns">): Fields[] {
  const names = Object.keys(table.columns);
  return Array.from({ length: table.count }, (_, row) => Object.fromEntries(names.map((name) => [name, table.columns[name]?.[row]])));
}
