// SPDX-License-Identifier: Apache-2.0
// The legend lies in the picture itself, so that a saved one has it; it is broken into lines by estimated widths.
import { inLines } from "../../base/legend";

export interface Entry {
  id: string;
  text: string;
}

export interface Placed extends Entry {
  x: number;
  y: number; // of the text's base line
}

const letter = 5.7; // mean width in pixels of a letter of 11 px
const mark = 24;
export const lineHeight = 16;

export function placedLegend(entries: readonly Entry[], left: number, width: number): { entries: Placed[]; height: number } {
  const { places, lines } = inLines(entries.map(({ text }) => mark + text.length * letter + 14), 0, width);
  const placed = entries.map((entry, index) => ({ ...entry, x: left + places[index]!.x, y: places[index]!.line * lineHeight + 11 }));
  return { entries: placed, height: lines === 0 ? 0 : lines * lineHeight + 4 };
}
