// SPDX-License-Identifier: Apache-2.0
// Which groups are open: at first, and as the address holds it.
import type { Tree } from "../../graph/tree";
import { around } from "./groups";

export const mostOpen = 150; // boxes up to which all groups are open at first
const few = 3; // boxes that tell nothing of a network
const longest = 6000; // letters of an address

/** All of a small network; of a large one its outermost groups closed, but for those around the op in question. */
export function firstOpen(tree: Tree, boxes: number, culprit: number): Set<number> {
  const groups = Array.from({ length: tree.children.length - 1 }, (_, index) => tree.ops + 1 + index);
  if (boxes <= mostOpen) return new Set(groups);
  const open = new Set(culprit >= 0 ? around(tree, culprit) : []);
  for (let at = tree.ops; ; ) {
    const inside = [...tree.children[at - tree.ops]!].filter((node) => node >= tree.ops);
    if (inside.length !== 1 || tree.children[at - tree.ops]!.length > few + inside.length) return open;
    at = inside[0]!;
    open.add(at);
  }
}

const escaped = (path: string) => path.replace(/[%,]/g, (mark) => (mark === "%" ? "%25" : "%2C"));
const plain = (path: string) => path.replaceAll("%2C", ",").replaceAll("%25", "%");

/** By their paths, outer ones first: where there is not room for all, inner ones are closed again. "-": none, "*": all. */
export function openText(tree: Tree, open: ReadonlySet<number>): string {
  if (open.size === 0) return "-";
  if (open.size === tree.children.length - 1) return "*";
  let text = "";
  for (const group of [...open].sort((one, other) => tree.depth[one]! - tree.depth[other]! || one - other)) {
    const path = escaped(tree.paths[group - tree.ops]!);
    if (text.length + path.length > longest) break;
    text += (text === "" ? "" : ",") + path;
  }
  return text;
}

/** Groups that this network does not have are left out. */
export function openOf(tree: Tree, text: string): Set<number> {
  if (text === "-") return new Set();
  const all = new Map(tree.paths.map((path, index) => [path, tree.ops + index]));
  all.delete(tree.paths[0]!); // the root's
  if (text === "*") return new Set(all.values());
  return new Set(text.split(",").flatMap((path) => all.get(plain(path)) ?? []));
}

/** With all groups around it: one cannot be open in a closed one. */
export function withOpen(tree: Tree, open: ReadonlySet<number>, group: number): Set<number> {
  return new Set([...open, group, ...around(tree, group)]);
}

/** With those in it: who opens it again sees it as it is at first. */
export function withoutOpen(tree: Tree, open: ReadonlySet<number>, group: number): Set<number> {
  return new Set([...open].filter((one) => one !== group && !around(tree, one).includes(group)));
}

/** So that the op is a box. */
export function showingOp(tree: Tree, open: ReadonlySet<number>, op: number): ReadonlySet<number> {
  const groups = around(tree, op);
  return groups.every((group) => open.has(group)) ? open : new Set([...open, ...groups]);
}
