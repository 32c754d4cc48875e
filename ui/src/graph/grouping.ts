// SPDX-License-Identifier: Apache-2.0
// The tree of a network: scopes in names, groups of one merged with what they hold, large groups cut.
import { alikeOf } from "./alike";
import { draftOf, mergeSingles, type Draft } from "./draft";
import { endsOf, nestOf, outwardFirst } from "./nest";
import type { OpGraph } from "./ops";
import { cutLarge } from "./pieces";
import type { Tree } from "./tree";

/** Groups that hold something, numbered anew: each behind the one around it, in the file's order. */
function numbered({ ops, children, labels, paths }: Draft): Pick<Tree, "children" | "labels" | "paths"> {
  const order = outwardFirst(ops, children).filter((node) => node >= ops);
  const numbers = new Int32Array(children.length);
  order.forEach((group, index) => (numbers[group - ops] = ops + index));
  return {
    children: order.map((group) => {
      const inner = new Int32Array(children[group - ops]!);
      inner.forEach((child, place) => (inner[place] = child < ops ? child : numbers[child - ops]!));
      return inner;
    }),
    labels: order.map((group) => labels[group - ops]!),
    paths: order.map((group) => paths[group - ops]!),
  };
}

/** `kinds`: numbers of the kinds of ops, by which blocks are compared. */
export function treeOf(graph: Pick<OpGraph, "names" | "source" | "target" | "host"> & { kinds: Int32Array }): Tree {
  const { host, names, kinds } = graph;
  const ops = names.length;
  const ends = endsOf(graph);
  const draft = draftOf(names, [...names.keys()].filter((op) => host[op]! < 0));
  const titles = mergeSingles(draft);
  cutLarge(draft, kinds, ends, titles);
  const groups = numbered(draft);
  const nest = nestOf(ops, groups.children);
  const alike = alikeOf(ops, groups.children, graph, nest, ends);
  for (let op = 0; op < ops; ++op) {
    if (host[op]! < 0) continue;
    nest.parents[op] = nest.parents[host[op]!]!;
    nest.depths[op] = nest.depths[host[op]!]!;
  }
  return { ops, parent: nest.parents, depth: nest.depths, ...groups, alike };
}
