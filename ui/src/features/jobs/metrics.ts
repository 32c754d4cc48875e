// SPDX-License-Identifier: Apache-2.0
// Metrics and their options, as docs/metrics.md has them.

export interface Option {
  name: string;
  kind: "output" | "whole" | "number" | "word";
  words?: readonly string[];
  usual: string; // what holds where it is left out
  meaning: string;
}

export interface Metric {
  name: string;
  meaning: string;
  options: readonly Option[];
}

/** As it is typed: a name and its options; an empty name is no metric. */
export interface Chosen {
  name: string;
  options: Readonly<Record<string, string>>;
}

const output: Option = { name: "output", kind: "output", usual: "the only one", meaning: "the graph output that is scored" };
const offset: Option = { name: "label_offset", kind: "whole", usual: "0", meaning: "the label k is the output's class k + this" };
const higher: Option = { name: "higher_is_better", kind: "word", words: ["true", "false"], usual: "as the metric is", meaning: "which way is good" };
const boxes = (name: string): Option => ({ name, kind: "output", usual: `output "${name}"`, meaning: `the output that has the ${name}` });
const corners = ["xyxy", "yxyx", "xywh"];

const all: readonly Metric[] = [
  { name: "top1", meaning: "share of samples whose label has the greatest score", options: [offset, output] },
  { name: "top5", meaning: "share of samples with fewer than five classes before the label's", options: [offset, output] },
  { name: "accuracy", meaning: "the same as top1", options: [offset, output] },
  {
    name: "f1",
    meaning: "F1 of a class, or the mean of all classes'",
    options: [
      { name: "average", kind: "word", words: ["binary", "macro"], usual: "binary", meaning: "of the positive class, or the mean over all classes" },
      { name: "positive", kind: "whole", usual: "1", meaning: "the class that counts as positive" },
      { name: "ignore_label", kind: "whole", usual: "none is", meaning: "a label that is passed over, as -100" },
      { name: "threshold", kind: "number", usual: "none", meaning: "from this score on, a single score means class 1" },
      offset,
      output,
    ],
  },
  { name: "mse", meaning: "mean squared distance from a target; lower is better", options: [output] },
  { name: "mae", meaning: "mean absolute distance from a target; lower is better", options: [output] },
  { name: "rmse", meaning: "root of the mean squared distance; lower is better", options: [output] },
  {
    name: "map",
    meaning: "mean average precision of detected boxes, as COCO's",
    options: [
      boxes("boxes"), boxes("scores"), boxes("classes"),
      { name: "detections", kind: "output", usual: "none", meaning: "one output instead, rows of box, score and class" },
      { name: "format", kind: "word", words: corners, usual: "xyxy", meaning: "the numbers of a box" },
      { name: "label_format", kind: "word", words: corners, usual: "as format", meaning: "the same of the labels' boxes" },
      { name: "iou", kind: "number", usual: "ten of them", meaning: "one threshold of overlap" },
      offset,
    ],
  },
  { name: "spearman_cosine", meaning: "correlation of embeddings with how alike pairs are", options: [output] },
];

export const metrics: readonly Metric[] = all.map((metric) => ({ ...metric, options: [...metric.options, higher] }));

/** "top1:label_offset=1". */
export function metricText({ name, options }: Chosen): string {
  const metric = metrics.find((one) => one.name === name);
  const isKnown = (option: string) => !metric || metric.options.some((one) => one.name === option);
  const given = Object.entries(options).filter(([option, value]) => value.trim() !== "" && isKnown(option));
  return given.length === 0 ? name : `${name}:${given.map(([option, value]) => `${option}=${value.trim()}`).join(",")}`;
}

export function metricOf(text: string): Chosen {
  const colon = text.indexOf(":");
  if (colon < 0) return { name: text, options: {} };
  const options: Record<string, string> = {};
  for (const part of text.slice(colon + 1).split(",")) {
    const equals = part.indexOf("=");
    if (equals > 0) options[part.slice(0, equals)] = part.slice(equals + 1);
  }
  return { name: text.slice(0, colon), options };
}

/** What is wrong with an option's text; empty: nothing. */
export function optionProblem(option: Option, text: string): string {
  const typed = text.trim();
  if (typed === "" || option.kind === "word") return "";
  if (option.kind === "whole") return /^-?\d+$/.test(typed) ? "" : "must be a whole number";
  if (option.kind === "number") return Number.isFinite(Number(typed)) ? "" : "must be a number";
  return typed.includes(",") ? "must have no comma" : "";
}
