// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { optionOf, ownWords, writing } from "./words";

it("finds an option in both of its forms, the last one counting", () => {
  expect(optionOf(["tune", "--max-loss", "0.02"], "--max-loss")).toBe("0.02");
  expect(optionOf(["--max-loss=0.02", "--max-loss=1%"], "--max-loss")).toBe("1%");
  expect(optionOf(["--max-loss"], "--max-loss")).toBeNull();
  expect(optionOf(["--max-losses=3"], "--max-loss")).toBeNull();
});

it("leaves out what jobs alone have", () => {
  expect(ownWords(["quantize", "/m.onnx", "--progress=json", "--threads=1"])).toEqual(["quantize", "/m.onnx", "--threads=1"]);
});

it("writes into another file", () => {
  expect(writing(["quantize", "m.onnx"], "x.onnx")).toEqual(["quantize", "m.onnx", "-o", "x.onnx"]);
  expect(writing(["quantize", "m.onnx", "-o", "q.onnx", "--diagnose"], "x.onnx")).toEqual(["quantize", "m.onnx", "-o", "x.onnx", "--diagnose"]);
  expect(writing(["quantize", "m.onnx", "-oq.onnx"], "x.onnx")).toEqual(["quantize", "m.onnx", "-ox.onnx"]);
});
