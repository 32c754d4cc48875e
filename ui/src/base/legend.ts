// SPDX-License-Identifier: Apache-2.0

/** Places of a legend's entries behind each other, in as many lines as they need. All in pixels: `widths` of the entries, estimated where
 *  they are drawn into pictures, the `gap` between two, and the `room` of a line. */
export function inLines(widths: readonly number[], gap: number, room: number): { places: { x: number; line: number }[]; lines: number } {
  let [x, line] = [0, 0];
  const places = widths.map((width) => {
    if (x > 0 && x + width > room) [x, line] = [0, line + 1];
    const at = { x, line };
    x += width + gap;
    return at;
  });
  return { places, lines: places.length === 0 ? 0 : line + 1 };
}
