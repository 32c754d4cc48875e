// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { comparedOf } from "../../base/compared";
import type { Group } from "./blocks";
import { stepsOf } from "./model";
import { sectionsOf } from "./sections";

const none = stepsOf(comparedOf({ rows: 1, offset: 0, count: 1, columns: { "op.id": ["a"], value: ["a"] } }), [])[0]!;
const steps = [-1, 0, 2, 3, 4, 6, 9].map((place) => ({ ...none, place }));
const group = (units: (number | null)[][]): Group => ({
  id: "", title: "", meaning: "", rows: [], units: units.map((ops, index) => ({ label: String(index), name: "", ops })),
});

it("blocks are sections of the network", () => {
  expect(sectionsOf(group([[0, 1, 2], [3, null, 5], [6, 7, 8]]), steps)).toEqual([
    { label: "0", from: 1, to: 2 }, { label: "1", from: 3, to: 3 }, { label: "2", from: 5, to: 5 },
  ]);
});

it("blocks that lie in each other, or are few, are none", () => {
  expect(sectionsOf(group([[0, 3], [2, 4], [6, 9]]), steps)).toEqual([]);
  expect(sectionsOf(group([[0], [2]]), steps)).toEqual([]);
  expect(sectionsOf(undefined, steps)).toEqual([]);
  expect(sectionsOf(group([[70], [71], [72]]), steps)).toEqual([]);
});
