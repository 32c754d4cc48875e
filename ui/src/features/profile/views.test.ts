// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { timesOf } from "./record";
import { modeOf, modesOf, sideOf } from "./views";

const one = timesOf({ nodes: [] });
const two = timesOf({ reference: {}, quantized: {}, findings: [{ rule: "conversions" }] });

it("one model has neither findings nor sides", () => {
  expect(modesOf(one).map((mode) => mode.title)).toEqual(["Nodes", "By type", "By scope", "Flame", "Whole run"]);
  expect(modeOf("findings", one)).toBe("ops");
  expect(sideOf("int8", one)).toBe("float");
});

it("two models have both, as the address says", () => {
  expect(modesOf(two).at(-1)?.title).toBe("Remedies (1)");
  expect([undefined, "float" as const].map((of) => modesOf(two, of)[0]?.title)).toEqual(["Ops", "Nodes"]);
  expect(["findings", "flame", "dance", undefined].map((text) => modeOf(text, two))).toEqual(["findings", "flame", "ops", "ops"]);
  expect(["int8", "float", "x", undefined].map((text) => sideOf(text, two))).toEqual(["int8", "float", "both", "both"]);
});
