// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { compile } from "./query";
import { comparedLanguage, comparedOf } from "./compared";

const page = (columns: Record<string, unknown[]>) => ({ rows: 0, offset: 0, count: 0, columns });

it("rows are made of columns, whatever is missing", () => {
  const rows = comparedOf(
    page({
      "op.id": ["a", "b"],
      "op.name": ["/conv0/Conv", ""],
      type: ["Conv"],
      pattern: [["Conv", "Clip"], null],
      sqnr_db: ["inf", "nan"],
      sqnr_db_interval: [[1, 2], ["nan", 3]],
      output_share: [0.25, null],
    }),
  );
  expect(rows[0]).toMatchObject({ id: "a", name: "/conv0/Conv", type: "Conv", pattern: "Conv Clip", sqnr: Infinity, sqnrInterval: [1, 2], share: 0.25 });
  expect(rows[1]).toMatchObject({ id: "b", name: "b", type: "", pattern: "", sqnr: NaN, sqnrInterval: null, share: NaN, value: "" });
  expect(comparedOf(page({}))).toEqual([]);
});

it("is asked in the words of the op table, and in further ones", () => {
  const rows = comparedOf(page({ "op.id": ["a", "b"], type: ["Conv", "Softmax"], sqnr_db: [10, 30], clip_rate: [0.02, 0] }));
  const found = (text: string) => {
    const { holds } = compile(text, comparedLanguage([{ names: ["gain"], meaning: "", number: (row) => row.sqnr * 2 }]));
    return rows.filter(holds!).map((row) => row.id);
  };
  expect(found("kind:conv & clip>1%")).toEqual(["a"]);
  expect(found("gain>40")).toEqual(["b"]);
  expect(compile("colour:red", comparedLanguage()).error).toContain("no field");
});
