// SPDX-License-Identifier: Apache-2.0
// Ops that are no boxes of their own: constants, and QuantizeLinear and DequantizeLinear, hang on what reads them.
// Where several ops read a value, its conversions hang on what makes it, and a constant is a box: no wire says what is
// not so.
import { bucketsOf } from "./buckets";
import type { OpGraph } from "./ops";

type Ops = Pick<OpGraph, "kinds" | "source" | "target">;

const [box, byMaker] = [-1, -2]; // byMaker: on no reader, so on the maker
const none = -3;

/** Of each op the one on which it hangs; -1: it is a box. */
export function hostsOf(graph: Ops): Int32Array {
  const hosts = new Int32Array(graph.kinds.length).fill(box);
  const read = bucketsOf(graph.source, hosts.length);
  const edgesOf = (op: number) => read.items.subarray(read.starts[op]!, read.starts[op + 1]!);
  const readBy = (op: number) => Array.from(edgesOf(op), (edge) => graph.target[edge]!);
  const converts = (op: number) => graph.kinds[op] === "quantize" || graph.kinds[op] === "dequantize";
  for (let op = hosts.length - 1; op >= 0; --op) if (converts(op)) hosts[op] = readerOf(op, readBy(op), hosts);
  hangOnMakers(graph, hosts);
  for (let op = hosts.length - 1; op >= 0; --op) {
    if (graph.kinds[op] === "constant") hosts[op] = Math.max(box, readerOf(op, readBy(op), hosts));
  }
  return hosts;
}

/** The one box that reads an op; readers come behind it in the file's order. */
function readerOf(op: number, readers: readonly number[], hosts: Int32Array): number {
  let found = none;
  for (const reader of readers) {
    const host = hosts[reader] === box ? reader : hosts[reader]!;
    if (reader <= op || host < 0 || (found !== none && found !== host)) return byMaker;
    found = host;
  }
  return found === none ? byMaker : found;
}

function hangOnMakers({ kinds, source, target }: Ops, hosts: Int32Array): void {
  const makers = new Int32Array(kinds.length).fill(none);
  for (let edge = 0; edge < source.length; ++edge) {
    const [maker, op] = [source[edge]!, target[edge]!];
    if (hosts[op] !== byMaker || kinds[maker] === "constant" || makers[op] === maker) continue;
    makers[op] = makers[op] === none && maker < op ? maker : box; // with several it is a box
  }
  hosts.forEach((host, op) => {
    if (host !== byMaker) return;
    const maker = makers[op]!;
    hosts[op] = maker < 0 || hosts[maker] === box ? Math.max(box, maker) : hosts[maker]!;
  });
}
