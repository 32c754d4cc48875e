// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { findingRows, opRows, opsLeft, planRows, restText, settingRows, signed, whoText, type Told } from "./differences";

type Op = Told["ops"][number];
function op(name: string, verdict: Op["verdict"], more: Partial<Op> = {}): Op {
  return { a: { id: name, name }, b: { id: name, name }, verdict, difference_db: -3.21, difference_interval: [-3.6, -2.8],
           sqnr_a_db: 31, sqnr_b_db: 27.79, ...more } as Op;
}
const planned = (name: string) => ({ a: { id: name, name }, b: { id: name, name }, precision_a: "int8", precision_b: "int8", form_a: "static",
                                     form_b: "static", reason_a: "", reason_b: "", other_activation: false, other_weight: true });
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
    { ...planned("conv"), precision_b: "fp32", form_b: "float", reason_b: "the recipe says so", other_weight: false },
    planned("d"), planned("e"), planned("f"), planned("g"),
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
  it("have options", () => {
    expect(settingRows(told)).toEqual([
      { what: "weight.granularity", a: "per_channel", b: "–" },
      { what: "op_name_dict", a: '{"x":1}', b: "{}" },
    ]);
  });
  it("have ops that are planned otherwise, in one row where they are so alike", () => {
    expect(planRows(told)).toEqual([
      { ops: "conv", a: "int8 static", b: "fp32", notes: "B: the recipe says so" },
      { ops: "4 ops: d, e, f, …", a: "int8 static", b: "int8 static", notes: "other scales or scheme of its weight" },
    ]);
  });
  it("say which runs they are of", () => {
    const run = { id: "20261128-1", verb: "quantize", created: "2026-11-28T01:02:03Z", metric: "top1", data: [] } as unknown as Told["a"];
    expect(whoText("A", run)).toBe("A: 20261128-1 of 'quantize', made 2026-11-28T01:02:03Z, top1");
    const data = [{ role: "samples", path: "/srv/digits.npz", samples: 200 }] as Told["a"]["data"];
    expect(whoText("B", { ...run, metric: "", data })).toBe("B: 20261128-1 of 'quantize', made 2026-11-28T01:02:03Z, 200 samples of digits.npz");
  });
  it("have a sign", () => expect([signed(0.04), signed(-Infinity), signed(NaN)]).toEqual(["0.0", "−∞", "–"]));
});
