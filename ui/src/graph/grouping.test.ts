// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { treeOf } from "./grouping";
import type { OpGraph } from "./ops";
import { outlineOf } from "./outline";
import * as graphs from "./testing/graphs";
import { groupsOf, Network } from "./testing/graphs";
import { mostChildren, type Tree } from "./tree";

const tree = (graph: OpGraph) => treeOf(outlineOf(graph));

function named(...names: string[]): OpGraph {
  const network = new Network();
  names.forEach((name, op) => network.add(name, "Relu", ...(op > 0 ? [op - 1] : [])));
  return network.graph();
}

/** "a(0 1 b/c(2 3))": groups with what is in them. */
function text({ ops, children, labels }: Tree, node = ops): string {
  if (node < ops) return String(node);
  const inner = Array.from(children[node - ops]!, (child) => text({ ops, children, labels } as Tree, child)).join(" ");
  return node === ops ? inner : `${labels[node - ops]}(${inner})`;
}

describe("groups", () => {
  it("follow the scopes, in the file's order", () => {
    expect(text(tree(named("in", "/a/b/x", "/a/b/y", "/c/x", "/a/z", "/c/y")))).toBe("0 a(b(1 2) 4) c(3 5)");
    const dotted = named("enc.layer.0.x", "enc.layer.0.y", "enc.layer.1.x", "enc.layer.1.y", "out");
    expect(text(tree(dotted))).toBe("enc(layer.0(0 1) layer.1(2 3)) 4");
  });

  it("of one child are the child by a longer name", () => {
    expect(text(tree(named("in", "/a/b/c/x", "/a/b/c/y", "/d/x")))).toBe("0 a/b/c(1 2) 3");
    const { paths } = tree(named("in", "/a/b/c/x", "/a/b/c/y"));
    expect(paths).toEqual(["", "a/b/c"]);
  });

  it("hold what hangs, but not as a child", () => {
    const network = new Network();
    const constant = network.add("/far/Constant", "Constant");
    network.add("/a/x", "Mul", network.add("/a/y", "Conv"), constant);
    const { children, parent, depth, ops } = tree(network.graph());
    expect(children[1]).toEqual(Int32Array.of(1, 2));
    expect([parent[constant], depth[constant]]).toEqual([ops + 1, 2]);
    expect(children).toHaveLength(2);
  });

  it("have no more than so many children", () => {
    const layers = named(...Array.from({ length: 900 }, (_, op) => `/l.${op}/x`));
    const flat = graphs.withoutScopes(graphs.transformer(100));
    for (const graph of [flat, graphs.chain(10_000), graphs.wild(3000, 3), layers]) {
      const { children, ops, parent } = tree(graph);
      for (const inner of children) expect(inner.length).toBeLessThanOrEqual(mostChildren);
      const held = children.flatMap((inner) => [...inner]).filter((child) => child < ops);
      expect(held.sort((a, b) => a - b)).toEqual([...parent.keys()].filter((op) => op < ops && graph.host[op]! < 0));
    }
  });

  it("are told apart by paths, which are equal for equal input", () => {
    const graph = graphs.withoutScopes(graphs.transformer(600));
    const { paths } = tree(graph);
    expect(new Set(paths).size).toBe(paths.length);
    expect(tree(graph).paths).toEqual(paths);
  });

  it("have parents, depths and children that agree", () => {
    const { children, parent, depth, ops } = tree(graphs.deep(50));
    expect(Math.max(...depth)).toBe(50);
    children.forEach((inner, group) => {
      for (const child of inner) expect([parent[child], depth[child]]).toEqual([ops + group, depth[ops + group]! + 1]);
    });
    expect(parent[ops]).toBe(-1);
  });

  it("are none in an empty network", () => expect(text(tree(named()))).toBe(""));
});

describe("pieces of a large level", () => {
  it("are the layers that come again, where names have no scopes", () => {
    const graph = graphs.withoutScopes(graphs.transformer(40));
    const { alike, children, ops } = tree(graph);
    const counts = [...alike].map((number) => (number < 0 ? 0 : alike.filter((one) => one === number).length));
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(38);
    const layers = children.filter((_, group) => alike[group]! >= 0);
    expect(new Set(layers.map((inner) => inner.filter((child) => child < ops).length)).size).toBe(1);
  });

  it("are named by what they hold, or numbered", () => {
    const scoped = tree(named(...Array.from({ length: 400 }, (_, op) => `/m/layer.${op}/x`)));
    expect(scoped.labels[2]).toBe("layer.0 … layer.19");
    expect(tree(graphs.chain(400)).labels[1]).toBe("part 1");
  });

  it("begin and end where few values are alive", () => {
    const network = new Network();
    let last = network.add("in", "Input");
    for (let block = 0; block < 40; ++block) {
      const typeAt = (op: number) => ["Conv", "Relu", "Tanh"][(block + op) % 3]!;
      const wide = Array.from({ length: 3 + (block % 5) }, (_, op) => network.add(`w${block}_${op}`, typeAt(op), last));
      last = network.add(`j${block}`, "Concat", ...wide);
    }
    const graph = network.graph();
    const { parent, ops } = tree(graph);
    const crossing = groupsOf(tree(graph)).map((group) => {
      const enters = (edge: number) => parent[graph.target[edge]!] === group && parent[graph.source[edge]!] !== group;
      const values = [...graph.source.keys()].filter(enters);
      return new Set(values.map((edge) => graph.source[edge])).size;
    });
    expect(ops).toBeGreaterThan(mostChildren);
    expect(crossing.length).toBeGreaterThan(4);
    expect(Math.max(...crossing)).toBe(1);
  });
});

describe("groups alike", () => {
  const alikeOf = (graph: OpGraph) => {
    const { alike, paths } = tree(graph);
    return (path: string) => alike[paths.indexOf(path)]!;
  };

  it("have the same kinds and edges, in groups within them, too", () => {
    const at = alikeOf(graphs.transformer(3));
    expect(at("encoder/layer.0")).toBeGreaterThanOrEqual(0);
    expect(at("encoder/layer.1")).toBe(at("encoder/layer.0"));
    expect(at("encoder/layer.1/attention/key")).toBe(at("encoder/layer.0/attention/query"));
    expect(at("encoder/layer.1/attention")).not.toBe(at("encoder/layer.0"));
    expect(at("encoder")).toBe(-1);
  });

  it("differ in a kind, an edge or what hangs on an op", () => {
    const network = new Network();
    const block = (name: string, type: string, skip: boolean, hanging: string) => {
      const first = network.add(`/${name}/Conv`, "Conv");
      const next = network.add(`/${name}/x`, type, first);
      network.add(`/${name}/y`, "Relu", next, ...(skip ? [first] : []), network.add(`/${name}/c`, hanging));
    };
    block("a", "Tanh", false, "Constant");
    block("b", "Tanh", false, "Constant");
    block("kind", "Relu", false, "Constant");
    block("edge", "Tanh", true, "Constant");
    block("hangs", "Tanh", false, "Dequantize");
    const at = alikeOf(network.graph());
    expect(at("b")).toBe(at("a"));
    expect([at("a"), at("kind"), at("edge"), at("hangs")]).toEqual([0, -1, -1, -1]);
  });
});
