// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Schemas } from "../../api/client";
import { begun, changedBy, following, isUnderWay, keeping, lacksRecipe, refused, restored, stateText, trialOf } from "./trial";

const item = { id: "finding:0", label: "a in float", recipe: { op_name_dict: { a: "fp32" } }, gain: 0.5 };
const job = (change: Partial<Schemas["ShownJob"]>) =>
  ({ id: "j1", state: "running", message: "", workload: null, progress: null, before: null, ...change }) as Schemas["ShownJob"];
const started = following(begun("run-1", [item], "quantlens …", "quantlens alone"), job({}));

describe("a trial", () => {
  it("begins with what is expected of it", () => {
    const trial = begun("run-1", [item], "c", "");
    expect(trial).toMatchObject({ base: "run-1", state: "submitting", labels: ["a in float"], expected: { share: 0.5 }, job: null });
    expect(begun("run-1", [{ ...item, gain: NaN }], "c", "").expected).toBeNull();
  });
  it("follows its job", () => {
    expect(started).toMatchObject({ job: "j1", state: "running" });
    expect(isUnderWay(started)).toBe(true);
    const further = changedBy(started, { id: "j1", state: "running", progress: { step: "diagnose", done: 3 }, workload: "run-2" });
    expect(further).toMatchObject({ progress: { step: "diagnose", done: 3 }, workload: "run-2" });
    expect(changedBy(further!, { id: "j1", state: "running", progress: null })).toMatchObject({ progress: { step: "diagnose" }, workload: "run-2" });
    expect(changedBy(started, { id: "other", state: "success" })).toBe(started);
    expect(changedBy({ ...started, job: null }, { id: "j1", state: "success" })).toMatchObject({ state: "running" });
    for (const state of ["success", "failure", null]) expect(changedBy(started, { id: "j1", state })).toBeNull();
    expect(isUnderWay(following(started, job({ state: "success", workload: "run-2" })))).toBe(false);
  });
  it("may be refused", () => {
    const trial = refused(begun("run-1", [item], "c", "d"), "data: must be an absolute path");
    expect(trial).toMatchObject({ state: "refused", message: "data: must be an absolute path" });
    expect(stateText(trial)).toBe("Cannot be run here");
  });
  it("may be of a file without a recipe", () => {
    const failed = following(started, job({ state: "failure", message: "--recipe q.onnx: the model holds no recipe, since …" }));
    expect(lacksRecipe(failed)).toBe(true);
    expect(lacksRecipe({ ...failed, alone: "" })).toBe(false);
    expect(lacksRecipe({ ...failed, message: "no memory" })).toBe(false);
  });
  it("says how many wait before it", () => {
    expect(stateText({ ...started, state: "queued", before: 2 })).toBe("Waiting behind 2 jobs");
    expect(stateText({ ...started, state: "queued", before: 1 })).toBe("Waiting behind 1 job");
    expect(stateText({ ...started, state: "queued", before: 0 })).toBe("Waiting");
  });
});

describe("what is kept of trials", () => {
  it("is one a run, found by either of its runs", () => {
    const ended = { ...started, workload: "run-2" };
    const all = keeping(keeping([], { ...started, workload: "old" }), ended);
    expect(all).toEqual([ended]);
    expect(trialOf(all, "run-1")).toBe(ended);
    expect(trialOf(all, "run-2")).toBe(ended);
    expect(trialOf(all, "run-3")).toBeNull();
    const again = { ...started, base: "run-2", workload: "run-3" };
    expect(trialOf([...all, again], "run-2")).toBe(again);
  });
  it("is read again, without what nobody follows", () => {
    expect(restored(JSON.stringify([started]))).toEqual([started]);
    expect(restored(JSON.stringify([begun("run-1", [item], "c", "")]))).toEqual([]);
    for (const bad of [null, "", "{", "{}", "[1, null, {}]"]) expect(restored(bad)).toEqual([]);
    expect(restored(JSON.stringify([{ ...started, expected: 0.5 }]))).toEqual([{ ...started, expected: null }]);
  });
});
