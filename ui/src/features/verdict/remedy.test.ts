// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { remedyOf, remedyText } from "./remedy";

it("says what is asked of which ops", () => {
  expect(remedyText({ op_name_dict: { "/layer\\.3/Conv": "fp32" } })).toBe("/layer.3/Conv in float");
  expect(remedyText({ op_name_dict: { a: "fp32", b: "fp32", c: { activation: { algorithm: "minmax" } } } })).toBe(
    "2 ops in float; c: activation minmax",
  );
  expect(remedyText({ op_name_dict: { a: { activation: { dtype: "fp32" }, weight: { dtype: "fp32" } } } })).toBe("a in float");
  expect(remedyText({ op_type_dict: { Gemm: "fp32" }, accuracy_level: "best" })).toBe("all Gemm in float; accuracy level best");
  expect(remedyText({ recipes: { smooth_quant: true }, weight: { granularity: "per_channel" } })).toBe(
    "smooth quant; weights: per channel",
  );
});

it("leaves out the name of an option whose value tells it", () => {
  const activation = { algorithm: "percentile", percentile: 99.9 };
  expect(remedyText({ op_name_dict: { a: { activation } } })).toBe("a: activation percentile 99.9");
  expect(remedyText({ activation: { dtype: "int16", scheme: "sym" }, reduce_range: false })).toBe("activations: int16, sym; no reduce range");
});

it("says nothing of what is none", () => {
  expect(remedyOf({})).toBeNull();
  expect(remedyOf(null)).toBeNull();
  expect(remedyOf([])).toBeNull();
  expect(remedyOf({ accuracy_level: "best" })).toEqual({ accuracy_level: "best" });
  expect(remedyText(null)).toBe("");
});
