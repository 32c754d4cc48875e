// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import type { Schemas } from "../api/client";
import { matching, unitsOf } from "./timed";

type Run = Schemas["ListedRun"];
const model = (role: Schemas["ModelFile"]["role"], sha256: string) => ({ role, sha256, path: "", bytes: 0 });
const run = (id: string, created: string, models: Run["models"], more: Partial<Run> = {}): Run => ({
  id, created, models, name: "", verb: "profile", state: "success", message: "", finished: "", metric: "", accuracy: null, progress: null, tags: [],
  note: "", ...more,
});

it("profiles are those of both models, the newest first", () => {
  const both = [model("reference", "a"), model("quantized", "b")];
  const runs = [
    run("old", "2026-01-01", both),
    run("new", "2026-02-01", both),
    run("of one", "2026-03-01", [model("reference", "a")]),
    run("of others", "2026-03-01", [model("reference", "a"), model("quantized", "c")]),
    run("turned round", "2026-03-01", [model("reference", "b"), model("quantized", "a")]),
    run("failed", "2026-03-01", both, { state: "failure" }),
  ];
  expect(matching(both, runs).map(({ id }) => id)).toEqual(["new", "old"]);
  expect(matching([model("reference", "x"), model("edited", "a"), model("quantized", "b")], runs).map(({ id }) => id)).toEqual(["new", "old"]);
  expect(matching([], runs)).toEqual([]);
  expect(matching([model("reference", ""), model("quantized", "")], [run("blank", "", [model("reference", ""), model("quantized", "")])])).toEqual([]);
});

it("times are made of columns, whatever is missing", () => {
  const columns = { ops: [[{ id: "c", name: "/Conv" }], null], type: ["Conv"], reference_us: [12.5, "nan"], gain_us: [-3], quantized: [true] };
  const [first, second] = unitsOf({ rows: 2, offset: 0, count: 2, columns });
  expect(first).toMatchObject({ ops: [{ id: "c" }], type: "Conv", reference: 12.5, gain: -3, isQuantized: true });
  expect(second).toMatchObject({ ops: [], type: "", reference: NaN, gain: NaN, isQuantized: false });
});
