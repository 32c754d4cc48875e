// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { hashOf, holding, placeOf, type Place } from "./address";

it("an address says all that it was made of", () => {
  const place: Place = { run: "20261121-a", view: "weights", op: "/l.0/MatMul:0", value: "a&b=c#", query: "sqnr<20 & x", held: { "ops.sort": "-mse" } };
  expect(placeOf(hashOf(place))).toEqual(place);
});

it("an empty address has nothing", () => {
  expect(placeOf("")).toEqual({ run: null, view: null, op: null, value: null, query: "", held: {} });
  expect(hashOf(placeOf(""))).toBe("#");
});

it("what a view holds cannot take the place of the page's own", () => {
  expect(placeOf(hashOf({ ...placeOf("#run=a"), held: { run: "b" } })).run).toBe("a");
});

it("what is no longer held is gone", () => {
  expect(holding({ a: "1", b: "2" }, { a: null, c: "3" })).toEqual({ b: "2", c: "3" });
});
