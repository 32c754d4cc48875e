// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { findingRows, opRows, opsLeft, restText, settingRows, signed, type Told } from "./differences";

type Op = Told["ops"][number];
function op(name: string, verdict: Op["verdict"], more: Partial<Op> = {}): Op {
  return { a: { id: name, name }, b: { id: name, name }, verdict, difference_db: -3.21, difference_interval: [-3.6, -2.8],
           sqnr_a_db: 31, sqnr_b_db: 27.79, ...more } as Op;
}
const told = {
  b: { id: "run-b" },
  counts: { better: 1, worse: 101, equal: 4, undecided: 2, unknown: 0, only_a: 1, only_b: 0 },
  ops: [
    op("conv", "worse", { precision_a: "int8", precision_b: "fp32" }),
    op("old", "better", { b: { id: "n", name: "new" }, difference_db: "inf", difference_interval: null, sqnr_b_db: "inf" }),
    op("same", "equal"), op("unclear", "undecided"),
  ],
  findings: [
    { change: "new", rule: "rounding", a: null, b: { id: "c", name: "conv" }, output_share_a: null, output_share_b: 0.25, because: "8 bits are few" },
    { change: "same", rule: "saturation", a: { id: "d", name: "d" }, b: { id: "d", name: "d" } },
    { change: "gone", rule: "outlier", a: { id: "e", name: "" }, b: null, output_share_a: null, output_share_b: null },
  ],
  recipe: [{ option: "weight.granularity", a: "per_channel", b: null }, { option: "op_name_dict", a: { x: 1 }, b: {} }],
  plan: [
    { a: { id: "c", name: "conv" }, precision_a: "int8", precision_b: "fp32" },
    { a: { id: "d", name: "d" }, precision_a: "int8", precision_b: "int8" },
  ],
} as unknown as Told;

describe("differences of two runs", () => {
  it("are rows of the ops that samples tell apart", () => {
    const rows = opRows(told);
    expect(rows.map(({ name, isWorse, change, interval, sqnr, precision }) => [name, isWorse, change, interval, sqnr, precision])).toEqual([
      ["conv", true, "−3.2 dB", "−3.6 to −2.8", "31.0 → 27.8", "int8 → fp32"],
      ["old", false, "+∞ dB", "", "31.0 → ∞", ""],
    ]);
    expect(rows[1]?.other).toBe("new");
    expect(rows[0]?.href).toBe("#run=run-b&view=ops&op=conv");
  });
  it("say what is left out", () => {
    expect(opsLeft(told)).toBe(2);
    expect(restText(told)).toBe("4 as before, 2 that samples cannot tell apart, 1 of the first model alone");
  });
  it("have findings that are not the same", () => {
    expect(findingRows(told)).toEqual([
      { change: "new", rule: "rounding", op: "conv", because: "8 bits are few", share: "– → 25 %" },
      { change: "gone", rule: "outlier", op: "e", because: "", share: "" },
    ]);
  });
  it("have options, then ops that are computed in something else", () => {
    expect(settingRows(told)).toEqual([
      { what: "weight.granularity", a: "per_channel", b: "–" },
      { what: "op_name_dict", a: '{"x":1}', b: "{}" },
      { what: "conv", a: "int8", b: "fp32" },
    ]);
  });
  it("have a sign", () => expect([signed(0.04), signed(-Infinity), signed(NaN)]).toEqual(["0.0", "−∞", "–"]));
});
