// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { asksToConfirm, changed, coresText, grouped, hasOwnFile, merged, placeText, progressOf, standOf, timesText, type Job } from "./model";

function jobOf(number: number, more: Partial<Job> = {}): Job {
  return {
    format: 1, id: `j${number}`, number, verb: "quantize", name: "net", state: "running", message: "",
    created: "2026-11-27T10:00:00.000Z", started: "2026-11-27T10:00:10.000Z", finished: "", request: {}, arguments: [], cores: 2,
    workload: null, output: null, exit_code: null, cancel_asked: "", pid: 1, start_ticks: 1, progress: null, before: null, ...more,
  };
}
const progress = { step: "calibrate", done: 5, total: 20, seconds: 2, rate: 2.5, remaining_seconds: 6 };
const now = Date.parse("2026-11-27T10:02:10.000Z");

describe("a change", () => {
  const jobs = [jobOf(2), jobOf(1)];
  it("of progress and workload stays in the list", () => {
    const list = changed(jobs, { id: "j2", state: "running", progress, workload: "w" });
    expect(list?.[0]).toMatchObject({ progress, workload: "w" });
    expect(changed(list!, { id: "j2", state: "running", progress: null, workload: null })?.[0]?.workload).toBe("w");
  });
  it("of state, or of a new job, asks for the job", () => {
    expect(changed(jobs, { id: "j2", state: "success", progress: null, workload: null })).toBeNull();
    expect(changed(jobs, { id: "j9", state: "queued", progress: null, workload: null })).toBeNull();
    expect(changed([], { id: "j9", state: "queued", progress: null, workload: null })).toBeNull();
  });
  it("that removes a job needs nothing else", () => {
    expect(changed(jobs, { id: "j1", state: null, progress: null, workload: null })?.map((job) => job.id)).toEqual(["j2"]);
  });
});

describe("lists", () => {
  it("have each job once, the newer word of it, last submitted first", () => {
    const all = merged([jobOf(1), jobOf(3)], [jobOf(2), jobOf(1, { state: "success" })]);
    expect(all.map((job) => [job.number, job.state])).toEqual([[3, "running"], [2, "running"], [1, "success"]]);
  });
  it("are grouped in the order in which jobs begin, and end", () => {
    const { running, waiting, ended } = grouped([
      jobOf(6, { state: "queued" }), jobOf(5, { state: "queued" }), jobOf(4), jobOf(3),
      jobOf(2, { state: "failure" }), jobOf(1, { state: "cancelled" }),
    ]);
    expect([running, waiting, ended].map((jobs) => jobs.map((job) => job.number))).toEqual([[3, 4], [5, 6], [2, 1]]);
    expect(grouped([])).toEqual({ running: [], waiting: [], ended: [] });
  });
});

describe("a job", () => {
  it("has a shape and a word", () => {
    expect(standOf(jobOf(1, { cancel_asked: "now" })).word).toBe("stopping");
    expect(standOf(jobOf(1, { state: "success", message: "It is done, but the goal was missed." })).word).toBe("goal missed");
    expect(standOf(jobOf(1, { state: "cancelled" }))).toEqual({ mark: "stopped", word: "cancelled" });
    expect(standOf(jobOf(1, { state: "interrupted" })).word).toBe("interrupted");
    expect(standOf(jobOf(1, { state: "failure" })).mark).toBe("failure");
  });
  it("tells its times", () => {
    expect(timesText(jobOf(1), now)).toBe("for 2 min");
    expect(timesText(jobOf(1, { state: "queued", started: "" }), now)).toBe("submitted 2 min ago");
    expect(timesText(jobOf(1, { state: "success", finished: "2026-11-27T10:00:18.000Z" }), now)).toBe("took 8.0 s · 1 min ago");
    expect(timesText(jobOf(1, { state: "cancelled", started: "", finished: "2026-11-27T10:02:00.000Z" }), now)).toBe("just now");
    expect(timesText(jobOf(1, { state: "failure", started: "", created: "", finished: "" }), now)).toBe("");
  });
  it("tells its progress while it runs", () => {
    expect(progressOf(jobOf(1, { progress }))).toEqual({ step: "calibrate", done: 5, total: 20, rate: 2.5, remaining: 6 });
    expect(progressOf(jobOf(1, { progress: { ...progress, total: null, rate: "inf", remaining_seconds: null } }))).toMatchObject({
      total: NaN, rate: Infinity, remaining: NaN,
    });
    expect(progressOf(jobOf(1, { state: "success", progress }))).toBeNull();
    expect(progressOf(jobOf(1))).toBeNull();
  });
  it("has a file of its own where it made one in its folder", () => {
    expect(hasOwnFile(jobOf(1, { state: "success", output: "/w/jobs/j1/made/net.int8.onnx" }))).toBe(true);
    expect(hasOwnFile(jobOf(1, { state: "success", output: "/data/net.int8.onnx" }))).toBe(false);
    expect(hasOwnFile(jobOf(1, { state: "failure", output: "/w/jobs/j1/made/net.int8.onnx" }))).toBe(false);
    expect(hasOwnFile(jobOf(1, { state: "success" }))).toBe(false);
  });
});

it("words count", () => {
  expect([0, 1, 2].map(placeText)).toEqual(["next in the queue", "1 job before it in the queue", "2 jobs before it in the queue"]);
  expect(coresText([jobOf(1)], 3)).toBe("Jobs may use 3 cores; 2 in use.");
  expect(coresText([], 1)).toBe("Jobs may use 1 core; none in use.");
  expect(coresText([], 0)).toContain("no cores");
});

it("a removal is asked about where the server says so", () => {
  expect(asksToConfirm(400, "This removes what the job made, too; say so with confirm=j1")).toBe(true);
  expect(asksToConfirm(409, "The job is running; cancel it first.")).toBe(false);
});
