// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { compile } from "../../base/query";
import { csv } from "../../base/table";
import { columnsOf, languageFor, otherRecipe, rowsOf } from "./columns";
import { studyOf } from "./study";

const accuracy = { metric: "top1", value: 0.79, interval: null, samples: 48, is_rate: true, higher_is_better: true };
const study = studyOf({ goal: { max_loss: 0.01 }, reference: { ...accuracy, value: 0.8 }, multiply_adds: 100, best: 2, reached: true, start: {},
  trials: [
    { number: 1, why: "the recipe as given", recipe: {}, judged: "missed", accuracy, difference: -0.1, loss: 0.125,
      multiply_adds_quantized: 100, ops_quantized: 9 },
    { number: 2, why: "in float: a", recipe: { op_name_dict: { a: "fp32" } }, judged: "whole", accuracy, loss: 0, reached: true,
      multiply_adds_quantized: 97, ops_quantized: 8, bytes: 1.5e6 },
    { number: 3, why: "again", recipe: { op_name_dict: { a: "fp32" } }, judged: "whole", same_as: 2, loss: 0 },
    { number: 4, why: "", recipe: {}, judged: "failed", failure: "no kernel", loss: "inf" },
  ] }, { trials: [1.5, 2] });
const rows = rowsOf(study);
const columns = columnsOf(study);
const shown = (id: string) => rows.map((row) => columns.find((column) => column.id === id)!.show(row));

it("a trial says what changed against the one before", () => {
  expect(rows.map((row) => row.changed)).toEqual(["nothing", "op into float: a", "nothing", "op out of float: a"]);
});

it("the table shows what is known, and nothing else", () => {
  expect(shown("result")).toEqual(["ended early, surely outside (48 samples)", "best, kept", "the model of trial 2", "failed"]);
  expect(shown("loss")).toEqual(["12.50 %", "0.00 %", "–", "–"]);
  expect(shown("int8")).toEqual(["100.0 %", "97.0 %", "–", "–"]);
  expect(shown("seconds")).toEqual(["1.5", "2", "–", "–"]);
  expect(shown("accuracy")).toEqual(["79.0 %", "79.0 %", "–", "–"]);
  expect(columns.find((column) => column.id === "predicted")?.isExtra).toBe(true);
});

it("columns are called as the verdict and other views call it", () => {
  const titles = columns.filter(({ id }) => ["int8", "ops", "float"].includes(id)).map(({ title }) => title);
  expect(titles).toEqual(["Work in int8", "Ops in int8", "Ops in float"]);
  const priced = columnsOf({ ...study, trials: study.trials.map((trial) => ({ ...trial, predicted: 44.2 })) });
  const predicted = priced.find((column) => column.id === "predicted")!;
  expect([predicted.title, predicted.show({ ...rows[0]!, trial: { ...rows[0]!.trial, predicted: 44.2 } })]).toEqual(["Predicted [µs]", "44.2"]);
});

it("is asked and saved", () => {
  const language = languageFor(columns);
  expect(rows.filter(compile("result:early", language).holds!).map((row) => row.trial.number)).toEqual([1]);
  expect(rows.filter(compile("loss<1% int8>90%", language).holds!).map((row) => row.trial.number)).toEqual([2]);
  expect(csv(rows, columns).split("\r\n")).toHaveLength(6);
});

it("a recipe is held against others", () => {
  const [first, best] = study.trials;
  expect(otherRecipe(study, first!, "before").recipe).toEqual({});
  expect(otherRecipe(study, best!, "best")).toEqual({ recipe: undefined, name: "it is the best itself" });
  expect(otherRecipe(study, first!, "best").recipe).toEqual({ op_name_dict: { a: "fp32" } });
  expect(otherRecipe({ ...study, best: null }, first!, "best").name).toBe("there is no best trial yet");
});
