// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { commandOf, exactly, expectedGain, merged, put, type BasketItem, type Json } from "./basket";

const item = (id: string, gain: number): BasketItem => ({ id, label: id, recipe: { op_name_dict: { [id]: "fp32" } }, gain });

it("lays recipes over each other, objects member by member", () => {
  expect(merged([{ a: 1, op_name_dict: { x: "fp32" } }, { op_name_dict: { y: "fp32" }, a: [2] }])).toEqual({
    a: [2],
    op_name_dict: { x: "fp32", y: "fp32" },
  });
  expect(merged([])).toEqual({});
  const named = merged([{ op_name_dict: { a: "fp32" } }, JSON.parse('{"op_name_dict": {"__proto__": "fp32", "constructor": "int8"}}') as Json]);
  expect(JSON.stringify(named)).toBe('{"op_name_dict":{"a":"fp32","__proto__":"fp32","constructor":"int8"}}');
  expect(JSON.stringify(merged([JSON.parse('{"__proto__": {"x": 1}}')]))).not.toContain('"toString"');
});

it("replaces the item of the same id", () => {
  const basket = put(put([], item("a", 0.1)), item("b", 0.2));
  expect(put(basket, item("a", 0.5)).map((one) => one.gain)).toEqual([0.5, 0.2]);
});

it("expects of a basket what is known of its items", () => {
  expect(expectedGain([item("a", NaN)]).share).toBeNaN();
  expect(expectedGain([item("a", 0.25), item("b", NaN)])).toEqual({ share: 0.25, interval: null, by: "estimated" });
  const known = { interval: [0.18, 0.63], by: "measured" } as const;
  expect(expectedGain([{ ...item("a", 0.41), known }])).toEqual({ share: 0.41, ...known });
  expect(expectedGain([item("a", 0.75), item("b", 0.5)])).toEqual({ share: 1.25, interval: null, by: "sum" });
});

it("quotes what a shell would read otherwise", () => {
  expect(commandOf(["quantize", "my model.onnx", "--metric=top1"], ["--recipe", `{"a":"it's"}`])).toBe(
    `quantlens quantize 'my model.onnx' --metric=top1 --recipe '{"a":"it'\\''s"}'`,
  );
});

it("matches one name alone", () => {
  const name = "/layer.3/a+b(1)/Conv[0]";
  expect(new RegExp(`^${exactly(name)}$`).test(name)).toBe(true);
  expect(new RegExp(`^${exactly("a.b")}$`).test("axb")).toBe(false);
});
