// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import type { Shown } from "./assemble";
import { flowsOf } from "./flows";
import { treeOf } from "./grouping";
import { Groups } from "./groups";
import { levelOf } from "./level";
import { endsOf, nestOf } from "./nest";
import { outlineOf } from "./outline";
import { sizesOf, transformer } from "./testing/graphs";

/** Lays out layers of an encoder, each closed or open. */
function layers() {
  const outline = outlineOf(transformer(4));
  const tree = treeOf(outline);
  const nest = nestOf(tree.ops, tree.children);
  const flows = flowsOf(tree.ops, tree.children.length, nest, endsOf(outline));
  const groups = new Groups(tree.ops, (group) => levelOf(flows, group, outline.carries, tree.children[group]!));
  const sizes = sizesOf(tree).fill(50);
  const at = (path: string) => tree.ops + tree.paths.indexOf(path);
  const show = (path: string, round: number, inner: ReadonlyMap<number, Shown> = new Map()) =>
    groups.show(at(path), sizes, round, (child) => inner.get(child) ?? null);
  return { at, show };
}

it("what has not changed is not laid out again", () => {
  const { at, show } = layers();
  const layer = show("encoder/layer.1", 1);
  expect(show("encoder/layer.1", 1)).toBe(layer);
  const closed = show("encoder", 1);
  const open = show("encoder", 1, new Map([[at("encoder/layer.1"), layer]]));
  expect(open).not.toBe(closed);
  expect(open.arrangement.height).toBeGreaterThan(closed.arrangement.height);
  expect(show("encoder", 1, new Map([[at("encoder/layer.1"), layer]]))).toBe(open);
});

it("equal blocks that are filled alike share their places", () => {
  const { show } = layers();
  const [one, other] = [show("encoder/layer.1", 1), show("encoder/layer.2", 1)];
  expect(other.arrangement).toBe(one.arrangement);
  expect(other.told.edges).not.toEqual(one.told.edges);
});

it("sizes that are new but equal change no place", () => {
  const { show } = layers();
  expect(show("encoder", 2).arrangement).toBe(show("encoder", 1).arrangement);
});
