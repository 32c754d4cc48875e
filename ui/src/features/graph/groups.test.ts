// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { around, greatest, summed } from "./groups";
import { treeOf } from "./testing";

const tree = treeOf(5, [0, { label: "x", inside: [1, { label: "y", inside: [2, 3] }] }, 4]);
const [x, y] = [6, 7];

it("groups have the sums of their ops, and the greatest figure", () => {
  expect([...summed(tree, (op) => op)]).toEqual([0, 1, 2, 3, 4, 10, 6, 5]);
  const figures = [NaN, 3, NaN, -7, NaN];
  expect([...greatest(tree, (op) => figures[op]!)]).toEqual([NaN, 3, NaN, -7, NaN, 3, 3, -7]);
  expect([...summed(tree, (op) => (op === 3 ? NaN : 1))].slice(5)).toEqual([4, 2, 1]);
});

it("a node knows the groups around it", () => {
  expect(around(tree, 3)).toEqual([y, x]);
  expect(around(tree, x)).toEqual([]);
  expect(around(tree, 0)).toEqual([]);
});
