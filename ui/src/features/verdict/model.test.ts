// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { merged, shown, shownDifference, verdictOf } from "./model";

describe("a verdict", () => {
  it("is that of a quantize with its diagnosis inside", () => {
    const verdict = verdictOf({
      ops_quantized: 56,
      ops_float: 2,
      reference: { metric: "top1", value: 0.63, interval: [0.53, 0.72], samples: 100, is_rate: true, higher_is_better: true },
      quantized: { metric: "top1", value: 0.64, interval: null, samples: 100, is_rate: true, higher_is_better: true },
      difference: 0.01,
      difference_interval: [-0.045, 0.065],
      diagnosis: { verdict: "The outputs keep 18.5 dB.", findings: [{ rule: "rounding" }] },
    });
    expect(verdict.sentence).toBe("The outputs keep 18.5 dB.");
    expect(verdict.findings).toHaveLength(1);
    expect(verdict.reference).toEqual({ value: 0.63, interval: [0.53, 0.72], isRate: true, samples: 100, metric: "top1" });
    expect(verdict.quantized?.interval).toBeNull();
    expect(verdict.difference).toEqual({ value: 0.01, interval: [-0.045, 0.065] });
  });
  it("is that of a diagnosis by itself", () => expect(verdictOf({ verdict: "v", findings: [] }).sentence).toBe("v"));
  it("is empty where a run has no result", () => expect(verdictOf(null)).toMatchObject({ sentence: "", findings: [], reference: null }));
});

describe("figures", () => {
  it("of rates are percent and points", () => {
    expect(shown(0.6349, true)).toBe("63.5 %");
    expect(shownDifference(-0.012, true)).toBe("−1.2 points");
    expect(shownDifference(0.5, false)).toBe("+0.5");
  });
});

describe("recipes", () => {
  it("are laid over each other", () => {
    const ops = [{ op_name_dict: { a: "fp32" } }, { op_name_dict: { b: { weight: { dtype: "int8" } } } }, { op_name_dict: { a: "int8" } }];
    expect(merged(ops)).toEqual({ op_name_dict: { a: "int8", b: { weight: { dtype: "int8" } } } });
    expect(merged([])).toEqual({});
  });
});
