// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Schemas } from "../../api/client";
import { baseOf, commandFor, hasOwnProgram, requestOf } from "./request";

type Run = Schemas["ShownRun"];
const run: Run = {
  format: 8, id: "run-1", name: "m", verb: "quantize", state: "success", message: "", created: "", finished: "", metric: "top1:label_offset=1",
  arguments: ["quantize", "/m/m.onnx", "--data=/d/d.npz", "-o", "/j/made/m.int8.onnx", "--limit=50", "--seed", "7", "--progress=json"],
  inputs: [], outputs: [],
  notes: [], environment: {}, times: {}, folder: "/w/run-1", progress: null, result: null, tags: [], note: "", lists: [],
  files: [{ name: "recipe.json", kind: "record", record: "recipe", version: 8, bytes: 1 }],
  models: [{ role: "reference", path: "/m/m.onnx", sha256: "", bytes: 1 }, { role: "quantized", path: "/m/q.onnx", sha256: "", bytes: 1 }],
  data: [{ role: "samples", data: "d.npz", path: "/d/d.npz", fingerprint: "", samples: 50, batch_size: 1, part: null }],
};
const recipe = { op_name_dict: { "a.*": "fp32" } };
const diagnosed: Run = { ...run, verb: "diagnose", arguments: ["diagnose", "/m/m.onnx", "/m/q.onnx", "--data", "/d/d.npz", "--local=0"], files: [] };

describe("what a recipe is laid over", () => {
  it("is the run's own, else that in the quantized model", () => {
    expect(baseOf(run)).toEqual({ kind: "run", id: "run-1", folder: "/w/run-1" });
    expect(baseOf(diagnosed)).toEqual({ kind: "model", path: "/m/q.onnx" });
    expect(baseOf({ ...diagnosed, models: [] })).toEqual({ kind: "none" });
  });
});

describe("a job", () => {
  it("quantizes the same model over the same samples, by the same metric", () => {
    expect(requestOf(run, recipe, ["a in float"], baseOf(run))).toEqual({
      verb: "quantize", model: "/m/m.onnx", name: "m, a in float", data: "/d/d.npz", diagnose: true, metric: "top1:label_offset=1", limit: 50, seed: 7,
      recipe: ["run-1", recipe],
    });
  });
  it("has a name that the server takes, which ends with a whole character", () => {
    const { name } = requestOf({ ...run, name: `a${"\u{1F4A9}".repeat(60)}` }, recipe, [], baseOf(run));
    expect(() => encodeURIComponent(String(name))).not.toThrow(); // no half of a pair
    expect(new TextEncoder().encode(String(name)).length).toBeLessThanOrEqual(200);
  });
  it("of an earlier version's run names the data as its command line did", () => {
    const earlier = { ...run, data: [{ ...run.data[0]!, path: "" }] };
    expect(requestOf(earlier, recipe, [], baseOf(run))["data"]).toBe("d.npz");
    expect(requestOf({ ...run, data: [{ ...run.data[0]!, data: "random", path: "" }] }, recipe, [], baseOf(run))["data"]).toBe("random");
  });
  it("takes calibration data, ranges and flags of the run", () => {
    const more = { ...run, arguments: [...run.arguments, "--ranges=/r.json", "--strict", "--batch-size", "1,8"] };
    more.data = [...run.data, { ...run.data[0]!, role: "calibration", data: "c.npz", path: "/d/c.npz" }];
    const request = requestOf(more, recipe, [], baseOf(run));
    expect(request).toMatchObject({ calibration_data: "/d/c.npz", ranges: "/r.json", strict: true });
    expect(request["batch_size"]).toBeUndefined();
  });
  it("runs no program, and compares nothing without data", () => {
    const own = { ...run, metric: "command:python eval.py" };
    expect(hasOwnProgram(own)).toBe(true);
    expect(requestOf(own, recipe, [], baseOf(run))["metric"]).toBeUndefined();
    expect(requestOf({ ...run, data: [] }, recipe, [], baseOf(run))).toEqual({
      verb: "quantize", model: "/m/m.onnx", name: "m", limit: 50, seed: 7, recipe: ["run-1", recipe],
    });
  });
  it("of a file without a recipe has the fragment alone", () => {
    expect(requestOf(diagnosed, recipe, [], { kind: "none" })["recipe"]).toEqual(recipe);
    expect(requestOf(diagnosed, recipe, [], baseOf(diagnosed))["recipe"]).toEqual(["/m/q.onnx", recipe]);
  });
  it("has a name that the server takes", () => {
    const name = requestOf(run, recipe, ["模".repeat(300)], baseOf(run))["name"] as string;
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(200);
    expect(requestOf(run, recipe, ["a\nb"], baseOf(run))["name"]).toBe("m, a b");
  });
});

describe("a command", () => {
  it("is the run's own with one recipe more, and another file to write", () => {
    expect(commandFor(run, recipe, baseOf(run))).toBe(
      `quantlens quantize /m/m.onnx --data=/d/d.npz -o mended.onnx --limit=50 --seed 7 --diagnose --recipe '{"op_name_dict":{"a.*":"fp32"}}'`,
    );
  });
  it("quantizes anew what was diagnosed", () => {
    const tail = `--data /d/d.npz --metric top1:label_offset=1 --diagnose --recipe /m/q.onnx --recipe '{"op_name_dict":{"a.*":"fp32"}}'`;
    expect(commandFor(diagnosed, recipe, baseOf(diagnosed))).toBe(`quantlens quantize /m/m.onnx -o mended.onnx ${tail}`);
    expect(commandFor(diagnosed, recipe, { kind: "none" })).not.toContain("--recipe /m/q.onnx");
  });
  it("writes a graph of TensorFlow where the model is one", () => {
    const models = diagnosed.models.map((model) => ({ ...model, path: model.path.replace(".onnx", ".pb") }));
    expect(commandFor({ ...diagnosed, models }, recipe, { kind: "none" })).toContain("/m/m.pb -o mended.pb");
  });
});
