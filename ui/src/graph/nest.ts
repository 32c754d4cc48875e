// SPDX-License-Identifier: Apache-2.0
// Which group lies in which, and where the ways of two ops to the outermost group meet.
import type { OpGraph } from "./ops";

export interface Nest {
  parents: Int32Array; // of each node; -1: the root, and what hangs
  depths: Int32Array;
  places: Int32Array; // among the children of its group
}

/** All that is in the root: each group before what is in it, in the order of `children`. */
export function outwardFirst(ops: number, children: readonly ArrayLike<number>[]): number[] {
  const nodes: number[] = [];
  const waiting = [ops];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes.push(node);
    if (node < ops) continue;
    const inner = children[node - ops]!;
    for (let place = inner.length - 1; place >= 0; --place) waiting.push(inner[place]!);
  }
  return nodes;
}

/** `children` of each group, which is behind the ops; the root is the first one. */
export function nestOf(ops: number, children: readonly ArrayLike<number>[]): Nest {
  const count = ops + children.length;
  const [depths, places] = [new Int32Array(count), new Int32Array(count)];
  const nest = { parents: new Int32Array(count).fill(-1), depths, places };
  for (const group of outwardFirst(ops, children)) {
    if (group < ops) continue;
    const inner = children[group - ops]!;
    for (let place = 0; place < inner.length; ++place) {
      nest.parents[inner[place]!] = group;
      depths[inner[place]!] = depths[group]! + 1;
      places[inner[place]!] = place;
    }
  }
  return nest;
}

/** Of each edge the boxes at its ends: what hangs is where its host is. */
export interface Ends {
  from: Int32Array;
  to: Int32Array;
}

export function endsOf({ source, target, host }: Pick<OpGraph, "source" | "target" | "host">): Ends {
  const boxOf = (op: number) => (host[op]! >= 0 ? host[op]! : op);
  return { from: source.map(boxOf), to: target.map(boxOf) };
}

type Visit = (node: number) => void;

/** The children of one group in which two boxes lie. Visits what is left and what is entered on the way. */
export function partingOf(nest: Nest, from: number, to: number, leaves?: Visit, enters?: Visit): [number, number] {
  const { parents, depths } = nest;
  let [a, b] = [from, to];
  while (parents[a] !== parents[b]) {
    if (depths[a]! >= depths[b]!) {
      leaves?.(a);
      a = parents[a]!;
    } else {
      enters?.(b);
      b = parents[b]!;
    }
  }
  return [a, b];
}
