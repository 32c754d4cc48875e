// SPDX-License-Identifier: Apache-2.0
// Text in pictures, which nothing breaks or cuts by itself: how wide it is about, and what of it fits.
import { inLines } from "../../base/legend";

/** Mean widths of letters in sans-serif fonts, as shares of the font's size; of the wider ones of them. */
const widths: readonly [RegExp, number][] = [
  [/[il.,:;'|!jI]/, 0.32],
  [/[\sft/r()[\]-]/, 0.4],
  [/[mwMW%…→←]/, 0.98],
  [/[A-Z]/, 0.7],
];

export function widthOf(text: string, size = 12): number {
  let sum = 0;
  for (const letter of text) sum += widths.find(([letters]) => letters.test(letter))?.[1] ?? 0.62;
  return sum * size;
}

const least = 3; // letters: fewer tell nothing

/** The longest that fits of what `cut` leaves when it may keep so many letters; empty where too little does. */
function longest(name: string, pixels: number, size: number, cut: (letters: number) => string): string {
  if (widthOf(name, size) <= pixels) return name;
  for (let letters = name.length - 1; letters >= least; --letters) {
    const text = cut(letters);
    if (widthOf(text, size) <= pixels) return text;
  }
  return "";
}

/** Its begin: "atten…". */
export function fitted(name: string, pixels: number, size = 12): string {
  return longest(name, pixels, size, (letters) => `${name.slice(0, letters - 1)}…`);
}

/** Its begin and its end: "layer.2/…/self/key". */
export function fittedMiddle(name: string, pixels: number, size = 12): string {
  return longest(name, pixels, size, (letters) => {
    const begin = Math.floor((letters - 1) * 0.4);
    return `${name.slice(0, begin)}…${name.slice(name.length - (letters - 1 - begin))}`;
  });
}

/** Its end, which tells ops apart: "…self/key". */
export function fittedEnd(name: string, pixels: number, size = 12): string {
  return longest(name, pixels, size, (letters) => `…${name.slice(name.length - (letters - 1)).replace(/^[\s.,_/-]+/, "")}`);
}

export interface LegendEntry {
  id: string;
  text: string;
}

export interface Placed extends LegendEntry {
  x: number;
  y: number; // the upper end of its mark
}

const [mark, between, line, top] = [15, 16, 16, 2]; // px

/** Entries of a legend behind each other, in as many lines as they need. */
export function legendOf(entries: readonly LegendEntry[], width: number): { entries: Placed[]; height: number } {
  const { places, lines } = inLines(entries.map(({ text }) => mark + widthOf(text, 11)), between, width);
  const placed = entries.map((entry, index) => ({ ...entry, x: places[index]!.x, y: top + places[index]!.line * line }));
  return { entries: placed, height: lines === 0 ? 0 : top + lines * line };
}
