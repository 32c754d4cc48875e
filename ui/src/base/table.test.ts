// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { countText, csv, csvOf, orderOf, orderText, shownColumns, type Column, type Order } from "./table";

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

describe("a table as CSV", () => {
  const cells = (...row: (number | string)[]) => csvOf(["name"], [row]).split("\r\n")[1];
  it("keeps numbers as they are, those below 0 too", () => {
    expect(cells(-3.2, 1e-7, -0.5)).toBe("-3.2,1e-7,-0.5");
    expect(cells("-3.2", "+1", "-1.5e-7", ".5")).toBe("-3.2,+1,-1.5e-7,.5");
  });
  it("lets no text be computed by a spreadsheet", () => {
    for (const text of ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "-", "=", " =1", "＝1"]) expect(cells(text)).toBe(`'${text}`);
    expect(cells("\t=1")).toBe('"\'\t=1"');
    expect(cells("\r=1")).toBe('"\'\r=1"');
    expect(cells('=HYPERLINK("http://x","y")')).toBe(`"'=HYPERLINK(""http://x"",""y"")"`);
    expect(cells("−16.6 points", "Conv=1", "a-b", "")).toBe("−16.6 points,Conv=1,a-b,");
  });
  it("lets no cell be two", () => {
    expect(cells('a"b', "a,b", "a\nb", "a\tb")).toBe('"a""b","a,b","a\nb","a\tb"');
  });
  it("treats heads and columns likewise", () => {
    expect(csvOf(["=a", "b"], [])).toBe("'=a,b\r\n");
    expect(csv([-1], [{ ...column("a"), of: () => "=1" }, column("b")])).toBe("a,b\r\n'=1,-1\r\n");
  });
});

it("rows are counted by the word for one, or for several", () => {
  expect([countText(1, 1, "ops"), countText(0, 1, "compared ops"), countText(7, 7, "ops"), countText(1, 7, "ops"), countText(2, 2, "")]).toEqual(
    ["1 op", "0 of 1 compared op", "7 ops", "1 of 7 ops", "2"]);
});
