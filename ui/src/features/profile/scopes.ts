// SPDX-License-Identifier: Apache-2.0
// Scopes that the names of ops tell, with the times of all that lies in them.
import { percent } from "../../base/numbers";
import type { Column } from "../../base/table";
import { added, noTime, totalOf, type Leaf, type Parts } from "./model";
import { clockOf, times, type Clock } from "./said";

export interface Scope {
  key: string; // its path
  label: string;
  of: Parts[]; // sums, of each model
  ops: number;
  position: number; // of the first op in it
  scopes: Scope[]; // in the order of execution, like the next
  leaves: Leaf[];
}

export const madeByRuntime = "(made by the runtime)";

/**
 * The scopes of a name, and what is left: "/layer.0/attention/MatMul" lies in layer.0 and attention. Dots tell scopes
 * where there are no slashes. An op without a name is called "Type:result".
 */
export function split(name: string): { path: string[]; label: string } {
  const unnamed = /^(\w+):(.*\/.*)$/.exec(name);
  const whole = unnamed ? unnamed[2]! : name;
  const parts = whole.split(whole.includes("/") ? "/" : ".").filter((part) => part !== "");
  const last = parts.pop() ?? name;
  return { path: parts, label: unnamed ? `${unnamed[1]}:${last}` : last };
}

interface Open {
  scope: Scope;
  inside: Map<string, Open>;
}

function opened(key: string, label: string, models: number): Open {
  const of = Array.from({ length: models }, () => noTime);
  return { scope: { key, label, of, ops: 0, position: Infinity, scopes: [], leaves: [] }, inside: new Map() };
}

function add(scope: Scope, leaf: Leaf): void {
  scope.of = scope.of.map((sum, model) => added(sum, leaf.of[model] ?? noTime));
  scope.ops += 1;
  scope.position = Math.min(scope.position, leaf.position);
}

/** Scopes that hold nothing but one other scope are told together: "encoder/layer". */
function closed(open: Open): Scope {
  const inner = [...open.inside.values()].map(closed);
  const only = inner.length === 1 && open.scope.leaves.length === 0 ? inner[0] : undefined;
  if (only && open.scope.key !== "") return { ...only, label: `${open.scope.label}/${only.label}` };
  inner.sort((a, b) => a.position - b.position || b.ops - a.ops);
  open.scope.leaves.sort((a, b) => a.position - b.position);
  return { ...open.scope, scopes: inner };
}

/** The whole model as one scope, its key empty. */
export function treeOf(leaves: readonly Leaf[], label: string): Scope {
  const models = leaves[0]?.of.length ?? 1;
  const root = opened("", label, models);
  for (const leaf of leaves) {
    const path = leaf.isMade ? [madeByRuntime] : split(leaf.name).path;
    let at = root;
    add(at.scope, leaf);
    for (const part of path) {
      let next = at.inside.get(part);
      if (!next) at.inside.set(part, (next = opened(`${at.scope.key}/${part}`, part, models)));
      at = next;
      add(at.scope, leaf);
    }
    at.scope.leaves.push(leaf);
  }
  return closed(root);
}

export interface TreeRow {
  key: string;
  label: string;
  name: string; // in full
  depth: number;
  of: Parts[];
  ops: number;
  isScope: boolean;
  isOpen: boolean;
}

function leafRow(leaf: Leaf, depth: number): TreeRow {
  const label = leaf.isMade ? leaf.name : split(leaf.name).label;
  return { key: leaf.key, label, name: leaf.name, depth, of: leaf.of, ops: 1, isScope: false, isOpen: false };
}

