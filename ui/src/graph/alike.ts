// SPDX-License-Identifier: Apache-2.0
// Groups that are equal inside: the same kinds of ops in the same groups, with the same edges between them.
import { bucketsOf } from "./buckets";
import { numbering } from "./known";
import { outwardFirst, partingOf, type Ends, type Nest } from "./nest";
import type { OpGraph } from "./ops";

type Ops = Pick<OpGraph, "source" | "target" | "host">;

interface Walk {
  order: number[]; // groups, inner ones behind those around them
  places: Int32Array; // of each op in the walk through the tree; of a group that of the first op in it
}

/** What hangs on an op comes before it. */
function walkThrough(ops: number, children: readonly ArrayLike<number>[], host: Int32Array): Walk {
  const hanging = bucketsOf(host, ops);
  const walk: Walk = { order: [], places: new Int32Array(ops + children.length) };
  let next = 0;
  for (const node of outwardFirst(ops, children)) {
    if (node >= ops) {
      walk.order.push(node);
      walk.places[node] = next;
      continue;
    }
    for (let at = hanging.starts[node]!; at < hanging.starts[node + 1]!; ++at) walk.places[hanging.items[at]!] = next++;
    walk.places[node] = next++;
  }
  return walk;
}

const mostPlaces = 2 ** 24; // in a number for two of them

/** Of each group the edges that part in it: places of their ops, counted from its first one, as one number. */
function edgesWithin(nest: Nest, ends: Ends, graph: Ops, walk: Walk, ops: number): number[][] {
  const edges: number[][] = walk.order.map(() => []);
  for (let edge = 0; edge < ends.from.length; ++edge) {
    const [from, to] = [ends.from[edge]!, ends.to[edge]!];
    const group = nest.parents[from === to ? from : partingOf(nest, from, to)[0]]!;
    const first = walk.places[group]!;
    const [source, target] = [walk.places[graph.source[edge]!]! - first, walk.places[graph.target[edge]!]! - first];
    edges[group - ops]!.push(source * mostPlaces + target);
  }
  return edges;
}

/** Of each group: those of one number are alike; -1: there is none like it. The root is like none. */
export function alikeOf(
  ops: number,
  children: readonly ArrayLike<number>[],
  graph: Ops & { kinds: Int32Array },
  nest: Nest,
  ends: Ends,
): Int32Array {
  const { kinds } = graph;
  const walk = walkThrough(ops, children, graph.host);
  const edges = edgesWithin(nest, ends, graph, walk, ops);
  const hanging = bucketsOf(graph.host, ops);
  const opText = (op: number) => {
    let text = ` ${kinds[op]}`;
    for (let at = hanging.starts[op]!; at < hanging.starts[op + 1]!; ++at) text += `+${kinds[hanging.items[at]!]}`;
    return text;
  };
  const classes = new Int32Array(children.length);
  const numberOf = numbering<string>();
  const members: number[][] = []; // of each class
  for (const group of walk.order.reverse()) {
    if (group === ops) continue;
    let text = edges[group - ops]!.sort((a, b) => a - b).join();
    const inner = children[group - ops]!;
    for (let place = 0; place < inner.length; ++place) {
      const child = inner[place]!;
      text += child < ops ? opText(child) : ` #${classes[child - ops]}`;
    }
    const own = (classes[group - ops] = numberOf(text));
    (members[own] ??= []).push(group);
  }
  const alike = new Int32Array(children.length).fill(-1);
  let number = 0;
  for (const groups of members.filter(({ length }) => length > 1).reverse()) {
    for (const group of groups) alike[group - ops] = number;
    ++number;
  }
  return alike;
}
