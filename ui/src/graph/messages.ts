// SPDX-License-Identifier: Apache-2.0
// What page and worker tell each other: one answer to each request, in their order; none to a change, but pictures.
import type { Camera, Point, Size } from "./camera";
import type { Drawn, Numbered, Spot } from "./drawing";
import type { DrawnOps } from "./ops";
import { receivedTexts, receivedWords, sentTexts, sentWords, type Texts, type Words } from "./texts";
import type { Tree } from "./tree";

export type Request =
  | { graph: SentOps }
  | { open: readonly number[] }
  | { camera: Camera; view: Size; pixel: Point }
  | { caption: readonly string[] };

export interface SentOps extends Pick<DrawnOps, "source" | "target" | "carries" | "host"> {
  names: Texts;
  types: Words;
  kinds: Words;
  words: Words;
}

export function sentOps({ names, types, kinds, words, ...more }: DrawnOps): SentOps {
  return { ...more, names: sentTexts(names), types: sentWords(types), kinds: sentWords(kinds), words: sentWords(words) };
}

export function receivedOps({ names, types, kinds, words, ...more }: SentOps): DrawnOps {
  return { ...more, names: receivedTexts(names), types: receivedWords(types), kinds: receivedWords(kinds), words: receivedWords(words) };
}

export type Change = { change: Partial<Drawn> };

/** A tree whose children are one list: thousands of small ones take long to send. */
export interface SentTree extends Omit<Tree, "children"> {
  starts: Int32Array; // of group - ops, and one more: the end
  items: Int32Array;
}

export type Answer = { tree: SentTree } | { plan: Numbered } | { spot: Spot } | { svg: string } | { problem: string };
export type Sheet = "picture" | "map";
export type Frame = { sheet: Sheet; bitmap: ImageBitmap };

export function sentTree({ children, ...tree }: Tree): SentTree {
  const starts = new Int32Array(children.length + 1);
  children.forEach((inner, group) => (starts[group + 1] = starts[group]! + inner.length));
  const items = new Int32Array(starts[children.length]!);
  children.forEach((inner, group) => items.set(inner, starts[group]));
  return { ...tree, starts, items };
}

export function receivedTree({ starts, items, ...tree }: SentTree): Tree {
  return { ...tree, children: tree.labels.map((_, group) => items.subarray(starts[group], starts[group + 1])) };
}
