// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { orderOf, orderText, shownColumns, type Column, type Order } from "./table";

const column = (id: string, isExtra = false): Column<number> => ({ id, title: id, meaning: id, of: Number, show: String, first: "up", width: 1, isExtra });
const columns = [column("a"), column("b", true), column("c")];
const start: Order = { column: "a", direction: "up" };

it("an order is read back from its text", () => {
  for (const order of [start, { column: "b", direction: "down" }] as const) expect(orderOf(orderText(order), columns, start)).toEqual(order);
});

it("an order by a column that is not there is the first one", () => {
  expect(orderOf("-z", columns, start)).toBe(start);
  expect(orderOf(undefined, columns, start)).toBe(start);
});

it("shows the columns that are asked for in the table's order, and never none", () => {
  const ids = (text?: string) => shownColumns(columns, text).map((one) => one.id);
  expect(ids()).toEqual(["a", "c"]);
  expect(ids("c,b,z")).toEqual(["b", "c"]);
  expect(ids("z")).toEqual(["a", "c"]);
});
