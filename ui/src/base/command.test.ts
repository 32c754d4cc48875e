// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { best, match } from "./command";

it("prefers what has the text as a whole, near its begin", () => {
  const all = ["/layer.10/Conv", "Conv_1", "Concat of values"];
  expect(best(all, (one) => one, "conv", 9)).toEqual(["Conv_1", "/layer.10/Conv", "Concat of values"]);
});

it("takes letters in their order with gaps between", () => {
  expect(match("Copy as command line", "cpcl")).not.toBeNaN();
  expect(match("Copy as command line", "xq")).toBeNaN();
});

it("shows all that there is before anything is typed", () => expect(best([1, 2, 3], String, " ", 2)).toEqual([1, 2]));
