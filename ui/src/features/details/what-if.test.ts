// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from "vitest";

import { Latest } from "./latest";
import { changeOf, expectedOf, gainText, labelOf, noteOf, nothingAsked, problemOf, rangeOf, whyNoRecipe, type Asked } from "./what-if";

const nothing = nothingAsked([-1, 1]);
/** The change without the names of its value. */
function asks(change: Partial<Asked>): object {
  const made: { [name: string]: unknown } = { ...changeOf({ ...nothing, ...change }, "v", "q") };
  expect([made["value"], made["quantized"]]).toEqual(["v", "q"]);
  delete made["value"];
  delete made["quantized"];
  return made;
}

describe("what is asked", () => {
  it("is nothing at first", () => expect(changeOf(nothing, "v", "q")).toBeNull());
  it("is a range", () => {
    expect(asks({ by: "hand", dtype: "uint16" })).toEqual({ range: { min: -1, max: 1 }, activation: { dtype: "uint16" } });
  });
  it("is an algorithm with its option", () => {
    expect(asks({ by: "percentile", percentile: "99.9", scheme: "sym" })).toEqual({
      activation: { algorithm: "percentile", percentile: 99.9, scheme: "sym" },
    });
  });
  it("of float is nothing else", () => {
    expect(asks({ by: "hand", dtype: "fp32", scheme: "sym" })).toEqual({ activation: { dtype: "fp32" } });
    expect(asks({ weightDtype: "fp32", weightScheme: "sym", granularity: "per_tensor" })).toEqual({ weight: { dtype: "fp32" } });
  });
  it("of a weight is its granularity", () => expect(asks({ granularity: "per_tensor" })).toEqual({ weight: { granularity: "per_tensor" } }));
  it("must make sense", () => {
    expect(problemOf(nothing)).toBe("");
    for (const range of [[NaN, 1], [2, 1], [0, 0]] as const) {
      expect(problemOf({ ...nothing, by: "hand", range })).not.toBe("");
      expect(changeOf({ ...nothing, by: "hand", range }, "v", "q")).toBeNull();
    }
    for (const percentile of ["", "x", "0", "101", "-1"]) expect(problemOf({ ...nothing, by: "percentile", percentile })).not.toBe("");
    expect(problemOf({ ...nothing, by: "percentile", percentile: "100" })).toBe("");
  });
});

describe("ends of a range", () => {
  it("hold 0", () => expect(rangeOf([0.5, 2], "low", false)).toEqual([0, 2]));
  it("of symmetric codes are alike", () => {
    expect(rangeOf([-1, 3], "low", true)).toEqual([-1, 1]);
    expect(rangeOf([-1, 3], "high", true)).toEqual([-3, 3]);
    expect(rangeOf([-1, 3], "both", true)).toEqual([-3, 3]);
  });
});

const error = (mse: number, rounding: number) => ({ mse, sqnr_db: 20, rounding_mse: rounding, clipping_mse: 0, weight_mse: 1 });
const answer = {
  changes: [{ op: { id: "y", name: "Conv" }, value: "y", now: error(4, 2), expected: error(2.5, 0.5), known_by: "histogram", reason: "",
    range: { min: -1, max: 2 },
    params: { scale: 0.01, zero_point: 85 }, output_gain: 0.25 }],
  recipe: { op_name_dict: { Conv: { activation: { algorithm: "mse" } } } },
  output_gain: 0.25,
};

