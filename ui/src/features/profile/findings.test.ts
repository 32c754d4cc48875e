// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { csv } from "../../base/table";
import { axisOf, findingColumns, itemOf, opsText, outcomeOf, outcomeText, ratioText, ruleText } from "./findings";
import type { Finding, Trial } from "./record";

const ops = ["a", "b", "c", "d", "e"].map((name) => ({ id: name, name }));
const trial = (low: number, high: number): Trial => ({ ops: ops.slice(0, 1), ratio: (low + high) / 2, ratioInterval: [low, high], gain: 0.1,
  gainInterval: null, before: 80, inFloat: 24, around: 4 });
const finding = (change: Partial<Finding> = {}): Finding => ({ number: 2, rule: "slow_kernel", ops, milliseconds: 0.4, because: "it is slow", remedy: null,
  trial: null, ...change });

describe("a finding of speed", () => {
  it("is told in words", () => {
    expect(ruleText("slow_kernel")).toBe("Slow kernel");
    expect(ruleText("some_new_rule")).toBe("some new rule");
    expect(opsText(finding())).toBe("a, b, c and 2 more");
  });
  it("says what came of it", () => {
    expect(outcomeOf(finding())).toBe("not tried");
    expect(outcomeOf(finding({ trial: trial(0.8, 0.9) }))).toBe("gains");
    expect(outcomeOf(finding({ trial: trial(1.1, 1.2) }))).toBe("loses");
    expect(outcomeOf(finding({ trial: trial(0.9, 1.2) }))).toBe("open");
    expect(outcomeOf(finding({ trial: { ...trial(0.8, 0.9), ratioInterval: null } }))).toBe("open");
  });
  it("tells of it in words and figures", () => {
    expect(outcomeText(finding({ trial: trial(0.8, 0.9) }))).toBe("faster in float");
    expect(outcomeText(finding())).toBe("not timed in float");
    expect(ratioText(finding({ trial: trial(0.8, 0.9) }))).toBe("0.850 (0.800 to 0.900)");
    expect(ratioText(finding({ trial: { ...trial(0.8, 0.9), ratioInterval: null } }))).toBe("0.850");
    expect([finding(), finding({ trial: trial(NaN, NaN) })].map(ratioText)).toEqual(["–", "–"]);
  });
  it("has a place in the basket where it has a recipe", () => {
    expect(itemOf(finding())).toBeNull();
    expect(itemOf(finding({ remedy: "fp32" }))).toBeNull();
    const item = itemOf(finding({ remedy: { op_name_dict: { a: "fp32" } }, trial: trial(0.8, 0.9) }));
    expect(item).toMatchObject({ id: "finding:1", label: "Slow kernel: a in float", recipe: { op_name_dict: { a: "fp32" } } });
    expect(item?.gain).toBeNaN();
  });
});

it("the axis holds 1 and all intervals", () => {
  const [low, high] = axisOf([finding({ trial: trial(0.5, 0.7) }), finding({ trial: trial(NaN, Infinity) }), finding()]);
  expect(low).toBeCloseTo(0.46);
  expect(high).toBeCloseTo(1.04);
  expect(axisOf([])).toEqual([0.98, 1.02]);
});

it("findings are saved, all times in microseconds", () => {
  const [head, line] = csv([finding({ trial: trial(0.8, 0.9) })], findingColumns).split("\r\n");
  expect(head).not.toContain("[ms]");
  expect(line).toContain("2,slow_kernel,a;b;c;d;e,400,gains,a,");
});
