// SPDX-License-Identifier: Apache-2.0
// Draws what is in sight, in units of the scene: a canvas and an SVG are drawn by the same functions. One fill for all boxes of a
// colour, one stroke for all wires of a colour.
import type { Marks, Pen, Picture } from "./paint-look";
import { paintBlocks, paintBoxes, paintFrames } from "./paint-boxes";
import { paintMarks } from "./paint-marks";
import { paintWires, paintWireWords } from "./paint-wires";
import { paintBoxWords, paintFarWords, paintFrameWords } from "./paint-words";
import { hasWords, type Sight } from "./visible";

/** All of the scene, in a corner. */
export function paintMap(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  paintFrames(pen, picture, sight, zoom);
  paintBlocks(pen, picture, sight);
  paintBoxes(pen, picture, sight, zoom);
}

/** The pen draws in units, of which each is `zoom` pixels. */
export function paint(pen: Pen, picture: Picture, sight: Sight, marks: Marks, zoom: number): void {
  paintFrames(pen, picture, sight, zoom);
  paintBlocks(pen, picture, sight);
  paintWires(pen, picture, sight, zoom);
  paintBoxes(pen, picture, sight, zoom);
  if (hasWords(sight)) {
    paintBoxWords(pen, picture, sight);
    paintFrameWords(pen, picture, sight);
  } else paintFarWords(pen, picture, sight, zoom);
  paintMarks(pen, picture, sight, marks, zoom);
  paintWireWords(pen, picture, sight, marks.wires, zoom);
}
