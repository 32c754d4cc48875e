// SPDX-License-Identifier: Apache-2.0
// What boxes may be coloured by. Steps of colour are the same in every run, so that two pictures can be compared.
import { timeText } from "../../base/durations";
import { decibels, figure, percent } from "../../base/numbers";
import { shareBriefly } from "../../base/share";
import type { Figures } from "./figures";

interface Common {
  id: string;
  title: string;
  meaning: string;
}

/** A figure: five steps from good to bad. */
export interface Scaled extends Common {
  of: (figures: Figures) => number;
  bounds: readonly [number, number, number, number]; // from one step to the next, the good one first
  isWorseLow: boolean;
  show: (value: number) => string; // with its unit
  showBound?: (value: number) => string; // where a legend says it otherwise
  isSum: boolean; // a group has the sum of its ops, else the worst of them
}

/** A word: a colour each of those that most ops have. */
export interface Worded extends Common {
  word: (figures: Figures) => string;
  first: readonly string[]; // that always have the same colour
}

export type Quantity = Scaled | Worded;

export function isScaled(quantity: Quantity): quantity is Scaled {
  return "bounds" in quantity;
}

const withDecibels = (value: number) => `${decibels(value)} dB`;
const roundDecibels = (value: number) => `${figure(value)} dB`;
const roundPercent = (share: number) => `${figure(100 * share)} %`;

/** Of a run that takes so many microseconds: steps are parts of it. */
function timeOf(total: number): Scaled {
  const [first, second, third, fourth] = [0.005, 0.02, 0.05, 0.1].map((share) => share * total) as [number, number, number, number];
  return {
    id: "time", title: "Time", meaning: "time of a run, by a profile of these models", of: ({ time }) => time, bounds: [first, second, third, fourth],
    isWorseLow: false, show: (value) => timeText(value), showBound: (value) => `${roundPercent(value / total)} of a run`, isSum: true,
  };
}

const quantities: readonly Quantity[] = [
  { id: "sqnr", title: "SQNR", meaning: "signal over error here, all errors before it included", of: ({ sqnr }) => sqnr, bounds: [40, 30, 20, 10],
    isWorseLow: true, show: withDecibels, showBound: roundDecibels, isSum: false },
  { id: "local", title: "Local SQNR", meaning: "signal over the error that is born here", of: ({ local }) => local, bounds: [50, 40, 30, 20],
    isWorseLow: true, show: withDecibels, showBound: roundDecibels, isSum: false },
  { id: "drop", title: "SQNR drop", meaning: "how far SQNR falls here", of: ({ drop }) => drop, bounds: [0.5, 1, 3, 6], isWorseLow: false,
    show: withDecibels, showBound: roundDecibels, isSum: false },
  { id: "share", title: "Output share", meaning: shareBriefly, of: ({ share }) => share,
    bounds: [0.005, 0.01, 0.05, 0.2], isWorseLow: false, show: (value) => percent(value, 1), showBound: roundPercent, isSum: true },
  { id: "clip", title: "Clipped", meaning: "part of the values that lie outside of the range", of: ({ clip }) => clip,
    bounds: [0.0001, 0.001, 0.01, 0.05], isWorseLow: false, show: (value) => percent(value, 2), showBound: roundPercent, isSum: false },
  timeOf(NaN),
  { id: "precision", title: "Precision", meaning: "what the quantized model computes it in", word: ({ precision }) => precision,
    first: ["fp32", "int8", "fp16", "int16", "w4", "w8"] },
  { id: "dtype", title: "Dtype", meaning: "dtype of what it makes", word: ({ dtype }) => dtype, first: [] },
  { id: "type", title: "Type", meaning: "the operator", word: ({ type }) => type, first: [] },
];

/** Those of which something is known; types always are. */
export function knownQuantities(all: readonly Figures[]): Quantity[] {
  const total = all.reduce((sum, { time }) => sum + (time || 0), 0);
  const isKnown = (quantity: Quantity) =>
    isScaled(quantity) ? all.some((figures) => !Number.isNaN(quantity.of(figures))) : all.some((figures) => quantity.word(figures) !== "");
  return quantities.filter(isKnown).map((quantity) => (quantity.id === "time" ? timeOf(total) : quantity));
}

/** 1 (good) to 5; 0: there is no figure. */
export function stepOf(value: number, { bounds, isWorseLow }: Pick<Scaled, "bounds" | "isWorseLow">): number {
  if (Number.isNaN(value)) return 0;
  const passed = bounds.findIndex((bound) => (isWorseLow ? value >= bound : value < bound));
  return (passed < 0 ? bounds.length : passed) + 1;
}

export const mostWords = 7;

/** Words that have a colour each, and 0 for all others: those named first, then the most frequent ones. */
export function wordSteps(all: readonly Figures[], { word, first }: Worded): Map<string, number> {
  const counts = new Map<string, number>();
  for (const figures of all) {
    const text = word(figures);
    if (text !== "") counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const frequent = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text);
  const chosen = [...first, ...frequent.filter((text) => !first.includes(text))].slice(0, mostWords);
  return new Map(chosen.flatMap((text, index) => (counts.has(text) ? [[text, index + 1] as const] : [])));
}

export interface LegendEntry {
  step: number;
  text: string;
}

export function legendOf(quantity: Quantity, words: ReadonlyMap<string, number>): LegendEntry[] {
  if (!isScaled(quantity)) return [...words].map(([text, step]) => ({ step, text }));
  const { bounds, show, showBound = show, isWorseLow } = quantity;
  const [beyond, upTo] = isWorseLow ? ["≥", "<"] : ["<", "≥"];
  const texts = bounds.map((bound) => `${beyond} ${showBound(bound)}`);
  return [...texts, `${upTo} ${showBound(bounds[3])}`].map((text, index) => ({ step: index + 1, text }));
}
