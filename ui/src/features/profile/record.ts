// SPDX-License-Identifier: Apache-2.0
// profile.json as a run shows it, read field by field: an earlier record may lack some.
import type { Schemas } from "../../api/client";
import { countOf, objectOf, listOf, numberOf, spanOf, textOf, textsOf, type Loose } from "../../base/loose";
import { baseName } from "../../base/numbers";
import type { Finding, JoinedRow, NodeRow, OpRef, Role, Side, Times, Trial, Wall } from "./shapes";

export type * from "./shapes";

function refs(value: unknown): OpRef[] {
  return listOf(value).map((one) => ({ id: textOf(objectOf(one)["id"]), name: textOf(objectOf(one)["name"]) }));
}

const roles: readonly string[] = ["op", "quantize", "dequantize", "reorder", "transpose", "cast"];

export function nodeOf(value: unknown, index: number): NodeRow {
  const node = objectOf(value);
  const role = textOf(node["role"]);
  return {
    key: `node:${index}`,
    name: textOf(node["name"]),
    type: textOf(node["type"]),
    provider: textOf(node["provider"]),
    role: (roles.includes(role) ? role : "op") as Role,
    position: countOf(node["position"]),
    ops: refs(node["ops"]),
    inputs: textsOf(node["inputs"]),
    outputs: textsOf(node["outputs"]),
    total: numberOf(node["total_us"]),
    accelerator: numberOf(node["accelerator_us"]),
    cpu: numberOf(node["cpu_us"]),
    mean: numberOf(node["mean_us"]),
    median: numberOf(node["median_us"]),
    p95: numberOf(node["p95_us"]),
    share: numberOf(node["share"]),
    runs: countOf(node["runs"]),
    defined: countOf(node["defined"] ?? 1),
    scaling: numberOf(node["scaling"]),
    bytes: numberOf(node["bytes"]),
    operations: numberOf(node["operations"]),
    gigabytes: numberOf(node["gb_per_second"]),
    gigaops: numberOf(node["gop_per_second"]),
    bound: textOf(node["bound"]),
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
  const row = objectOf(value);
  const ops = refs(row["ops"]);
  return {
    key: `op:${ops[0]?.id || index}`,
    name: unitName(ops),
    type: textOf(row["type"]),
    ops,
    float: numberOf(row["reference_us"]),
    kernels: numberOf(row["quantized_us"]),
    conversions: numberOf(row["conversion_us"]),
    layouts: numberOf(row["layout_us"]),
    gain: numberOf(row["gain_us"]),
    floatNodes: textsOf(row["reference_nodes"]),
    int8Nodes: textsOf(row["quantized_nodes"]),
    isInt8: row["quantized"] === true,
    isWrapped: row["wrapped"] === true,
  };
}

export function wallOf(value: unknown): Wall {
  const wall = objectOf(value);
  return {
    runs: countOf(wall["runs"]),
    mean: numberOf(wall["mean_us"]),
    median: numberOf(wall["median_us"]),
    interval: spanOf(wall["median_interval"]),
    p90: numberOf(wall["p90_us"]),
    p95: numberOf(wall["p95_us"]),
    p99: numberOf(wall["p99_us"]),
  };
}

function machineOf(value: unknown): Side["machine"] {
  if (value === null || typeof value !== "object") return null;
  const machine = objectOf(value);
  return {
    gigabytes: numberOf(machine["gb_per_second"]),
    float: numberOf(machine["float_gop_per_second"]),
    int8: numberOf(machine["int8_gop_per_second"]),
  };
}

function sideOf(value: unknown, nodes: readonly unknown[] | undefined, types: readonly unknown[] | undefined): Side {
  const side = objectOf(value);
  return {
    model: textOf(side["model"]),
    name: baseName(textOf(side["model"])),
    source: textOf(side["source"]) || "quantlens",
    threads: countOf(side["threads"]),
    batch: countOf(side["batch_size"]),
    wall: wallOf(side["wall"]),
    nodesUs: numberOf(side["nodes_us"]),
    outsideUs: numberOf(side["outside_us"]),
    eventUs: numberOf(side["event_us"]),
    machine: machineOf(side["machine"]),
    nodes: (nodes ?? listOf(side["nodes"])).map(nodeOf),
    types: (types ?? listOf(side["types"])).map((row, index) => ({ ...nodeOf(row, index), key: `type:${index}` })),
  };
}

function trialOf(value: unknown): Trial | null {
  if (value === null || typeof value !== "object") return null;
  const trial = objectOf(value);
  return {
    ops: refs(trial["ops"]),
    ratio: numberOf(trial["ratio"]),
    ratioInterval: spanOf(trial["ratio_interval"]),
    gain: numberOf(trial["gain_ms"]),
    gainInterval: spanOf(trial["gain_interval"]),
    before: numberOf(trial["before_us"]),
    inFloat: numberOf(trial["in_float_us"]),
    around: numberOf(trial["around_us"]),
  };
}

function findingOf(value: unknown, index: number): Finding {
  const finding = objectOf(value);
  return {
    number: index + 1,
    rule: textOf(finding["rule"]),
    ops: refs(finding["ops"]),
    milliseconds: numberOf(finding["milliseconds"]),
    because: textOf(finding["because"]),
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
  const all = objectOf(result);
  const isPair = all["quantized"] !== null && typeof all["quantized"] === "object";
  const first = isPair ? objectOf(all["reference"]) : all;
  const second = objectOf(all["quantized"]);
  const reference = sideOf(first, longer["reference.nodes"], longer["reference.types"]);
  if (!isPair) return { reference, quantized: null, pair: null };
  return {
    reference,
    quantized: sideOf(second, longer["quantized.nodes"], longer["quantized.types"]),
    pair: {
      ratio: numberOf(all["ratio"]),
      ratioInterval: spanOf(all["ratio_interval"]),
      ops: distinct((longer["ops"] ?? listOf(all["ops"])).map(joinedOf)),
      findings: listOf(all["findings"]).map(findingOf),
      verdict: textOf(all["verdict"]),
    },
  };
}

/** Rows of a table that the server gives in columns. */
export function rowsOf(table: Pick<Schemas["TablePage"], "count" | "columns">): Loose[] {
  const names = Object.keys(table.columns);
  return Array.from({ length: table.count }, (_, row) => Object.fromEntries(names.map((name) => [name, table.columns[name]?.[row]])));
}
