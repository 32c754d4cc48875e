// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { graphOf, outputId, type Tables } from "./read";
import { tableOf } from "./testing";

type Row = [op: string, name: string, type: string, kind: string, scope: string, inputs: string[], outputs: string[]];

function tables(rows: Row[], inputs: string[], outputs: string[]): Tables {
  const column = (index: number) => rows.map((row) => row[index]);
  const values = (names: string[]) => tableOf({ name: names, dtype: names.map(() => "float32"), shape: names.map(() => "[N,8]") });
  return {
    ops: tableOf({
      op: column(0), name: column(1), type: column(2), kind: column(3), scope: column(4), inputs: column(5), outputs: column(6),
    }),
    values: values(["a", "b"]), inputs: values(inputs), outputs: values(outputs),
  };
}

function edgesOf(given: Tables): string[] {
  const graph = graphOf(given);
  return Array.from(graph.source, (source, edge) => `${graph.ids[source]} -${graph.values[graph.carries[edge]!]!.name}> ${graph.ids[graph.target[edge]!]}`);
}

describe("a graph of the record", () => {
  const chain = tables(
    [
      ["a", "/x/Conv", "Conv", "conv", "", ["in", "weight", ""], ["a"]],
      ["c", "/x/Constant", "Constant", "constant", "", [], ["c"]],
      ["b", "/x/Add", "Add", "add", "", ["a", "a", "c"], ["b", "mask"]],
    ],
    ["in"],
    ["b", "mask"],
  );

  it("has the network's inputs first and its outputs last, in no scope", () => {
    const graph = graphOf(chain);
    expect(graph.ids).toEqual(["in", "a", "c", "b", outputId("b"), outputId("mask")]);
    expect(graph.types).toEqual(["Input", "Conv", "Constant", "Add", "Output", "Output"]);
    expect(graphOf(tables([], ["net/in.0"], [])).names).toEqual(["net_in_0"]);
  });

  it("has an edge for each time that an op reads what another one makes, and none of weights", () => {
    expect(edgesOf(chain)).toEqual(["in -in> a", "a -a> b", "a -a> b", "c -c> b", "b -b> output:b", "b -mask> output:mask"]);
  });

  it("knows type and shape of values where the record says them", () => {
    const { values } = graphOf(chain);
    expect(values.find(({ name }) => name === "a")).toEqual({ name: "a", dtype: "float32", shape: "[N,8]" });
    expect(values.find(({ name }) => name === "c")).toEqual({ name: "c", dtype: "?", shape: "?" });
  });

  it("hangs constants on their reader", () => {
    expect([...graphOf(chain).host]).toEqual([-1, -1, 3, -1, -1, -1]);
  });

  it("has ops of bodies below the op that holds them", () => {
    const { names } = graphOf(tables([["l", "/x/L", "Loop", "other", "", [], ["l"]], ["l/b", "B", "Add", "add", "l", [], ["b"]]], [], []));
    expect(names).toEqual(["/x/L", "/x/L/B"]);
  });

  it("finds what bodies of ops read in the scopes around them", () => {
    const nested = tables(
      [
        ["a", "A", "Conv", "conv", "", ["in"], ["a"]],
        ["loop/1", "L", "Loop", "other", "", ["a"], ["loop/1"]],
        ["loop/1/b", "B", "Add", "add", "loop/1", ["a", "in"], ["b"]],
        ["loop/1/if", "I", "If", "other", "loop/1", ["b"], ["if"]],
        ["loop/1/if/a", "C", "Relu", "relu", "loop/1/if", ["b"], ["a"]],
        ["loop/1/if/d", "D", "Relu", "relu", "loop/1/if", ["a"], ["d"]],
        ["e", "E", "Relu", "relu", "", ["a", "b"], ["e"]],
      ],
      ["in"],
      [],
    );
    expect(edgesOf(nested)).toEqual([
      "in -in> a", "a -a> loop/1", "a -a> loop/1/b", "in -in> loop/1/b", "loop/1/b -b> loop/1/if", "loop/1/b -b> loop/1/if/a",
      "loop/1/if/a -a> loop/1/if/d", "a -a> e",
    ]);
  });
});
