// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { figuresOf, nothingKnown, type Figures } from "./figures";
import { isScaled, knownQuantities, legendOf, stepOf, wordSteps, type Scaled, type Worded } from "./quantities";
import { graphOf } from "./testing";

const nothing = figuresOf(graphOf(["Conv"], []), nothingKnown)[0]!;
const all: Figures[] = [
  { ...nothing, sqnr: 25, share: 0.2, time: 60, precision: "int8" }, { ...nothing, type: "Add", sqnr: 5, time: 40, precision: "fp32" },
  { ...nothing, type: "Add", precision: "fp32" },
];
const quantity = (id: string, of = all) => knownQuantities(of).find((one) => one.id === id)!;

describe("what boxes are coloured by", () => {
  it("is offered where something is known of it", () => {
    expect(knownQuantities(all).map(({ id }) => id)).toEqual(["sqnr", "share", "time", "precision", "type"]);
    expect(knownQuantities([nothing]).map(({ id }) => id)).toEqual(["type"]);
  });

  it("has five steps, from good to bad", () => {
    const sqnr = quantity("sqnr") as Scaled;
    expect([Infinity, 40, 39.9, 20, 10, 9, -4].map((value) => stepOf(value, sqnr))).toEqual([1, 1, 2, 3, 4, 5, 5]);
    expect(stepOf(NaN, sqnr)).toBe(0);
    const share = quantity("share") as Scaled;
    expect([0, 0.005, 0.02, 0.1, 0.5].map((value) => stepOf(value, share))).toEqual([1, 2, 3, 4, 5]);
  });

  it("tells times by their part of the run", () => {
    const time = quantity("time") as Scaled;
    expect(time.bounds).toEqual([0.5, 2, 5, 10]);
    expect(legendOf(time, new Map()).map(({ text }) => text)).toEqual([
      "< 0.5 % of a run", "< 2 % of a run", "< 5 % of a run", "< 10 % of a run", "≥ 10 % of a run",
    ]);
    expect(time.show(1500)).toBe("1.50 ms");
  });

  it("is told in a legend with its unit", () => {
    expect(legendOf(quantity("sqnr"), new Map())).toEqual([
      { step: 1, text: "≥ 40 dB" }, { step: 2, text: "≥ 30 dB" }, { step: 3, text: "≥ 20 dB" }, { step: 4, text: "≥ 10 dB" },
      { step: 5, text: "< 10 dB" },
    ]);
  });
});

describe("words", () => {
  it("have the colour of their frequency", () => {
    expect([...wordSteps(all, quantity("type") as Worded)]).toEqual([["Add", 1], ["Conv", 2]]);
  });

  it("that are named have the same colour in every run", () => {
    const precision = quantity("precision") as Worded;
    expect(isScaled(precision)).toBe(false);
    expect(wordSteps(all, precision).get("int8")).toBe(wordSteps([all[0]!], precision).get("int8"));
  });

  it("without a colour of their own have none", () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...nothing, type: `T${index}` }));
    expect(wordSteps(many, quantity("type") as Worded).size).toBe(7);
  });
});
