// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from "vitest";

import type { Schemas } from "../api/client";

vi.stubGlobal("document", { baseURI: "https://localhost/" });
const { viewOf, viewsOf } = await import("./views");

type Run = Schemas["ShownRun"];
const runOf = (state: Run["state"], ...records: string[]) =>
  ({ state, files: records.map((record) => ({ name: `${record}.json`, kind: "record", record, version: 8, bytes: 1 })) }) as unknown as Run;
const ids = (...given: Parameters<typeof runOf>) => viewsOf(runOf(...given)).map(({ id }) => id);

describe("the views of a run", () => {
  it("are those whose records it has, a diagnosis first", () => {
    expect(ids("success", "diagnosis", "graph", "plan", "accuracy")).toEqual(["ops", "weights", "graph", "network", "costs", "floats", "accuracy"]);
    expect(ids("success")).toEqual([]);
  });
  it("have the accuracy before a graph that no errors colour", () => {
    expect(ids("success", "graph", "accuracy")).toEqual(["accuracy", "graph"]);
    expect(ids("success", "study", "graph", "plan", "accuracy")).toEqual(["tuning", "accuracy", "graph", "floats"]);
    expect(ids("success", "graph", "plan")).toEqual(["graph", "floats"]);
    expect(ids("success", "accuracy")).toEqual(["accuracy"]);
  });
  it("of a failed run begin with what has names", () => {
    expect(ids("failure", "graph", "plan")).toEqual(["floats", "graph"]);
    expect(ids("failure", "graph")).toEqual(["graph"]);
    expect(ids("failure", "diagnosis", "graph", "plan")[0]).toBe("ops");
  });
  it("open on the one that is asked for, else on the first", () => {
    const views = viewsOf(runOf("success", "graph", "accuracy"));
    expect(viewOf(views, "graph")?.id).toBe("graph");
    expect(viewOf(views, "gone")?.id).toBe("accuracy");
    expect(viewOf([], null)).toBeUndefined();
  });
});
