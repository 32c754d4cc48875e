// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { placedLegend } from "./legend";

it("a legend goes on in the next line where it does not fit", () => {
  const entries = ["a", "b", "c"].map((id) => ({ id, text: "0123456789" }));
  expect(placedLegend(entries, 10, 1000)).toMatchObject({ height: 20, entries: [{ x: 10, y: 11 }, { x: 105, y: 11 }, { x: 200, y: 11 }] });
  expect(placedLegend(entries, 10, 220).entries.map(({ x, y }) => [x, y])).toEqual([[10, 11], [105, 11], [10, 27]]);
  expect(placedLegend(entries, 0, 5).height).toBe(52);
  expect(placedLegend([], 0, 100)).toEqual({ entries: [], height: 0 });
});
