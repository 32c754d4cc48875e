// SPDX-License-Identifier: Apache-2.0
// A network's ops and the values between them, as columns that a worker can be sent.
import { remembered } from "./known";

export interface Value {
  name: string;
  dtype: string; // "float32"; "?": not known
  shape: string; // "[N,3,224,224]"; "?": not known
}

/** In the file's order, which is topological; inputs and outputs of the network are ops of types Input and Output. */
export interface OpGraph {
  ids: readonly string[]; // what tables, details and the address name an op by
  names: readonly string[]; // what people see; parts of its scope are parted by "/" or "."
  types: readonly string[];
  kinds: readonly string[]; // words of the record: "conv", "quantize", "other"
  source: Int32Array; // of each edge: the op that makes the value
  target: Int32Array; // of each edge: one that reads it
  carries: Int32Array; // of each edge: which of `values`
  values: readonly Value[];
  /** Of each op the one on which it hangs (hosts.ts): constants, QuantizeLinear and its pair; -1: it is its own box. */
  host: Int32Array;
}

/** Edges, and what is on them. */
export interface Edges extends Pick<OpGraph, "source" | "target" | "carries" | "host"> {
  words: readonly string[]; // of each value: "f32 [N,3,224,224]"
}

/** What a graph is laid out and drawn of. */
export interface DrawnOps extends Edges, Pick<OpGraph, "names" | "types" | "kinds"> {}

/** "f32", where there is not room for "float32". */
export function shortDtype(dtype: string): string {
  return dtype.replace(/^(bfloat|float|uint|int)(?=\d+$)/, (word) => ({ bfloat: "bf", float: "f", uint: "u", int: "i" })[word]!);
}

export function drawnOps({ names, types, kinds, source, target, carries, host, values }: OpGraph): DrawnOps {
  const known = new Map<string, string>();
  const short = (dtype: string) => remembered(known, dtype, () => shortDtype(dtype));
  const words = values.map(({ dtype, shape }) => [short(dtype), shape].filter((text) => text !== "?").join(" "));
  return { names, types, kinds, source, target, carries, host, words };
}

/** An input or output of the network. */
export function isEnd({ kinds }: Pick<OpGraph, "kinds">, op: number): boolean {
  return kinds[op] === "input" || kinds[op] === "output";
}

/** How many ops there are, but for inputs and outputs of the network. */
export function opCount(graph: OpGraph): number {
  return graph.ids.reduce((count, _, op) => count + (isEnd(graph, op) ? 0 : 1), 0);
}
