// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { groupsOf, numbered } from "./blocks";
import type { GraphOp } from "./model";

const graph = (names: string[]): GraphOp[] =>
  names.map((name, index) => ({
    id: `v${index}`,
    name,
    type: name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf(".")) + 1).replace(/_?\d+$/, ""),
    kind: name.includes("Constant") ? "constant" : "",
    inputs: index > 0 ? [`v${index - 1}`] : [],
    outputs: [`v${index}`],
  }));
const many = (count: number, make: (number: number) => string[]) => Array.from({ length: count }, (_, number) => make(number)).flat();

describe("blocks by name", () => {
  it("differ in the number of a scope", () => {
    const layers = many(3, (n) => [`/encoder/layer.${n}/query/MatMul`, `/encoder/layer.${n}/Add_1`]);
    const groups = groupsOf(graph(["/stem/Conv", ...layers, "/head/MatMul"]));
    expect(groups).toHaveLength(1);
    expect(groups[0]).toMatchObject({ title: "layer", rows: ["query/MatMul", "Add_1"] });
    expect(groups[0]!.units.map((unit) => [unit.label, unit.name, unit.ops])).toEqual([
      ["0", "/encoder/layer.0", [1, 2]], ["1", "/encoder/layer.1", [3, 4]], ["2", "/encoder/layer.2", [5, 6]],
    ]);
  });
  it("may lack an op, or have one more", () => {
    const [more, last] = [(n: number) => (n === 2 ? ["/block2/x/Mul"] : []), (n: number) => (n === 3 ? [] : [`/block${n}/c/Add`])];
    const names = many(4, (n) => [`/block${n}/a/Conv`, ...more(n), `/block${n}/b/Conv`, ...last(n)]);
    const [group] = groupsOf(graph(names));
    expect(group!.rows).toEqual(["a/Conv", "x/Mul", "b/Conv", "c/Add"]);
    expect(group!.units.map((unit) => unit.ops)).toEqual([[0, null, 1, 2], [3, null, 4, 5], [6, 7, 8, 9], [10, null, 11, null]]);
  });
  it("are laid beside each other by their order where the rest of their names differs", () => {
    const [group] = groupsOf(graph(many(3, (n) => [`layers.${n}.MatMul_${7 * n}`, `layers.${n}.Add_${7 * n + 3}`])));
    expect(group!.units.map((unit) => unit.ops)).toEqual([[0, 1], [2, 3], [4, 5]]);
  });
  it("of several stages have two numbers", () => {
    const block = (stage: number, n: number) => ["conv1/Conv", "Relu"].map((op) => `/layer${stage}/layer${stage}.${n}/${op}`);
    const names = [1, 2, 3].flatMap((stage) => many(stage + 1, (n) => block(stage, n)));
    const [group] = groupsOf(graph(names));
    expect(group!.units).toHaveLength(9);
    expect(group!.units.map((unit) => unit.label).slice(0, 3)).toEqual(["1.0", "1.1", "2.0"]);
  });
  it("do not count constants, nor numbers of ops themselves", () => {
    expect(groupsOf(graph(["/a/Conv_1", "/a/Relu_2", "/b.0/Constant", "/b.1/Constant"]))).toEqual([]);
    expect(groupsOf([])).toEqual([]);
  });
});

describe("blocks by type", () => {
  it("stand for networks whose names have no scopes", () => {
    let number = 0;
    const names = ["Reshape_0", ...many(4, () => ["MatMul", "Add", "Softmax", "MatMul", "Mul"].map((type) => `${type}_${++number}`)), "Log_99"];
    const [group] = groupsOf(graph(names));
    expect(group).toMatchObject({ title: "block of 5 ops", rows: ["MatMul", "Add", "Softmax", "MatMul 2", "Mul"] });
    expect(group!.units.map((unit) => unit.ops[0])).toEqual([1, 6, 11, 16]);
    expect(group!.units[1]!.label).toBe("2");
  });
  it("number what comes again", () => expect(numbered(["A", "B", "A", "A"])).toEqual(["A", "B", "A 2", "A 3"]));
});

it("a large network is one group", () => {
  const names = many(300, (n) => Array.from({ length: 33 }, (_, k) => `/model/layers.${n}/part${k % 3}/op${k}/MatMul`));
  expect(groupsOf(graph(names))[0]!.units).toHaveLength(300);
});
