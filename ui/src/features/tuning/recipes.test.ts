// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Json } from "../../base/basket";
import { changesOf, defaultRecipe, fragment, inFull, keeps, namedInFloat, plainName, told } from "./recipes";

const float = { activation: { dtype: "fp32" }, weight: { dtype: "fp32" } };
const difference = (from: Json, to: Json) => told(changesOf(from, to));

describe("recipes", () => {
  it("mean the defaults where they say nothing", () => {
    expect(changesOf({}, defaultRecipe)).toEqual([]);
    expect(changesOf({ activation: null, recipes: { bias_correction: null } }, {})).toEqual([]);
    expect(inFull({ accuracy_level: "fast" })).toMatchObject({ activation: { algorithm: "minmax", scheme: "asym" }, recipes: { bias_correction: false } });
    expect(inFull({ accuracy_level: "fast", activation: { algorithm: "kl" } })).toMatchObject({ activation: { algorithm: "kl" } });
  });
  it("that are no objects mean the defaults, too", () => {
    for (const bad of [null, 3, "fp32", []]) expect(changesOf({}, bad)).toEqual([]);
  });
  it("keep ops in float by a word or by their dtypes", () => {
    expect([float, "fp32", { weight: { dtype: "fp16" } }, { activation: { algorithm: "kl" } }, undefined].map(keeps)).toEqual(["float", "float", "half", null, null]);
    expect(plainName("/layer\\.1/Add\\(x\\)")).toBe("/layer.1/Add(x)");
    expect(namedInFloat({ op_name_dict: { a: float, b: { activation: { algorithm: "kl" } } } })).toBe(1);
  });
});

describe("what one says otherwise", () => {
  it("is told option by option", () => {
    expect(difference({}, { activation: { algorithm: "minmax" }, weight: { granularity: "per_tensor" }, recipes: { smooth_quant: true } })).toEqual([
      "activation algorithm: mse → minmax", "weight granularity: per channel → per tensor", "SmoothQuant: false → true",
    ]);
    expect(difference({}, { activation: { percentile: 99.9 } })).toEqual(["activation percentile: not said → 99.9"]);
  });
  it("is told of all ops together that go the same way", () => {
    const names = Object.fromEntries(["a", "b", "c\\.1", "d"].map((name) => [name, float]));
    expect(difference({}, { op_name_dict: names })).toEqual(["4 ops into float: a, b, c.1, …"]);
    expect(difference({ op_name_dict: names }, { op_name_dict: { a: float } })).toEqual(["3 ops out of float: b, c.1, d"]);
    expect(difference({}, { op_type_dict: { Softmax: "fp32" }, op_name_dict: { a: { weight: { dtype: "fp16" }, activation: { dtype: "fp16" } } } }))
      .toEqual(["type into float: Softmax", "op into half: a"]);
  });
  it("is told of single entries", () => {
    expect(difference({ op_name_dict: { a: float } }, { op_name_dict: { a: { activation: { algorithm: "percentile", percentile: 99.9 } } } }))
      .toEqual(["op a: activation algorithm percentile, activation percentile 99.9"]);
    expect(difference({ op_name_dict: { a: { activation: { algorithm: "kl" } } } }, {})).toEqual(["op a: as all others"]);
  });
  it("is nothing where both mean the same", () => {
    expect(difference({ accuracy_level: "default" }, {})).toEqual([]);
  });
});

describe("a fragment", () => {
  it("says no more than it must", () => {
    expect(fragment(defaultRecipe)).toEqual({});
    expect(fragment({ activation: { algorithm: "minmax", scheme: "asym" }, op_name_dict: { a: float } }))
      .toEqual({ activation: { algorithm: "minmax" }, op_name_dict: { a: "fp32" } });
    expect(fragment({ op_name_dict: { a: { activation: { dtype: "fp32", algorithm: "kl" } } } }))
      .toEqual({ op_name_dict: { a: { activation: { dtype: "fp32", algorithm: "kl" } } } });
  });
  it("gives the recipe back when it is laid over the base", () => {
    const recipe: Json = { activation: { algorithm: "kl" }, op_type_dict: { Softmax: float }, recipes: { smooth_quant: true, smooth_quant_args: { alpha: [0.5] } } };
    expect(changesOf(fragment(recipe), recipe).filter(({ path }) => path[0] !== "op_type_dict")).toEqual([]);
    expect(fragment(recipe)).toMatchObject({ recipes: { smooth_quant: true, smooth_quant_args: { alpha: [0.5] } }, op_type_dict: { Softmax: "fp32" } });
  });
  it("does not write into the base", () => {
    fragment({ activation: { algorithm: "kl" } });
    expect(defaultRecipe).toMatchObject({ activation: { algorithm: "mse" } });
  });
});
