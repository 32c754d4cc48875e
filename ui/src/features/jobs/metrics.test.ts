// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { metricOf, metrics, metricText, optionProblem } from "./metrics";

describe("a metric", () => {
  it("is a name and its options", () => {
    expect(metricOf("top1:label_offset=1,output=scores:0=x")).toEqual({ name: "top1", options: { label_offset: "1", output: "scores:0=x" } });
    expect(metricOf("top1")).toEqual({ name: "top1", options: {} });
    expect(metricOf("")).toEqual({ name: "", options: {} });
    expect(metricOf("f1:x,=3,")).toEqual({ name: "f1", options: {} });
  });
  it("says what was read", () => {
    for (const text of ["top1:label_offset=1,output=scores:0=x", "mse", ""]) expect(metricText(metricOf(text))).toBe(text);
  });
  it("leaves out empty options, and those of another metric", () => {
    expect(metricText({ name: "mse", options: { label_offset: "1", output: " y ", higher_is_better: "" } })).toBe("mse:output=y");
  });
  it("has options of its own and one of all", () => {
    for (const metric of metrics) expect(metric.options.at(-1)?.name).toBe("higher_is_better");
    expect(metrics.map((metric) => metric.name)).toEqual(["top1", "top5", "accuracy", "f1", "mse", "mae", "rmse", "map", "spearman_cosine"]);
  });
  it("checks what is typed", () => {
    const option = (metric: string, name: string) => metrics.find((one) => one.name === metric)!.options.find((one) => one.name === name)!;
    expect(optionProblem(option("top1", "label_offset"), "-1")).toBe("");
    expect(optionProblem(option("top1", "label_offset"), "1.5")).toBe("must be a whole number");
    expect(optionProblem(option("f1", "threshold"), "x")).toBe("must be a number");
    expect(optionProblem(option("f1", "threshold"), "")).toBe("");
    expect(optionProblem(option("mse", "output"), "a,b")).toBe("must have no comma");
  });
});
