// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { ranksOf } from "./ranks";

/** "0>1 1>2" */
function ranked(count: number, edges: string, entries = 0, exits = 0) {
  const ends = edges === "" ? [] : edges.split(" ").map((edge) => edge.split(">").map(Number));
  const [from, to] = [Int32Array.from(ends, ([one]) => one!), Int32Array.from(ends, ([, other]) => other!)];
  const { ranks, isBack, count: rows } = ranksOf({ count, entries, exits, from, to });
  return { ranks: [...ranks], back: edges.split(" ").filter((_, edge) => isBack[edge]), count: rows };
}

describe("ranks", () => {
  it("are by the longest path, whatever the order of things", () => {
    expect(ranked(4, "0>1 1>2 0>2 2>3")).toEqual({ ranks: [0, 1, 2, 3], back: [], count: 4 });
    expect(ranked(3, "2>1 1>0")).toEqual({ ranks: [2, 1, 0], back: [], count: 3 });
  });

  it("of what reads nothing are just above the first reader", () => {
    expect(ranked(4, "0>1 1>2 3>2").ranks).toEqual([0, 1, 2, 1]);
  });

  it("of ports are the first and the last", () => {
    expect(ranked(4, "0>1 1>3 0>2", 1, 1).ranks).toEqual([0, 1, 1, 2]);
    expect(ranked(3, "1>2", 0, 1)).toEqual({ ranks: [0, 0, 1], back: [], count: 2 });
  });

  it("leave as few edges as may be against them where things read each other", () => {
    expect(ranked(2, "0>1 1>0").back).toEqual(["1>0"]);
    expect(ranked(5, "4>0 0>1 1>2 2>0 2>3")).toEqual({ ranks: [1, 2, 3, 4, 0], back: ["2>0"], count: 5 });
    expect(ranked(3, "1>0 1>2 2>1").back).toEqual(["2>1"]);
  });

  it("spread things without edges over several rows", () => {
    expect(new Set(ranked(50, "").ranks).size).toBeGreaterThan(4);
  });

  it("are none of nothing", () => expect(ranked(0, "")).toEqual({ ranks: [], back: [], count: 0 }));

  it("go as deep as a chain is long", () => {
    const edges = Array.from({ length: 20_000 }, (_, op) => `${op}>${op + 1}`).join(" ");
    expect(ranked(20_001, edges).ranks[20_000]).toBe(20_000);
  });
});
