// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { bucketsOf } from "./buckets";
import { netOf, type Net } from "./chains";
import type { Shape } from "./level";
import { crossingsOf, placesOf, rowsOf, type Rows } from "./order";

/** "0>3 1>2": a level of so many children, and each edge a value of its own. */
function shapeOf(children: number, edges: string): Shape {
  const ends = edges.split(" ").map((edge) => edge.split(">").map(Number)).sort(([a, b], [c, d]) => a! - c! || b! - d!);
  const numbers = Int32Array.from(ends.keys());
  const [from, to] = [Int32Array.from(ends, ([one]) => one!), Int32Array.from(ends, ([, other]) => other!)];
  return { entries: 0, children, exits: 0, from, to, lines: numbers, lineCount: ends.length, bundles: numbers };
}

function crossings(shape: Shape): { counted: number; slowly: number } {
  const net = netOf(shape);
  const rows = rowsOf(net);
  const places = placesOf(rows, net.count);
  let slowly = 0;
  for (let a = 0; a < net.upper.length; ++a) {
    for (let b = 0; b < a; ++b) {
      if (net.row[net.upper[a]!] !== net.row[net.upper[b]!]) continue;
      const apart = (ends: Int32Array) => places[ends[a]!]! - places[ends[b]!]!;
      if (apart(net.upper) * apart(net.lower) < 0) ++slowly;
    }
  }
  return { counted: crossingsOf(rows, places, bucketsOf(net.upper, net.count), net.lower), slowly };
}

const beginning = (net: Net, one: number) => (one < net.things ? one : net.begins[net.owner[one - net.things]!]!);

it("wires that need not cross do not", () => {
  expect(crossings(shapeOf(4, "0>3 1>2"))).toEqual({ counted: 0, slowly: 0 });
  expect(crossings(shapeOf(8, "0>1 0>2 0>3 1>6 2>5 3>4 4>7 5>7 6>7")).counted).toBe(0);
});

/** Rows of eight, each thing above its own one and some above one beside that. */
function nearlyStraight(seed: number): string {
  let state = seed;
  const below = (end: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % end;
  };
  const edges = new Set<string>();
  for (let thing = 0; thing < 24; ++thing) {
    edges.add(`${thing}>${thing + 8}`);
    const row = thing - (thing % 8) + 8;
    if (below(3) === 0) edges.add(`${thing}>${Math.min(row + 7, Math.max(row, thing + 8 + below(5) - 2))}`);
  }
  return [...edges].join(" ");
}

it("the best order of all sweeps is kept, be it that of the file", () => {
  for (const seed of [64, 133, 146, 308, 342]) {
    const net = netOf(shapeOf(32, nearlyStraight(seed)));
    const swept = rowsOf(net);
    const asInFile = { starts: swept.starts, items: swept.items.slice() };
    for (let row = 0; row < net.rows; ++row) {
      const own = asInFile.items.subarray(swept.starts[row], swept.starts[row + 1]);
      own.sort((a, b) => beginning(net, a) - beginning(net, b) || a - b);
    }
    const down = bucketsOf(net.upper, net.count);
    const count = (rows: Rows) => crossingsOf(rows, placesOf(rows, net.count), down, net.lower);
    expect(count(swept)).toBeLessThanOrEqual(count(asInFile));
  }
});

it("crossings are counted as each pair would be", () => {
  const edgeAt = (index: number) => `${(index * 7) % 12}>${12 + ((index * 5 + (index % 3)) % 11)}`;
  const edges = Array.from({ length: 40 }, (_, index) => edgeAt(index));
  const { counted, slowly } = crossings(shapeOf(23, [...new Set(edges)].join(" ")));
  expect(counted).toBe(slowly);
  expect(counted).toBeGreaterThan(10);
});
