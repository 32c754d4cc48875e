// SPDX-License-Identifier: Apache-2.0
import { numbering } from "./known";
import type { DrawnOps, OpGraph } from "./ops";

/** What a layout needs of a graph. */
export interface Outline extends Pick<OpGraph, "names" | "source" | "target" | "carries" | "host"> {
  kinds: Int32Array; // of each op a number: of equal ones for blocks that are compared
}

export function outlineOf({ names, source, target, carries, host, kinds, types }: OpGraph | DrawnOps): Outline {
  const numberOf = numbering<string>();
  const kindOf = (kind: string, op: number) => numberOf(kind === "other" ? types[op]! : kind);
  return { names, source, target, carries, host, kinds: new Int32Array(kinds.map(kindOf)) };
}
