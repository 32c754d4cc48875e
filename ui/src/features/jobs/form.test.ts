// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { commandOf } from "../../base/basket";
import { verbsOf } from "./fields";
import { changesName, recipeProblem, refusalOf, requestOf, usualValues, valuesLike, verbLike, wordsOf, type Values } from "./form";
import { document } from "./testing";

const verbs = verbsOf(document);
const quantize = verbs.get("quantize")!;
const asked = (values: Values, verb = "quantize") => requestOf(verb, verbs.get(verb)!, values);

describe("a request", () => {
  it("has what was typed, each as its kind", () => {
    const { request, problems } = asked({
      model: " /m/net.onnx ", data: "/d", limit: "50", approach: "dynamic", diagnose: true, verify: "3", name: "",
    });
    expect(request).toEqual({ verb: "quantize", model: "/m/net.onnx", data: "/d", limit: 50, approach: "dynamic", diagnose: true, verify: 3 });
    expect(problems).toEqual({});
  });
  it("leaves out what means nothing without another", () => {
    expect(asked({ model: "/m", verify: "3" }).request).toEqual({ verb: "quantize", model: "/m" });
    expect(asked({ model: "/m", diagnose: true, verify: "0" }).request).toEqual({ verb: "quantize", model: "/m", diagnose: true });
    expect(asked({ model: "/m", diagnose: false }).request).toEqual({ verb: "quantize", model: "/m" });
  });
  it("says what is wrong with each field", () => {
    const { request, problems } = asked({ limit: "0", threads: "2.5", [changesName]: "[1" });
    expect(request).toEqual({ verb: "quantize" });
    expect(problems["model"]).toBe("quantize needs it");
    expect(problems["limit"]).toBe("must be a whole number, 1 or more");
    expect(problems["threads"]).toBe("must be a whole number from 1 to 1024");
    expect(problems["recipe"]).toContain("is no JSON");
    expect(asked({ ratio: "inf" }, "news").problems["ratio"]).toBe("must be a number");
    expect(asked({ model: "/m", limit: "99999999999999999999" }).problems["limit"]).toBe("must be a whole number, 1 or more");
  });
  it("asks for data where the program would", () => {
    const said = (values: Values) => asked({ model: "/m", ...values }).problems["data"] ?? "";
    expect(said({})).toContain("calibration needs it");
    expect(said({ data: "random" })).toBe("");
    for (const enough of [{ ranges: "/r.bin" }, { approach: "dynamic" }, { recipe: "last" }]) {
      expect(said(enough)).toBe("");
      expect(said({ ...enough, diagnose: true })).toBe("diagnosis and metric need it");
    }
  });
  it("says which fields do not go together", () => {
    expect(asked({ model: "/m", data: "/d", isolate_timeout: "5" }).problems).toEqual({ isolate_timeout: "means something with isolate alone" });
    expect(asked({ model: "/m", data: "/d", isolate_timeout: "5", isolate: true }).problems).toEqual({});
    expect(asked({ model: "/m", data: "/d", ranges: "/r", calibration_data: "/c" }).problems["calibration_data"]).toContain("no use");
  });
  it("has one count or a list of them", () => {
    expect(asked({ model: "/m", batch_size: "8" }, "benchmark").request["batch_size"]).toBe(8);
    expect(asked({ model: "/m", batch_size: "1, 8,32" }, "benchmark").request["batch_size"]).toEqual([1, 8, 32]);
    expect(asked({ model: "/m", batch_size: "1,," }, "benchmark").problems["batch_size"]).toContain("whole number");
  });
  it("lays recipes over each other", () => {
    const recipe = (values: Values) => asked({ model: "/m", ...values }).request["recipe"];
    expect(recipe({ recipe: "20261121-a" })).toBe("20261121-a");
    expect(recipe({ [changesName]: '{"a": 1}' })).toEqual({ a: 1 });
    expect(recipe({ recipe: "/r.json", [changesName]: '{"a": 1}' })).toEqual(["/r.json", { a: 1 }]);
    expect(recipe({ recipe: "/r.json", [changesName]: '["last", {"a": 1}]' })).toEqual(["/r.json", "last", { a: 1 }]);
    expect(recipe({})).toBeUndefined();
  });
  it("checks a recipe's text", () => {
    expect(recipeProblem("")).toBe("");
    expect(recipeProblem("{}")).toBe("");
    for (const wrong of ["3", "null", '"a"', "[[]]", "[null]"]) expect(recipeProblem(wrong)).toContain("must be an object");
    expect(recipeProblem("{a: 1}")).toContain("is no JSON");
  });
});

