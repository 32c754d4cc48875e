// SPDX-License-Identifier: Apache-2.0
// Scopes as boxes, each as wide as its time, those inside below it.
import { totalOf, type Leaf, type Parts } from "./model";
import { split, wayTo, type Scope } from "./scopes";

export type BoxKind = "scope" | "op" | "conversions" | "layouts" | "small";

export interface Box {
  key: string; // of the scope or the op
  kind: BoxKind;
  label: string;
  name: string; // in full
  us: number;
  x: number; // 0..1 of the width, like the next
  width: number;
  depth: number;
}

interface Place {
  model: number;
  scale: number; // microseconds that are as wide as the picture
  least: number; // of the width: narrower neighbours become one box
  boxes: Box[];
}

type Child = { scope: Scope; leaf?: undefined } | { leaf: Leaf; scope?: undefined };

function childrenOf(scope: Scope): Child[] {
  const all: { at: number; child: Child }[] = [
    ...scope.scopes.map((inner) => ({ at: inner.position, child: { scope: inner } })),
    ...scope.leaves.map((leaf) => ({ at: leaf.position, child: { leaf } })),
  ];
  return all.sort((a, b) => a.at - b.at || 0).map(({ child }) => child);
}

function partsOf(child: Child, model: number): Parts {
  return (child.scope ?? child.leaf).of[model] ?? { kernels: 0, conversions: 0, layouts: 0 };
}

/** A node that converts, or changes layouts, is drawn as what it does. */
function kindOf({ kernels, conversions, layouts }: Parts): BoxKind {
  if (kernels > 0 || (conversions > 0 && layouts > 0)) return "op";
  return conversions > 0 ? "conversions" : layouts > 0 ? "layouts" : "op";
}

/** What of an op's time is not spent in its kernels, at its right end. */
function drawParts(leaf: Leaf, x: number, depth: number, place: Place): void {
  const parts = partsOf({ leaf }, place.model);
  let at = x + Math.max(0, parts.kernels) / place.scale;
  for (const kind of ["conversions", "layouts"] as const) {
    const us = Math.max(0, parts[kind]);
    const width = us / place.scale;
    if (us > 0 && width >= place.least) place.boxes.push({ key: leaf.key, kind, label: kind, name: leaf.name, us, x: at, width, depth });
    at += width;
  }
}

function drawInside(scope: Scope, x: number, depth: number, place: Place): void {
  let at = x;
  let small = { x: at, us: 0, count: 0 };
  const endSmall = () => {
    const width = small.us / place.scale;
    if (width >= place.least) {
      const label = `${small.count} more`;
      place.boxes.push({ key: scope.key, kind: "small", label, name: `${label} in ${scope.label}`, us: small.us, x: small.x, width, depth });
    }
    small = { x: at, us: 0, count: 0 };
  };
  for (const child of childrenOf(scope)) {
    const us = Math.max(0, totalOf(partsOf(child, place.model)));
    const width = us / place.scale;
    if (width < place.least) {
      if (small.count === 0) small.x = at;
      small = { ...small, us: small.us + us, count: small.count + (child.scope?.ops ?? 1) };
      at += width;
      continue;
    }
    endSmall();
    if (child.scope) drawScope(child.scope, at, depth, place);
    else {
      const { key, name, isMade } = child.leaf;
      const kind = kindOf(partsOf(child, place.model));
      place.boxes.push({ key, kind, label: isMade ? name : split(name).label, name, us, x: at, width, depth });
      if (kind === "op") drawParts(child.leaf, at, depth + 1, place);
    }
    at += width;
  }
  endSmall();
}

function drawScope(scope: Scope, x: number, depth: number, place: Place): void {
  const us = Math.max(0, totalOf(partsOf({ scope }, place.model)));
  const name = scope.key || scope.label;
  place.boxes.push({ key: scope.key, kind: "scope", label: scope.label, name, us, x, width: us / place.scale, depth });
  drawInside(scope, x, depth + 1, place);
}

/** The time that is as wide as the picture: that of the model which spends more in the scope. */
export function scaleOf(scope: Scope): number {
  return Math.max(Number.MIN_VALUE, ...scope.of.map(totalOf));
}

/** Boxes of one model; what is above the scope of `zoom` is as wide as that. */
export function flameOf(root: Scope, zoom: string, model: number, least: number): Box[] {
  const way = wayTo(root, zoom);
  const scope = way.at(-1)!;
  const place: Place = { model, scale: scaleOf(scope), least, boxes: [] };
  way.slice(0, -1).forEach((above, depth) => {
    const us = totalOf(partsOf({ scope: above }, model));
    place.boxes.push({ key: above.key, kind: "scope", label: above.label, name: above.key || above.label, us, x: 0, width: 1, depth });
  });
  drawScope(scope, 0, way.length - 1, place);
  return place.boxes;
}

export function depthOf(boxes: readonly Box[]): number {
  return boxes.reduce((most, box) => Math.max(most, box.depth + 1), 0);
}

/** Where the arrow keys lead from a box; null: nowhere. */
export function neighbour(boxes: readonly Box[], from: number, key: string): number | null {
  const here = boxes[from];
  if (!here) return boxes.length > 0 ? 0 : null;
  const middle = here.x + here.width / 2;
  const level = (depth: number) => boxes.map((box, index) => ({ box, index })).filter(({ box }) => box.depth === depth);
  if (key === "ArrowUp") return level(here.depth - 1).find(({ box }) => box.x <= middle && middle <= box.x + box.width)?.index ?? null;
  if (key === "ArrowDown") {
    const inside = level(here.depth + 1).filter(({ box }) => box.x + box.width > here.x && box.x < here.x + here.width);
    return inside.reduce<{ box: Box; index: number } | null>((most, one) => (!most || one.box.us > most.box.us ? one : most), null)?.index ?? null;
  }
  const row = level(here.depth).sort((a, b) => a.box.x - b.box.x);
  const at = row.findIndex(({ index }) => index === from);
  const by = { ArrowRight: 1, ArrowLeft: -1, Home: -row.length, End: row.length }[key];
  if (by === undefined) return null;
  return row[Math.min(row.length - 1, Math.max(0, at + by))]?.index ?? null;
}