describe("what is expected", () => {
  it("has the parts now and then, and what stays", () => {
    const told = expectedOf(answer)!;
    expect(told.parts.map((part) => [part.id, part.now, part.expected])).toEqual([
      ["rounding", 2, 0.5], ["clipping", 0, 0], ["weight", 1, 1], ["rest", 1, 1],
    ]);
    expect(told).toMatchObject({ knownBy: "histogram", gain: 0.25, range: [-1, 2], scale: 0.01, zeroPoint: 85 });
    expect(labelOf("Conv", told.recipe)).toBe("Conv: activation algorithm mse");
    expect(whyNoRecipe(nothing, told)).toBe("");
  });
  it("is told in a line", () => {
    const told = expectedOf(answer)!;
    expect(noteOf(told)).toBe("What if: local SQNR 20.0 → 20.0 dB. About 25 % of the outputs' error would go.");
    expect(noteOf({ ...told, knownBy: "moments", gain: NaN })).toBe("What if, approximately: local SQNR 20.0 → ≈ 20.0 dB. ");
    expect(noteOf({ ...told, knownBy: "unknown", reason: "it was not measured" })).toBe("What if: unknown, it was not measured.");
    expect([0, -0.25, -9, NaN].map(gainText)).toEqual([
      "About 0 % of the outputs' error would go.", "The outputs' error would grow by about 25 %.",
      "The outputs' error would be about 10 times what it is.", "",
    ]);
  });
  it("may be unknown", () => {
    const nothingKnown = { expected: null, known_by: "unknown", reason: "no histogram of it is stored", range: null, params: null,
      output_gain: null };
    const told = expectedOf({ changes: [{ ...answer.changes[0], ...nothingKnown }], recipe: null })!;
    expect(told).toMatchObject({ knownBy: "unknown", reason: "no histogram of it is stored", range: null, recipe: null });
    expect(told.expectedDb).toBeNaN();
    expect(told.gain).toBeNaN();
    expect(told.parts[3]!.expected).toBeNaN();
  });
  it("has infinite figures", () => {
    expect(expectedOf({ changes: [{ ...answer.changes[0], expected: { mse: 0, sqnr_db: "inf" } }] })?.expectedDb).toBe(Infinity);
  });
  it("is nothing of an answer without changes", () => {
    for (const none of [null, undefined, {}, { changes: [] }, 7]) expect(expectedOf(none)).toBeNull();
  });
  it("says why it is in no recipe", () => {
    const told = { ...expectedOf(answer)!, recipe: null };
    expect(whyNoRecipe({ ...nothing, by: "hand" }, told)).toContain("No recipe says a range");
    expect(whyNoRecipe({ ...nothing, dtype: "uint16" }, told)).toContain("16 bits");
    expect(whyNoRecipe(nothing, told)).toBe("No recipe asks for this.");
    expect(labelOf("Conv", null)).toBe("Conv: what-if");
  });
});

describe("questions", () => {
  it("are asked one at a time, the last one of those that wait", async () => {
    const answers: ((text: string) => void)[] = [];
    const asked: number[] = [];
    const told: string[] = [];
    const latest = new Latest<number, string>((question) => {
      asked.push(question);
      return new Promise((done) => answers.push(done));
    }, (text, question) => told.push(`${question}:${text}`), () => told.push("failed"));
    for (const question of [1, 2, 3]) latest.put(question);
    expect(asked).toEqual([1]);
    answers[0]!("a");
    await vi.waitFor(() => expect(asked).toEqual([1, 3]));
    answers[1]!("b");
    await vi.waitFor(() => expect(latest.isBusy).toBe(false));
    expect(told).toEqual(["1:a", "3:b"]);
  });
  it("that fail are told, and others follow", async () => {
    const told: string[] = [];
    const latest = new Latest<number, string>((question) => (question === 1 ? Promise.reject(new Error("no")) : Promise.resolve("yes")),
      (text) => told.push(text), (problem) => told.push(problem.message));
    latest.put(1);
    latest.put(2);
    await vi.waitFor(() => expect(told).toEqual(["no", "yes"]));
  });
  it("that are cleared are not told", async () => {
    const told: string[] = [];
    const latest = new Latest<number, string>(() => Promise.resolve("late"), (text) => told.push(text), () => told.push("failed"));
    latest.put(1);
    latest.clear();
    await Promise.resolve();
    await Promise.resolve();
    expect(told).toEqual([]);
    expect(latest.isBusy).toBe(false);
  });
});
