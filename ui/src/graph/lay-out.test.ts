// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { layOut } from "./lay-out";
import type { OpGraph } from "./ops";
import { outlineOf } from "./outline";
import type { Scene } from "./scene";
import { badBoxes, boxOf, edgesTold, missingBoxes, wiresOnWires, wiresThroughBoxes } from "./testing/checks";
import * as graphs from "./testing/graphs";
import { groupsOf, Network, sizesOf } from "./testing/graphs";
import type { Tree } from "./tree";

const samples: Record<string, OpGraph> = {
  "a transformer": graphs.transformer(6),
  "a transformer without scopes": graphs.withoutScopes(graphs.transformer(40)),
  "a chain": graphs.chain(400),
  "a chain in a scope": graphs.chain(150, "/body"),
  "values that live long": graphs.longLived(190),
  "groups that read each other": graphs.circles(),
  "scopes of 50 levels": graphs.deep(50),
  "doubled edges": graphs.doubled(),
  "parts without connection": graphs.parts(),
  "a network without order": graphs.wild(250, 7),
  "another one": graphs.wild(500, 12),
  "no op": new Network().graph(),
  "one op": graphs.chain(0),
};

/** All, none, and some of the groups. */
function* states(tree: Tree): Generator<number[]> {
  const groups = groupsOf(tree);
  yield [];
  yield groups;
  for (let step = 2; step < 5; ++step) yield groups.filter((group) => (group * 7) % 5 < step);
}

describe.each(Object.entries(samples))("%s", (_, graph) => {
  const engine = layOut(outlineOf(graph));
  const sizes = sizesOf(engine.tree);

  it("has a box for each op and group that is shown, inside its frame, over no other", () => {
    for (const open of states(engine.tree)) {
      const scene = engine.show(sizes, open);
      const shown = open.filter((group) => ancestorsOf(engine.tree, group).every((above) => open.includes(above)));
      expect(missingBoxes(engine.tree, scene, shown)).toEqual([]);
      expect(badBoxes(engine.tree, scene)).toEqual([]);
    }
  });

  it("has wires for each edge, from its op from level to level to its op, or has both in one box", () => {
    for (const open of states(engine.tree)) {
      const { drawn, inside, wrong } = edgesTold(graph, engine.tree, engine.show(sizes, open));
      expect(wrong).toEqual([]);
      expect(drawn + inside).toBe(graph.source.length);
    }
  });

  it("has no wire that runs through a box, or on a wire of another value", () => {
    const [, all, some] = states(engine.tree);
    for (const open of [all!, some!]) {
      const scene = engine.show(sizes, open);
      expect(wiresThroughBoxes(scene)).toEqual([]);
      expect(wiresOnWires(graph, scene)).toEqual([]);
    }
  });

  it("looks the same whatever was open before", () => {
    const all = [...states(engine.tree)];
    for (const open of all) engine.show(sizes, open);
    for (const open of all) expect(engine.show(sizes, open)).toEqual(layOut(outlineOf(graph)).show(sizes, open));
  });
});

function ancestorsOf(tree: Tree, node: number): number[] {
  const above: number[] = [];
  for (let at = tree.parent[node]!; at !== tree.ops; at = tree.parent[at]!) above.push(at);
  return above;
}

const nodeAt = (tree: Tree, path: string) => tree.ops + tree.paths.indexOf(path);
const boxAt = (scene: Scene, node: number) => boxOf(scene, scene.nodes.indexOf(node));

it("equal blocks are laid out alike", () => {
  const graph = graphs.transformer(6);
  const { tree, show } = layOut(outlineOf(graph));
  const scene = show(sizesOf(tree).fill(80), groupsOf(tree));
  const inside = (layer: number) => {
    const group = boxAt(scene, nodeAt(tree, `encoder/layer.${layer}`));
    const isIn = (op: number) => graph.names[op]!.startsWith(`/encoder/layer.${layer}/`) && graph.host[op]! < 0;
    const boxes = [...graph.names.keys()].filter(isIn).map((op) => boxAt(scene, op));
    return boxes.map(({ left, top }) => [Math.round(left - group.left), Math.round(top - group.top)]);
  };
  for (const layer of [2, 3, 4]) expect(inside(layer)).toEqual(inside(1));
});

