// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { compile } from "../../base/query";
import { asked, language, weightsOf } from "./model";

it("weights are made of columns and asked by them", () => {
  const table = {
    rows: 2,
    offset: 0,
    count: 2,
    columns: {
      ...Object.fromEntries(asked.map((name) => [name, [null, null]])),
      "op.id": ["v0", "v1"],
      "op.name": ["/conv0", "/conv1"],
      dtype: ["int8", "int4"],
      granularity: ["per_channel", "per_tensor"],
      channel_spread: [185, null],
    },
  };
  const weights = weightsOf(table);
  expect(weights[0]).toMatchObject({ id: "v0", name: "/conv0", granularity: "per channel", spread: 185 });
  const found = (query: string) => weights.filter(compile(query, language).holds!).map((row) => row.id);
  expect(found("spread>10")).toEqual(["v0"]);
  expect(found('codes:"per tensor"')).toEqual(["v1"]);
});