/** The rows in sight. Scopes and single ops of one level are mixed by the order of execution. */
export function rowsInSight(root: Scope, isOpen: (key: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (scope: Scope, depth: number): void => {
    let next = 0;
    const single = (before: number) => {
      while (next < scope.leaves.length && scope.leaves[next]!.position < before) rows.push(leafRow(scope.leaves[next++]!, depth));
    };
    for (const inner of scope.scopes) {
      single(inner.position);
      const open = isOpen(inner.key);
      rows.push({ key: inner.key, label: inner.label, name: inner.key, depth, of: inner.of, ops: inner.ops, isScope: true, isOpen: open });
      if (open) visit(inner, depth + 1);
    }
    while (next < scope.leaves.length) rows.push(leafRow(scope.leaves[next++]!, depth));
  };
  visit(root, 0);
  return rows;
}

/** Scopes that are open at first: those which hold most of the time, until so many rows are in sight. */
export function openAtFirst(root: Scope, most = 32): Set<string> {
  const open = new Set<string>();
  const time = (scope: Scope) => Math.max(0, ...scope.of.map(totalOf));
  let rows = root.scopes.length + root.leaves.length;
  const waiting = [...root.scopes];
  for (;;) {
    waiting.sort((a, b) => time(b) - time(a));
    const next = waiting.shift();
    if (!next) return open;
    const inside = next.scopes.length + next.leaves.length;
    if (rows + inside > most) return open;
    rows += inside;
    open.add(next.key);
    waiting.push(...next.scopes);
  }
}

export function scopeAt(root: Scope, key: string): Scope | null {
  if (key === root.key) return root;
  for (const inner of root.scopes) {
    if (key === inner.key) return inner;
    if (key.startsWith(`${inner.key}/`)) return scopeAt(inner, key);
  }
  return null;
}

/** From the root to the scope. */
export function wayTo(root: Scope, key: string): Scope[] {
  const way = [root];
  for (let at: Scope | undefined = root; at && at.key !== key; ) {
    at = at.scopes.find((inner) => inner.key === key || key.startsWith(`${inner.key}/`));
    if (at) way.push(at);
  }
  return way;
}

/** All scopes and ops, as they are saved. */
export function allRows(root: Scope): TreeRow[] {
  return rowsInSight(root, () => true);
}

/** Of the whole run, in the model that takes longer. */
export function scopeClock(root: Scope): Clock {
  return clockOf(root.of.map(totalOf));
}

/** Columns of the tree: of two models both times and what the difference is made of, of one its share. */
export function treeColumns(models: readonly string[], root: Scope): Column<TreeRow>[] {
  const column = (id: string, title: string, meaning: string, of: (row: TreeRow) => number, show: (value: number) => string, width: number): Column<TreeRow> =>
    ({ id, title, meaning, of, show: (row) => show(of(row)), first: "down", width });
  const { unit, figure } = scopeClock(root);
  const time = (id: string, title: string, meaning: string, of: (row: TreeRow) => number, width: number): Column<TreeRow> =>
    ({ ...column(id, `${title} [${unit.name}]`, meaning, (row) => of(row) / unit.size, String, width), show: (row) => figure(of(row)) });
  const total = (model: number) => (row: TreeRow) => totalOf(row.of[model] ?? noTime);
  const part = (model: number, kind: keyof Parts) => (row: TreeRow) => row.of[model]?.[kind] ?? 0;
  const share = (model: number) => (row: TreeRow) => total(model)(row) / totalOf(root.of[model] ?? noTime);
  const columns: Column<TreeRow>[] = [
    { id: "name", title: "Scope", meaning: "part of the network, by the names of its ops", of: (row) => row.name, show: (row) => row.label,
      first: "up", width: 196 },
    column("ops", "Ops", "that lie in it", (row) => row.ops, String, 50),
  ];
  const last = models.length - 1;
  models.forEach((model, index) => columns.push(time(`total${index}`, model, "of one run", total(index), 94)));
  if (last > 0) {
    columns.push(
      column("speedup", "Speed-up", "time in float over time in int8", (row) => total(0)(row) / total(1)(row), times, 92),
      time("gain", "Gain", "what int8 gains there; below 0 it is slower", (row) => total(0)(row) - total(1)(row), 88),
    );
  }
  columns.push(
    column("share", last > 0 ? "Share of INT8" : "Share", "of all ops", share(last), (value) => percent(value, 1), last > 0 ? 126 : 76),
    time("conversions", "Conversions", "of that, quantizers and dequantizers", part(last, "conversions"), 142),
    time("layouts", "Layouts", "of that, reorders, transposes and casts that the runtime put in", part(last, "layouts"), 112),
  );
  return columns;
}

/** With what a row is: sums of scopes hold those of what lies in them. */
export function savedColumns(models: readonly string[], root: Scope): Column<TreeRow>[] {
  const kind = (row: TreeRow) => (row.isScope ? "scope" : "op");
  return [...treeColumns(models, root), { id: "kind", title: "Kind", meaning: "", of: kind, show: kind, first: "up", width: 60 }];
}
