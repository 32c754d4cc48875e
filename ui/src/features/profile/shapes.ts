// SPDX-License-Identifier: Apache-2.0
// What a profile has: of one model, or of two beside each other.
import type { Interval } from "../../base/numbers";

export type Role = "op" | "quantize" | "dequantize" | "reorder" | "transpose" | "cast";

export interface OpRef {
  id: string; // empty: not known
  name: string;
}

/** A node that the runtime ran. Times in microseconds, of one run but for the first three. */
export interface NodeRow {
  key: string;
  name: string;
  type: string;
  provider: string;
  role: Role;
  position: number;
  ops: OpRef[];
  inputs: string[];
  outputs: string[];
  total: number;
  accelerator: number;
  cpu: number;
  mean: number;
  median: number;
  p95: number;
  share: number;
  runs: number;
  defined: number;
  scaling: number;
  bytes: number;
  operations: number;
  gigabytes: number; // a second
  gigaops: number; // a second
  bound: string;
}

export interface Wall {
  runs: number;
  mean: number;
  median: number;
  interval: Interval | null; // of the median
  p90: number;
  p95: number;
  p99: number;
}

export interface Side {
  model: string; // path
  name: string; // of its file
  source: string;
  threads: number;
  batch: number;
  wall: Wall;
  nodesUs: number;
  outsideUs: number;
  eventUs: number;
  machine: { gigabytes: number; float: number; int8: number } | null;
  nodes: NodeRow[];
  types: NodeRow[]; // one row a type, `defined` nodes each
}

/** Ops of the float model that are computed as a unit, in both models. Microseconds of one run. */
export interface JoinedRow {
  key: string;
  name: string;
  type: string;
  ops: OpRef[];
  float: number;
  kernels: number; // of the quantized run, like the next two
  conversions: number;
  layouts: number;
  gain: number;
  floatNodes: string[];
  int8Nodes: string[];
  isInt8: boolean;
  isWrapped: boolean;
}

export interface Trial {
  ops: OpRef[];
  ratio: number;
  ratioInterval: Interval | null;
  gain: number; // milliseconds
  gainInterval: Interval | null;
  before: number;
  inFloat: number;
  around: number;
}

export interface Finding {
  number: number; // from 1, as remedy_N.json has it
  rule: string;
  ops: OpRef[];
  milliseconds: number;
  because: string;
  remedy: unknown; // null: none
  trial: Trial | null;
}

export interface Pair {
  ratio: number; // of the quantized model's wall time over the float model's
  ratioInterval: Interval | null;
  ops: JoinedRow[];
  findings: Finding[];
  verdict: string;
}

export interface Times {
  reference: Side;
  quantized: Side | null;
  pair: Pair | null;
}
