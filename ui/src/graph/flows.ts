// SPDX-License-Identifier: Apache-2.0
// Where each edge runs: at the level where its ends part, and through the border of each group that it leaves or
// enters.
import { bucketsOf } from "./buckets";
import { partingOf, type Ends, type Nest } from "./nest";

/** Of group - ops those from starts[group - ops] on. An edge that lies inside one box runs nowhere. */
export interface Flows {
  starts: Int32Array;
  edges: Int32Array;
  from: Int32Array; // the place of a child of the group; -1: its border
  to: Int32Array;
}

export function flowsOf(ops: number, groups: number, nest: Nest, ends: Ends): Flows {
  const at: number[] = [];
  const edges: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  let edge = 0;
  const run = (inside: number, start: number, end: number) => {
    at.push(nest.parents[inside]! - ops);
    edges.push(edge);
    from.push(start);
    to.push(end);
  };
  const { places } = nest;
  const leave = (node: number) => run(node, places[node]!, -1);
  const enter = (node: number) => run(node, -1, places[node]!);
  for (; edge < ends.from.length; ++edge) {
    if (ends.from[edge] === ends.to[edge]) continue;
    const [start, end] = partingOf(nest, ends.from[edge]!, ends.to[edge]!, leave, enter);
    run(start, places[start]!, places[end]!);
  }
  const { starts, items } = bucketsOf(at, groups);
  const inOrder = (list: readonly number[]) => items.map((item) => list[item]!);
  return { starts, edges: inOrder(edges), from: inOrder(from), to: inOrder(to) };
}
