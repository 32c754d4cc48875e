// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

vi.stubGlobal("document", { baseURI: "https://localhost/" });
const { ApiError, get, listen, remove, send, tableOf, workloadPath } = await import("./client");
const { isReport, leftOutOf, storedAnswer } = await import("./stored");
import type { Report } from "./stored";

const odd = "/stem/conv/Conv & 1+1=2 ?";
const [first, second] = ["run 1", "run-2"];
const listed = (id: string, verb: string, tags: string[] = []) =>
  ({ id, name: `of ${id}`, verb, state: "success", models: [{ role: "reference", path: "/models/digits.onnx" }], tags, note: "" }) as unknown as Report["workloads"][number];

function reportOf(): Report {
  const pair = { channel: null, channels: [], edges: [-0.1, 0.5], reference: [1, 0, 4], quantized: [1, 1, 3] };
  return {
    format: 1,
    gates: [],
    compared: false,
    made: "2026-11-27T16:08:09Z",
    version: "1.2.3",
    runs: [second, first],
    workloads: [listed(second, "profile"), listed(first, "quantize", ["good"])],
    answers: {
      [`workloads/${first}`]: { id: first },
      [`workloads/${encodeURIComponent(second)}`]: { id: second },
      [`workloads/${encodeURIComponent(first)}/records/recipe`]: { weight: {} },
      [`workloads/${first}/ops?${new URLSearchParams({ op: odd })}`]: { activations: [1] },
      [`workloads/${first}/ops?op=${encodeURIComponent("Conv é_out")}`]: { activations: [2] },
      [`workloads/${first}/histograms/pair?${new URLSearchParams({ quantized: "b c", reference: "a" })}`]: pair,
      [`workloads/${first}/histograms/pair?reference=empty&quantized=b%20c`]: { ...pair, edges: [], reference: [], quantized: null },
      [`workloads/${first}/histograms/channels?reference=a&quantized=b+c`]: { axis: 1, histograms: [], channels: [0, 1, 2, 3] },
    },
    tables: {
      [`workloads/${first}/tables/plan.ops`]: {
        rows: 3, offset: 0, count: 3,
        columns: { "op.id": [odd, "Conv é_out", "c"], "op.name": ["one", "two", "three"], scheme: [{ bits: 8, of: { at: 1 } }, null, { bits: 4 }] },
      },
      [`workloads/${first}/tables/graph.ops`]: { rows: 1, offset: 0, count: 1, columns: { op: [odd], name: ["Stem"], attributes: [{ group: "1" }] } },
    },
  };
}

/** What is thrown, as "status: sentence". */
async function refused(answer: Promise<unknown>): Promise<string> {
  const problem: unknown = await answer.then(() => null, (problem: unknown) => problem);
  expect(problem).toBeInstanceOf(ApiError);
  return `${(problem as InstanceType<typeof ApiError>).status}: ${(problem as Error).message}`;
}

const { signal } = new AbortController();
const path = (rest: string) => workloadPath(first, rest);

beforeEach(() => {
  globalThis.quantlensReport = reportOf();
});
const { fetch, EventSource } = globalThis;
afterEach(() => {
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("EventSource", EventSource);
  globalThis.quantlensReport = undefined;
});

it("is a report only where one was read", () => {
  expect(isReport()).toBe(true);
  globalThis.quantlensReport = undefined;
  expect(isReport()).toBe(false);
  expect(() => storedAnswer("workloads")).toThrow(ApiError);
});

it("says what is left out of a run, and nothing where all is there", () => {
  expect(leftOutOf(first)).toEqual([]);
  const because = "run 1/graph.ops.rows: is missing; run the command again";
  globalThis.quantlensReport = { ...reportOf(), left_out: [{ workload: first, because }] };
  expect(leftOutOf(first)).toEqual([because]);
  expect(leftOutOf(second)).toEqual([]);
});

