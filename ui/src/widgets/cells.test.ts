// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { whiskerOf } from "./cells";

describe("a whisker", () => {
  it("stands on the axis of its column, within its 44 px", () => {
    expect(whiskerOf(0, null, [0, 40])).toEqual({ at: 2, bar: null, isShort: false });
    expect(whiskerOf(40, [20, 40], [0, 40])).toEqual({ at: 42, bar: [22, 42], isShort: false });
  });

  it("does not leave the axis where its interval does", () => {
    expect(whiskerOf(10, [-1000, 1000], [0, 40])?.bar).toEqual([2, 42]);
  });

  it("is known as one that its dot would hide", () => {
    expect(whiskerOf(20, [19.9, 20.1], [0, 40])?.isShort).toBe(true);
    expect(whiskerOf(20, [10, 30], [0, 40])?.isShort).toBe(false);
  });

  it("is none without a value, and stands in the middle of an axis without length", () => {
    expect(whiskerOf(NaN, [0, 1], [0, 40])).toBeNull();
    expect(whiskerOf(Infinity, null, [0, 40])).toBeNull();
    expect(whiskerOf(0, null, [0, 0])?.at).toBe(22);
  });
});
