// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { drawnOps, shortDtype } from "./ops";
import { Shown } from "./shown";
import { graphOf, sceneOfWires, treeOf } from "./testing/small";
import { wireLook } from "./wire-look";

const graph = drawnOps(graphOf(["Input", "Conv", "Relu", "Constant", "Add", "Output"], [[0, 1], [1, 2], [2, 4], [0, 4], [3, 4], [4, 5]], {
  host: Int32Array.from([-1, -1, -1, 4, -1, -1]),
}));
const tree = treeOf(6, [0, { label: "x", inside: [1, 2, 4] }, 5]);
const x = 7;

describe("wires", () => {
  const scene = sceneOfWires(x);
  const shown = new Shown(graph, tree, scene);

  it("have the colour of the most error on them", () => {
    expect([...wireLook(shown, scene, Uint8Array.from([0, 3, 8, 1, 0, 5]), null).strokes]).toEqual([1, 0, 3, 8, 1, 5, 5]);
    expect([...wireLook(shown, scene, null, null).strokes]).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });
  it("have an arrow head where they reach an op, not at the border of a group", () => {
    expect([...wireLook(shown, scene, null, null).heads]).toEqual([0, 1, 1, 1, 1, 0, 1]);
  });
  it("know which wire a point is of", () => {
    expect([...wireLook(shown, scene, null, null).wireOf.slice(0, 10)]).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  });
  it("are lit where both ends are, and where they join the way there", () => {
    expect([...wireLook(shown, scene, null, Uint8Array.from([0, 0, 1, 0, 1, 1])).lit!]).toEqual([1, 0, 0, 1, 1, 1, 1]);
    expect([...wireLook(shown, scene, null, Uint8Array.from([0, 0, 0, 0, 1, 1])).lit!]).toEqual([0, 0, 0, 0, 0, 1, 1]);
  });
  it("say type and shape of what they carry", () => {
    const { word } = wireLook(shown, scene, null, null);
    expect(word(2)).toBe("f32 [N,4]");
    const several = new Shown({ ...graph, carries: Int32Array.from([0, 1, 2, 3, 4, 5]) }, tree, scene);
    expect(wireLook(several, scene, null, null).word(0)).toBe("2 values");
  });
});

it("dtypes are short where there is little room", () => {
  expect(["float32", "bfloat16", "uint8", "int64", "bool", "float8e4m3fn", "string"].map(shortDtype)).toEqual(
    ["f32", "bf16", "u8", "i64", "bool", "float8e4m3fn", "string"]);
});