it("a group that opens leaves the order around it as it was", () => {
  const { tree, show } = layOut(outlineOf(graphs.transformer(6)));
  const sizes = sizesOf(tree);
  const [encoder, layer] = [nodeAt(tree, "encoder"), nodeAt(tree, "encoder/layer.2")];
  const places = (open: number[]) => {
    const scene = show(sizes, open);
    return [...tree.children[encoder - tree.ops]!].sort((a, b) => boxAt(scene, a).top - boxAt(scene, b).top);
  };
  expect(places([encoder, layer])).toEqual(places([encoder]));
});

it("ten thousand ops in a chain are laid out", () => {
  for (const graph of [graphs.chain(10_000), graphs.chain(10_000, "/a/b")]) {
    const { tree, show } = layOut(outlineOf(graph));
    const scene = show(sizesOf(tree), groupsOf(tree));
    expect(scene.nodes.length - scene.frames).toBe(10_001);
    expect(edgesTold(graph, tree, scene)).toMatchObject({ drawn: 10_000, wrong: [] });
  }
});

it("wires of a chain are straight through the borders of all groups", () => {
  const network = new Network();
  let last = network.add("in", "Input");
  const names = ["/a/b/Conv", "/a/b/Relu", "/a/c/Conv", "/a/c/Relu", "/d/e/Conv", "/d/e/Relu", "/d/Add"];
  for (const name of names) last = network.add(name, "Conv", last);
  const { tree, show } = layOut(outlineOf(network.graph()));
  const { points, wires } = show(sizesOf(tree), groupsOf(tree));
  expect(wires.length - 1).toBe(3 + 1 + 3 + 1 + 5 + 1 + 2);
  expect(Array.from(wires.subarray(1), (end, wire) => end - wires[wire]!)).toEqual(new Array(wires.length - 1).fill(2));
  expect(new Set(points.filter((_, index) => index % 2 === 0)).size).toBe(1);
});

it("tall levels are folded into columns", () => {
  const { tree, show } = layOut(outlineOf(graphs.chain(150, "/body")));
  const scene = show(sizesOf(tree), groupsOf(tree));
  expect(scene.height).toBeLessThan(2500);
  const tops = Array.from(scene.nodes, (_, box) => Math.round(boxOf(scene, box).top)).slice(scene.frames);
  expect(new Set(tops).size).toBeLessThan(60);
});

it("edges of one bundle are one wire between closed groups, and several to open ones", () => {
  const network = new Network();
  const first = network.add("/a/Conv", "Conv");
  const second = network.add("/a/Relu", "Relu", first);
  network.add("/b/Add", "Add", first);
  network.add("/b/Mul", "Mul", second);
  const { tree, show } = layOut(outlineOf(network.graph()));
  const wires = (open: number[]) => {
    const { edgeStarts, edges } = show(sizesOf(tree), open);
    return Array.from(edgeStarts.subarray(1), (end, wire) => edges.slice(edgeStarts[wire], end).join());
  };
  expect(wires([])).toEqual(["1,2"]);
  expect(wires([nodeAt(tree, "b")])).toEqual(["1", "2", "1", "2"]);
});

it("groups that nobody asked for stay closed, and unknown ones do no harm", () => {
  const { tree, show } = layOut(outlineOf(graphs.transformer(2)));
  const inner = nodeAt(tree, "encoder/layer.0");
  expect(show(sizesOf(tree), [inner, -1, 0, 1_000_000]).frames).toBe(0);
});

it("sizes that change are laid out anew", () => {
  const { tree, show } = layOut(outlineOf(graphs.transformer(2)));
  const sizes = sizesOf(tree);
  const before = show(sizes, groupsOf(tree));
  const wider = sizes.map((size) => size * 2);
  const after = show(wider, groupsOf(tree));
  expect(after.width).toBeGreaterThan(before.width);
  expect(show(sizes, groupsOf(tree))).toEqual(before);
});