describe("a command line", () => {
  it("says the same as the request", () => {
    const { request } = asked({ model: "/m/my net.onnx", limit: "5", diagnose: true, recipe: "last", [changesName]: '{"a": 1}', output: "/o.onnx" });
    expect(commandOf(wordsOf(request))).toBe(
      `quantlens quantize '/m/my net.onnx' --recipe last --recipe '{"a":1}' --limit 5 --diagnose -o /o.onnx`,
    );
  });
  it("keeps values from being options, and lists together", () => {
    expect(wordsOf({ verb: "tune", model: "/m", max_loss: -0.01 })).toEqual(["tune", "/m", "--max-loss=-0.01"]);
    expect(wordsOf({ verb: "benchmark", model: "/m", other: "/n", batch_size: [1, 8] })).toEqual(["benchmark", "/m", "/n", "--batch-size", "1,8"]);
    expect(wordsOf({ verb: "quantize", model: "/m", recipe: { a: 1 } })).toEqual(["quantize", "/m", "--recipe", '{"a":1}']);
    expect(wordsOf({ verb: "calibrate", model: "/m" })).toEqual(["calibrate", "/m", "-o", "statistics.bin"]);
  });
});

it("a refusal is told beside its field", () => {
  expect(refusalOf("limit: must be a number", quantize)).toEqual({ field: "limit", sentence: "must be a number" });
  expect(refusalOf("other: quantize takes none", quantize).field).toBeNull();
  expect(refusalOf("quantize takes no 'x'", quantize)).toEqual({ field: null, sentence: "quantize takes no 'x'" });
  expect(refusalOf("", quantize).field).toBeNull();
});

describe("a form like a run", () => {
  const like = {
    verb: "evaluate",
    models: [
      { role: "reference" as const, path: "/f.onnx", sha256: "", bytes: 1 },
      { role: "quantized" as const, path: "/q.onnx", sha256: "", bytes: 1 },
    ],
    data: [{ role: "samples" as const, data: "d.npz", path: "/d.npz", fingerprint: "", samples: 1, batch_size: 1, part: null }],
    metric: "top1:label_offset=1",
  };
  it("has its model, data and metric", () => {
    expect(valuesLike(like, "quantize")).toMatchObject({
      model: "/f.onnx", quantized: "/q.onnx", data: "/d.npz", metric: "top1:label_offset=1", calibration_data: "",
    });
    expect(valuesLike(like, "evaluate")).toMatchObject({ model: "/q.onnx", against: "/f.onnx" });
    expect(valuesLike({ ...like, verb: "quantize" }, "evaluate")).toMatchObject({ model: "/f.onnx", against: "" });
  });
  it("has what was typed where the path is not known", () => {
    const older = [{ ...like.data[0]!, path: "" }];
    expect(valuesLike({ ...like, data: older }, "quantize")["data"]).toBe("d.npz");
    expect(valuesLike({ ...like, data: [{ ...older[0]!, data: "random" }] }, "quantize")["data"]).toBe("random");
  });
  it("is empty of nothing, and runs no program", () => {
    expect(valuesLike(null, "quantize")).toEqual({});
    expect(valuesLike({ ...like, models: [], data: [], metric: "command:rm" }, "quantize")).toMatchObject({ model: "", data: "", metric: "" });
  });
  it("does what it did, where jobs do that", () => {
    expect(verbLike({ verb: "tune" }, ["quantize", "tune"])).toBe("tune");
    expect(verbLike({ verb: "judge" }, ["quantize", "tune"])).toBe("quantize");
    expect(verbLike(null, [])).toBe("quantize");
    expect(usualValues("quantize")).toEqual({ diagnose: true });
    expect(usualValues("tune")).toEqual({});
  });
});
