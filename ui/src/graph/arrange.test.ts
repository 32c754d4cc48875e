// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { arrange, ordered } from "./arrange";
import type { Fill } from "./fill";
import type { Shape } from "./level";

/** Closed boxes of one size. */
function filled({ children, lineCount, from }: Shape, width: number): Fill {
  return {
    widths: new Float64Array(children).fill(width),
    heights: new Float64Array(children).fill(40),
    isOpen: new Uint8Array(children),
    leaves: new Float64Array(lineCount),
    enters: new Float64Array(from.length),
    least: -1,
  };
}

const two: Shape = {
  ...{ entries: 0, children: 2, exits: 0 },
  ...{ from: Int32Array.of(0), to: Int32Array.of(1), lines: Int32Array.of(0), lineCount: 1, bundles: Int32Array.of(0) },
};

it("open groups stand so that their ports are in line, where these are not far apart", () => {
  const fill = filled(two, 400);
  fill.isOpen.fill(1);
  fill.leaves[0] = 50;
  const near = arrange(ordered(two), fill);
  expect(near.lefts[1]! - near.lefts[0]!).toBe(50);
  expect(near.wires.points).toHaveLength(4);
  fill.leaves[0] = 190;
  const far = arrange(ordered(two), fill);
  expect(far.lefts[1]! - far.lefts[0]!).toBe(0);
});

/** Thirty values from the first to the last of three in a row, and one from each to the next. */
function bundled(): Shape {
  const count = 32;
  const from = new Int32Array(count);
  const to = new Int32Array(count).fill(2);
  to[0] = 1;
  from[count - 1] = 1;
  const numbers = Int32Array.from({ length: count }, (_, edge) => edge);
  const bundles = numbers.map((edge) => (edge === 0 || edge === count - 1 ? edge : 1));
  return { entries: 0, children: 3, exits: 0, from, to, lines: numbers, lineCount: count, bundles };
}

it("values between two closed boxes take the room of one wire, and their own where one is open", () => {
  const shape = bundled();
  const closed = arrange(ordered(shape), filled(shape, 60));
  expect(closed.wires.edges).toEqual(Int32Array.of(0, 1, 31));
  expect(closed.width).toBeLessThan(200);
  const fill = filled(shape, 60);
  fill.isOpen[0] = 1;
  const open = arrange(ordered(shape), fill);
  expect(open.wires.edges).toHaveLength(32);
  expect(open.width).toBeGreaterThan(400);
});

it("boxes of a row are apart by their widths, whatever these are", () => {
  const shape: Shape = {
    ...{ entries: 1, children: 4, exits: 0, from: new Int32Array(4), to: Int32Array.of(1, 2, 3, 4) },
    ...{ lines: new Int32Array(4), lineCount: 1, bundles: Int32Array.of(0, 1, 2, 3) },
  };
  const fill = filled(shape, 60);
  fill.widths.set([300, 20, 500, 90]);
  const { lefts, tops } = arrange(ordered(shape), fill);
  expect(new Set(tops).size).toBe(1);
  const order = [0, 1, 2, 3].sort((a, b) => lefts[a]! - lefts[b]!);
  const rightOf = (child: number) => lefts[child]! + fill.widths[child]!;
  const gaps = order.slice(1).map((child, index) => lefts[child]! - rightOf(order[index]!));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(18);
});
