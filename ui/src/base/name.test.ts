// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { parted } from "./name";

it("a long name is parted before its end", () => {
  expect(parted("/encoder/layer.5/attention/self/MatMul", 18)).toEqual({ start: "/encoder/layer.5/attention", end: "/self/MatMul" });
  expect(parted("digits broken, /block3/conv/Conv in float", 10)).toEqual({ start: "digits broken, /block3/conv/Conv", end: " in float" });
});

it("where nothing separates its parts, after so many letters", () => {
  expect(parted("a".repeat(30), 10)).toEqual({ start: "a".repeat(20), end: "a".repeat(10) });
});

it("a separator that would leave next to nothing is none", () => {
  expect(parted(`${"a".repeat(30)}/b`, 10)).toEqual({ start: "a".repeat(22), end: "aaaaaaaa/b" });
});

it("a short name stays whole", () => {
  expect(parted("", 18)).toEqual({ start: "", end: "" });
  expect(parted("/block3/depthwise/Conv", 12)).toEqual({ start: "/block3/depthwise/Conv", end: "" });
});
