// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { bitsOf, rangesOf, weightAlgorithm } from "./chosen";

describe("what gave a range", () => {
  it("is in ranges.json", () => {
    const ranges = rangesOf({
      values: [{ value: "a", min: -1, max: 2, algorithm: "moving_average", asked: "auto" }, { value: "b", min: "nan", max: 1, algorithm: null }],
      wide: [{ value: "a", min: -9, max: 9, algorithm: "minmax", asked: "minmax" }, { value: "c", algorithm: "mse" }],
    });
    expect(ranges.get("a")).toEqual({ min: -1, max: 2, by: "moving average, chosen by auto" });
    expect(ranges.get("b")?.by).toBe("given by hand");
    expect(ranges.get("c")?.min).toBeNaN();
    for (const nothing of [null, 3, {}, { values: {} }]) expect(rangesOf(nothing).size).toBe(0);
  });
  it("of a weight is what the recipe asks last", () => {
    const recipe = {
      weight: {},
      op_type_dict: { Conv: { weight: { algorithm: "mse" } } },
      op_name_dict: { ".*head": { weight: { algorithm: "minmax" } }, "(": { weight: { algorithm: "x" } } },
    };
    expect(weightAlgorithm(recipe, "/a", "Conv")).toBe("mse");
    expect(weightAlgorithm(recipe, "/head", "Conv")).toBe("minmax");
    expect(weightAlgorithm(recipe, "/head/b", "Gemm")).toBe("minmax");
    expect(weightAlgorithm(null, "/a", "Conv")).toBe("");
  });
  it("of a weight may leave codes out, as plan.json says", () => {
    expect(bitsOf({ columns: { weight: ["w", "v"], "scheme.bits": [7, null] } })).toEqual(new Map([["w", 7]]));
    for (const none of [null, {}, { columns: {} }, { columns: { weight: ["w"] } }]) expect(bitsOf(none).size).toBe(0);
  });
});