describe("what a report has", () => {
  it("is found however addresses are encoded", async () => {
    expect(await get(path(""))).toEqual({ id: first });
    expect(await get(workloadPath(second))).toEqual({ id: second });
    expect(await get(path("/records/recipe"))).toEqual({ weight: {} });
    expect(await get(path("/ops"), { op: odd })).toEqual({ activations: [1] });
    expect(await get(path("/ops"), { op: "Conv é_out" })).toEqual({ activations: [2] });
  });

  it("lists its runs as the server does", async () => {
    const idsOf = async (given: Record<string, string | number>) => (await get<{ workloads: { id: string }[] }>("workloads", given)).workloads.map(({ id }) => id);
    expect(await get("workloads", { limit: 1 })).toMatchObject({ total: 2, offset: 0, workloads: [{ id: second }] });
    expect(await get("workloads", { offset: 1, limit: 5 })).toMatchObject({ total: 2, offset: 1, workloads: [{ id: first }] });
    expect(await idsOf({ verb: "quantize" })).toEqual([first]);
    expect(await idsOf({ verb: "profile", state: "success" })).toEqual([second]);
    expect(await idsOf({ state: "failure" })).toEqual([]);
    expect(await idsOf({ tag: "good" })).toEqual([first]);
    expect(await idsOf({ q: " OF RUN-2 " })).toEqual([second]);
  });

  it("finds an op by its name in any table of the run", async () => {
    expect(await get(path("/ops"), { op: "two" })).toEqual({ activations: [2] });
    expect(await get(path("/ops"), { op: "Stem" })).toEqual({ activations: [1] });
    expect(await refused(get(path("/ops"), { op: "three" }))).toBe("404: Nothing is stored of an op 'three'.");
  });

  it("gives rows and columns of a table, and parts of a column", async () => {
    const table = (given: Record<string, string | number>) => get(path("/tables/plan.ops"), given);
    expect(await table({ columns: "op.name,scheme.bits", offset: 1, limit: 1, digits: 6 }))
      .toEqual({ rows: 3, offset: 1, count: 1, columns: { "op.name": ["two"], "scheme.bits": [null] } });
    expect(await table({ columns: "scheme.of.at", limit: 5 })).toEqual({ rows: 3, offset: 0, count: 3, columns: { "scheme.of.at": [1, null, null] } });
    expect(await table({ columns: "op.id", offset: 7 })).toEqual({ rows: 3, offset: 7, count: 0, columns: { "op.id": [] } });
    expect((await tableOf(first, "graph.ops", ["attributes"], signal)).columns["attributes"]).toEqual([{ group: "1" }]);
    expect(await refused(table({ columns: "op.id,nope" }))).toBe("400: plan.ops has no column 'nope'; it has op.id, op.name, scheme");
    expect(await refused(get(path("/tables/plan.nope")))).toBe("404: This report has no list 'plan.nope' of the run.");
  });

  it("has histograms in one size, of no single channels, and tells all their edges", async () => {
    const names = { reference: "a", quantized: "b c" };
    const edges = [-0.1, 0.1, 0.3, 0.5];
    expect(await get(path("/histograms/pair"), { ...names, bins: 1000 })).toEqual({ channel: null, channels: [], edges, reference: [1, 0, 4], quantized: [1, 1, 3] });
    expect(await refused(get(path("/histograms/pair"), { ...names, channel: 0 }))).toMatch("404: Histograms of single channels");
    expect(await get(path("/histograms/channels"), { ...names, limit: 7 })).toEqual({ axis: 1, histograms: [], channels: [0, 1, 2, 3] });
    const nothing = { ...names, reference: "empty" };
    expect(await get(path("/histograms/pair"), nothing)).toEqual({ channel: null, channels: [], edges: [], reference: [], quantized: null });
    expect(await refused(get(path("/histograms/pair"), { ...names, reference: "b" }))).toMatch("404: This report has no pair of 'b' and 'b c'");
  });
});

it("says of all else that it is not there", async () => {
  expect(await refused(get(workloadPath("other")))).toBe("404: There is no workload 'other' in this report.");
  expect(await refused(get(path("/records/times")))).toBe("404: This report has no record 'times' of the run.");
  expect(await refused(get(path("/samples/3/picture")))).toBe("404: Pictures of samples are not in a report.");
  expect(await refused(get("jobs"))).toMatch("404: This is a report");
  expect(await refused(send("POST", path("/what-if"), {}))).toMatch("404: This is a report");
  expect(await refused(send("PUT", path("/labels"), {}))).toMatch("404: This is a report");
  expect(await refused(remove(path("")))).toMatch("404: This is a report");
});

it("never asks the network, nor listens to it", async () => {
  const asked = vi.fn();
  for (const name of ["fetch", "EventSource"]) vi.stubGlobal(name, asked);
  await get("workloads");
  await refused(get("jobs"));
  listen("workloads", () => undefined, () => undefined)();
  expect(asked).not.toHaveBeenCalled();
});

it("gives no answer to who no longer waits for it", async () => {
  const stop = new AbortController();
  const answer = get(path(""), {}, stop.signal);
  stop.abort();
  await expect(answer).rejects.toThrow("abort");
});
