// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { hashOf, placeOf } from "./address";

it("an address brings back what was seen", () => {
  const place = { run: "20261127-quantize-a", value: "/layer.3/Conv_0 & <b>", table: "weights" as const, query: "sqnr<20 & kind:conv" };
  expect(placeOf(hashOf(place))).toEqual(place);
  expect(placeOf("")).toEqual({ run: null, value: null, table: "ops", query: "" });
});
