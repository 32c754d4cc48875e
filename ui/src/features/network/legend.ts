// SPDX-License-Identifier: Apache-2.0
// The legend lies in the picture itself, so that a saved one has it; it is broken into lines by estimated widths.

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
  let [x, line] = [left, 0];
  const placed = entries.map((entry) => {
    const own = mark + entry.text.length * letter + 14;
    if (x > left && x + own > left + width) [x, line] = [left, line + 1];
    const at = { ...entry, x, y: line * lineHeight + 11 };
    x += own;
    return at;
  });
  return { entries: placed, height: placed.length === 0 ? 0 : (line + 1) * lineHeight + 4 };
}
