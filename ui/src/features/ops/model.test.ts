// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { compile } from "../../base/query";
import { csv, sorted, type Order } from "../../base/table";
import { asked, columns, language, opsOf } from "./model";

const table = {
  rows: 3,
  offset: 0,
  count: 3,
  columns: {
    ...Object.fromEntries(asked.map((name) => [name, [null, null, null]])),
    "op.id": ["v0", "v1", "v2"],
    "op.name": ["/layer.10/Conv", "/layer.9/Conv", 'a,"b"'],
    type: ["Conv", "Conv", "Softmax"],
    pattern: [["Conv", "Clip"], ["Conv"], ["Softmax"]],
    sqnr_db: [16.2, "inf", null],
    sqnr_db_interval: [[15.9, 16.5], null, null],
    output_share: [0.0267, 0.5, 0],
  },
};
const ops = opsOf(table);
const names = (order: Order) => sorted(ops, columns, order).map((op) => op.id);

describe("the op table", () => {
  it("is made of columns", () => {
    expect(ops[0]).toMatchObject({ id: "v0", pattern: "Conv Clip", sqnr: 16.2, sqnrInterval: [15.9, 16.5] });
    expect(ops[1]?.sqnr).toBe(Infinity);
    expect(ops[2]?.sqnr).toBeNaN();
  });
  it("sorts figures, and what has none comes last whichever way", () => {
    expect(names({ column: "sqnr", direction: "up" })).toEqual(["v0", "v1", "v2"]);
    expect(names({ column: "sqnr", direction: "down" })).toEqual(["v1", "v0", "v2"]);
  });
  it("has the share behind SQNR, told as an estimate", () => {
    expect(columns.slice(0, 4).map((column) => column.id)).toEqual(["name", "type", "sqnr", "share"]);
    expect(columns[3]!.meaning).toMatch(/^estimated: /);
  });
  it("shows cosines with their points below each other, and saves them in full", () => {
    const cosine = columns.filter((column) => column.id === "cosine");
    const two = [0.9414, 0.00038981].map((value) => ({ ...ops[0]!, cosine: value }));
    expect(two.map((op) => cosine[0]!.show(op))).toEqual(["0.94140", "0.00039"]);
    expect(csv(two, cosine)).toBe("Cosine\r\n0.9414\r\n0.00038981\r\n");
  });
  it("sorts names as people count", () => expect(names({ column: "name", direction: "up" })).toEqual(["v1", "v0", "v2"]));
  it("is asked by the fields of its columns", () => {
    const { holds } = compile("share>2% & kind:conv & sqnr<20", language);
    expect(ops.filter(holds!).map((op) => op.id)).toEqual(["v0"]);
  });
  it("is saved with what would break a table in quotation marks", () => {
    const shown = columns.filter((column) => ["name", "sqnr"].includes(column.id));
    expect(csv(ops, shown).split("\r\n")).toEqual(["Op,SQNR [dB]", "/layer.10/Conv,16.2", "/layer.9/Conv,Infinity", '"a,""b""",NaN', ""]);
  });
});
