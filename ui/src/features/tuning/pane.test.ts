// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { commandFor, factsOf, itemOf } from "./pane";
import { studyOf } from "./study";

const accuracy = { metric: "top1", value: 0.79, interval: [0.7, 0.85], samples: 48, is_rate: true, higher_is_better: true };
const study = studyOf({ goal: { max_loss: 0.01 }, data: "my data.yaml", metric: "top1", reference: { ...accuracy, samples: 400 },
  reference_bytes: 4e6, multiply_adds: 200,
  trials: [{ number: 1, why: "as given", judged: "missed", accuracy, difference: -0.01, difference_interval: [-0.02, 0],
    loss: 0.0125, ops_quantized: 9, ops_float: 1, multiply_adds_quantized: 150, bytes: 1e6, recipe: { op_name_dict: { "a'b": "fp32" } } }, { judged: "failed" }] }, { trials: [2.5] });
const [trial, failed] = study.trials;
const model = { role: "reference" as const, path: "/m/net.onnx", sha256: "", bytes: 1 };

it("facts are those that are known", () => {
  expect(factsOf(study, trial!).map(({ name, value, detail }) => [name, value, detail])).toEqual([
    ["top1", "79.0 %", "70.0 to 85.0 %"], ["Loss", "1.25 %", "0.00 to 2.50 %"], ["Samples", "48", "of 400"], ["Ops in int8", "9 of 10", ""],
    ["Work in int8", "75.0 %", "of the multiply-adds"], ["Size", "1.0 MB", "25 % of the float model"], ["Took", "2.5 s", "to run"],
  ]);
  expect(factsOf(study, failed!)).toEqual([]);
  expect(factsOf(study, { ...failed!, seconds: 0.0285 })).toEqual([{ name: "Took", value: "28.5 ms", detail: "to run" }]);
});

it("a trial is a command line", () => {
  expect(commandFor({ models: [model] }, study, trial!)).toBe(
    `quantlens quantize /m/net.onnx --data 'my data.yaml' --metric top1 --recipe '{"op_name_dict":{"a'\\''b":"fp32"}}'`,
  );
  expect(commandFor({ models: [] }, studyOf(null), failed!)).toBe("quantlens quantize MODEL.onnx --data DATA --recipe '{}'");
});

it("a trial is an item of the basket, in place of another one", () => {
  expect(itemOf(trial!)).toMatchObject({ id: "trial", label: "Recipe of trial 1: as given", recipe: { op_name_dict: { "a'b": "fp32" } } });
  expect(itemOf(failed!).recipe).toEqual({});
});
