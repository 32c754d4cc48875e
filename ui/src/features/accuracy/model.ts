// SPDX-License-Identifier: Apache-2.0
// Both models over the same samples: their accuracies, how their answers pair up, and the samples whose answer changed.
import type { Schemas } from "../../api/client";
import { baseName, figure, real, type Interval, type Real } from "../../base/numbers";
import { languageOf, type Column } from "../../base/table";
import { accuracyOf, pairOf, type Accuracy, type Pair } from "../../base/accuracies";

export interface Flip {
  sample: number; // index in the data set
  name: string;
  direction: "lost" | "gained";
  label: number;
  reference: number; // first answers; -1: its scores are no numbers
  other: number;
}

export interface Scored {
  pair: Pair | null;
  alone: Accuracy | null; // of one model
  flips: Flip[];
  counts: Counts | null;
}

/** Answers of the two models, in samples; both right and both wrong are NaN where they are not known. */
export interface Counts {
  bothRight: number;
  lost: number;
  gained: number;
  bothWrong: number;
  samples: number;
}

/** Of a rate: what the figures say. NaN where they do not go together. */
export function countsOf(pair: Pair): Counts | null {
  const { reference, quantized, lost, gained } = pair;
  const { samples } = reference;
  if (!reference.isRate || samples === 0) return null;
  const right = Math.round(reference.value * samples) - lost;
  const isSound = right >= 0 && Math.round(quantized.value * samples) === right + gained && samples >= right + lost + gained;
  const [bothRight, bothWrong] = isSound ? [right, samples - right - lost - gained] : [NaN, NaN];
  return { bothRight, lost, gained, bothWrong, samples };
}

function flipOf(value: unknown): Flip | null {
  const flip = (value ?? {}) as Partial<{ [name in keyof Flip]: unknown }>;
  if (flip.direction !== "lost" && flip.direction !== "gained") return null;
  const number = (one: unknown) => real((one ?? null) as Real);
  return {
    sample: number(flip.sample),
    name: typeof flip.name === "string" ? flip.name : "",
    direction: flip.direction,
    label: number(flip.label),
    reference: number(flip.reference),
    other: number(flip.other),
  };
}

/** Of accuracy.json. */
export function scoredOf(value: unknown): Scored {
  const pair = pairOf(value);
  const all = (value ?? {}) as { quantized?: unknown; flips?: unknown };
  const flips = Array.isArray(all.flips) ? all.flips.map(flipOf).filter((flip) => flip !== null) : [];
  return { pair, alone: pair ? null : accuracyOf(all.quantized), flips, counts: pair && countsOf(pair) };
}

/** The number of a class. */
export function answerText(answer: number): string {
  if (Number.isNaN(answer)) return "–";
  return answer === -1 ? "no number" : String(answer);
}

export type Direction = "all" | "lost" | "gained";

export function directionOf(text: string | undefined): Direction {
  return text === "lost" || text === "gained" ? text : "all";
}

export function only(flips: readonly Flip[], direction: Direction): Flip[] {
  return flips.filter((flip) => direction === "all" || flip.direction === direction);
}

/** How many there are: records keep the first of them. */
export function flipCounts(flips: readonly Flip[], { lost, gained }: Pick<Pair, "lost" | "gained">): Record<Direction, number> {
  const most = (direction: "lost" | "gained", told: number) => Math.max(Number.isNaN(told) ? 0 : told, only(flips, direction).length);
  const counts = { lost: most("lost", lost), gained: most("gained", gained) };
  return { all: counts.lost + counts.gained, ...counts };
}

/** How the models are called: two files that were evaluated by their names. */
export type Names = readonly [reference: string, quantized: string];

export function namesOf(run: Pick<Schemas["ShownRun"], "models">, isEvaluation: boolean): Names {
  const name = (role: string) => baseName(run.models?.find((model) => model.role === role)?.path ?? "");
  const names = [name("reference"), name("quantized")] as const;
  return isEvaluation && names[0] !== "" && names[1] !== "" && names[0] !== names[1] ? names : ["FP32", "INT8"];
}

export const columnsOf = ([reference, quantized]: Names): readonly Column<Flip>[] => [
  { id: "change", title: "Answer", meaning: `lost: right in ${reference} alone; gained: right in ${quantized} alone`, of: (flip) => flip.direction,
    show: (flip) => (flip.direction === "lost" ? "▼ lost" : "▲ gained"), first: "down", width: 84 },
  { id: "sample", title: "Sample", meaning: "its index in the data set", of: (flip) => flip.sample,
    show: (flip) => figure(flip.sample, 12), first: "up", width: 76 },
  { id: "name", title: "Name", meaning: "of the sample", of: (flip) => flip.name, show: (flip) => flip.name, first: "up", width: 110 },
  { id: "label", title: "Label", meaning: "the right answer, in the labels' numbering", of: (flip) => flip.label, show: (flip) => answerText(flip.label),
    first: "up", width: 68 },
  { id: "fp32", title: reference, meaning: `first answer of ${reference}`, of: (flip) => flip.reference, show: (flip) => answerText(flip.reference),
    first: "up", width: 108 },
  { id: "int8", title: quantized, meaning: `first answer of ${quantized}`, of: (flip) => flip.other, show: (flip) => answerText(flip.other),
    first: "up", width: 108 },
];

export const language = languageOf<Flip>(
  (flip) => flip.name,
  [{ names: ["change", "answer"], meaning: "lost or gained", text: (flip) => flip.direction }],
  columnsOf(["FP32", "INT8"]),
);

/** What a picture's tile says: "label 3: 3 → 7". */
export function flipText(flip: Flip): string {
  return `label ${answerText(flip.label)}: ${answerText(flip.reference)} → ${answerText(flip.other)}`;
}

/** "top1" and its options: [["label_offset", "1"]]; commas within quotation marks are the program's own. */
export function metricParts(metric: string): { name: string; options: [string, string][] } {
  const colon = metric.indexOf(":");
  if (colon < 0) return { name: metric, options: [] };
  const [name, rest] = [metric.slice(0, colon), metric.slice(colon + 1)];
  if (name === "command") return { name, options: [["program", rest]] };
  const options = rest.split(",").filter(Boolean).map((part): [string, string] => {
    const equals = part.indexOf("=");
    return equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
  });
  return { name, options };
}

/** The data that were scored. */
export function scoredData(run: Pick<Schemas["ShownRun"], "data">): string {
  const data = run.data?.find((one) => one.role === "samples");
  return data?.path || (data?.data ?? "");
}

/** That of the difference, over the float model's figure: a rate falls no further than to 0. */
export function ratioInterval({ reference, differenceInterval }: Pair): Interval | null {
  if (!differenceInterval || !(reference.value > 0)) return null;
  const least = reference.isRate ? -1 : -Infinity;
  const [low, high] = differenceInterval.map((end) => Math.max(least, end / reference.value));
  return [low!, high!];
}
