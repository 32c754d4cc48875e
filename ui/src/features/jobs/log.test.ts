// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { appended, lineOf, mostLines, nextOf, textOf } from "./log";

describe("a log's line", () => {
  it("that is a sentence stays as it is", () => {
    expect(lineOf("quantlens: the model cannot be read").text).toBe("quantlens: the model cannot be read");
    expect(lineOf('{"broken').text).toBe('{"broken');
    expect(lineOf('{"a": 1}').text).toBe('{"a": 1}');
    expect(lineOf("null").text).toBe("null");
  });
  it("that is an event is told in words", () => {
    const told = (event: object) => lineOf(JSON.stringify(event)).text;
    expect(told({ event: "workload", id: "w1", folder: "/w" })).toBe("run w1");
    expect(told({ event: "begin", step: "calibrate", total: 100 })).toBe("calibrate: 100 to do");
    expect(told({ event: "begin", step: "diagnose" })).toBe("diagnose");
    expect(told({ event: "progress", step: "calibrate", done: 40, total: 100, seconds: 3.2 })).toBe("calibrate: 40 of 100, after 3.2 s");
    expect(told({ event: "progress", step: "trial 1", done: 7 })).toBe("trial 1: 7");
    expect(told({ event: "end", step: "calibrate", seconds: 8 })).toBe("calibrate: done in 8.0 s");
    expect(told({ event: "end", step: "calibrate", done: 100, total: 100, seconds: 8 })).toBe("calibrate: 100 done in 8.0 s");
    expect(told({ event: "note", text: "all is well" })).toBe("note: all is well");
    expect(told({ event: "news", x: 1 })).toBe('{"event":"news","x":1}');
  });
});

describe("parts of a log", () => {
  const progress = (done: number) => `{"event":"progress","step":"a","done":${done}}\n`;
  it("keep one line of a step, over parts too", () => {
    const first = appended([], progress(1) + progress(2), true);
    expect(textOf(appended(first, `${progress(3)}{"event":"end","step":"a"}\n`, true))).toBe("a: done");
  });
  it("keep both of a step that is done twice", () => {
    const whole = '{"event":"begin","step":"a","total":2}\n{"event":"end","step":"a","done":2}\n';
    expect(textOf(appended([], whole + whole, true))).toBe("a: 2 done\na: 2 done");
  });
  it("keep what stands between", () => {
    const other = '{"event":"progress","step":"b","done":1}\n';
    expect(textOf(appended([], progress(1) + other + progress(2), true))).toBe("a: 1\nb: 1\na: 2");
  });
  it("of the output are left alone", () => expect(textOf(appended([], progress(1), false))).toBe('{"event":"progress","step":"a","done":1}'));
  it("keep empty lines, and the last thousands", () => {
    expect(appended([], "a\n\nb", true).map((line) => line.text)).toEqual(["a", "", "b"]);
    expect(appended([], "", true)).toEqual([]);
    const many = appended([], Array.from({ length: mostLines + 5 }, (_, index) => `l${index}`).join("\n"), true);
    expect([many.length, many[0]?.text]).toEqual([mostLines, "l5"]);
  });
});

it("a log is read on, waited for, and left", () => {
  expect(nextOf({ end: 10, size: 20 }, 0, true)).toBe("on");
  expect(nextOf({ end: 20, size: 20 }, 10, false)).toBe("wait");
  expect(nextOf({ end: 20, size: 20 }, 10, true)).toBe("stop");
  expect(nextOf({ end: 10, size: 20 }, 10, true)).toBe("stop");
});
