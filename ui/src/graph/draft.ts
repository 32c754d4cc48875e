// SPDX-License-Identifier: Apache-2.0
// A tree of groups while it grows: from the scopes in names.
import { upTo } from "./buckets";
import { remembered } from "./known";
import { scopeReader } from "./scopes";

/** Nodes as those of a Tree. A group stands behind the one around it; the first one is the root. */
export interface Draft {
  ops: number;
  children: number[][];
  labels: string[];
  paths: string[];
}

interface Scope {
  label: string;
  above: Scope | null;
  inner: Map<string, Scope> | null;
  group: number; // -1: nothing is in it yet
}

const scopeNamed = (label: string, above: Scope | null): Scope => ({ label, above, inner: null, group: -1 });

function enter(root: Scope, labels: readonly string[]): Scope {
  return labels.reduce((scope, label) => remembered((scope.inner ??= new Map()), label, () => scopeNamed(label, scope)), root);
}

/** The scope of each op. */
function scopesOf(names: readonly string[], boxes: readonly number[]): Scope[] {
  const root = scopeNamed("", null);
  const read = scopeReader();
  const known = new Map<readonly string[], Scope>();
  return boxes.map((op) => {
    const labels = read(names[op]!);
    return remembered(known, labels, () => enter(root, labels));
  });
}

export function addGroup(draft: Draft, label: string, path: string): number {
  draft.labels.push(label);
  draft.paths.push(path);
  draft.children.push([]);
  return draft.ops + draft.labels.length - 1;
}

export const childrenOf = (draft: Draft, group: number) => draft.children[group - draft.ops]!;

function join(above: string, label: string): string {
  return above === "" ? label : `${above}/${label}`;
}

/** Its group, with those around it, in the order in which ops come to lie in them. */
function groupOf(draft: Draft, scope: Scope): number {
  const fresh: Scope[] = [];
  let known = scope;
  while (known.group < 0 && known.above) {
    fresh.push(known);
    known = known.above;
  }
  if (known.group < 0) known.group = addGroup(draft, "", "");
  for (const inner of fresh.reverse()) {
    const above = inner.above!.group;
    inner.group = addGroup(draft, inner.label, join(draft.paths[above - draft.ops]!, inner.label));
    childrenOf(draft, above).push(inner.group);
  }
  return scope.group;
}

/** `boxes`: the ops that do not hang. */
export function draftOf(names: readonly string[], boxes: readonly number[]): Draft {
  const draft: Draft = { ops: names.length, children: [], labels: [], paths: [] };
  if (boxes.length === 0) addGroup(draft, "", "");
  scopesOf(names, boxes).forEach((scope, index) => childrenOf(draft, groupOf(draft, scope)).push(boxes[index]!));
  return draft;
}

/** What a node is called for the groups around it that it stands for. */
export type Titles = Map<number, string>;

/** A group of one is its child by a longer name, and has no children any more. */
export function mergeSingles(draft: Draft): Titles {
  const { ops, children, labels } = draft;
  const titles: Titles = new Map();
  const stands = upTo(children.length).map((group) => ops + group);
  for (let group = children.length - 1; group >= 0; --group) {
    const inner = children[group]!;
    for (let place = 0; place < inner.length; ++place) {
      if (inner[place]! >= ops) inner[place] = stands[inner[place]! - ops]!;
    }
    if (inner.length !== 1 || group === 0) continue;
    const only = inner[0]!;
    stands[group] = only;
    children[group] = [];
    const title = only >= ops ? labels[only - ops] : titles.get(only);
    const longer = title === undefined ? labels[group]! : `${labels[group]}/${title}`;
    if (only >= ops) labels[only - ops] = longer;
    else titles.set(only, longer);
  }
  return titles;
}
