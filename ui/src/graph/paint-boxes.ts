// SPDX-License-Identifier: Apache-2.0
// Open groups as frames, ops and closed groups as boxes.
import { boxOf } from "./box";
import { inTurn, type Pen, type Picture } from "./paint-look";
import type { Sight } from "./visible";

const round = 6; // units
const nearFrom = 14; // pixels of an op's height: below it no corner can be told
const stripHeight = 4;
const frameShade = 0.045;

export function traceAround(pen: Pen, { scene: { boxes } }: Picture, box: number, by = 0): void {
  const { x, y, width, height } = boxOf(boxes, box);
  pen.roundRect(x - by, y - by, width + 2 * by, height + 2 * by, round + by);
}

/** Each a shade darker than what it lies in. */
export function paintFrames(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const { palette } = picture;
  pen.fillStyle = palette.muted;
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1 / zoom;
  for (const frame of sight.frames) {
    pen.beginPath();
    traceAround(pen, picture, frame);
    pen.globalAlpha = frameShade;
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
  }
}

/** Groups whose ops are too small to be drawn. */
export function paintBlocks(pen: Pen, picture: Picture, sight: Sight): void {
  paintAll(pen, picture, sight.blocks, false, 1);
}

export function paintBoxes(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const isNear = sight.height >= nearFrom;
  paintAll(pen, picture, sight.boxes, isNear, zoom);
  if (isNear) paintStrips(pen, picture, sight);
}

/** With round corners and a line around each where they can be told; else as plain as canvases are quick at. */
function paintAll(pen: Pen, picture: Picture, all: Int32Array, isNear: boolean, zoom: number): void {
  const { palette, nodes, scene: { boxes, nodes: nodeOf } } = picture;
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1 / zoom;
  inTurn(pen, nodes.lit !== null, (isDim) => {
    const byFill: number[][] = palette.fills.map(() => []); // canvases are slow to change colours
    for (const box of all) {
      const node = nodeOf[box]!;
      if (!nodes.lit || (nodes.lit[node] === 0) === isDim) byFill[nodes.fills[node]!]!.push(box);
    }
    byFill.forEach((ofFill, fill) => {
      if (ofFill.length === 0) return;
      pen.fillStyle = palette.fills[fill]!.fill;
      if (!isNear) {
        for (const box of ofFill) pen.fillRect(boxes[4 * box]!, boxes[4 * box + 1]!, boxes[4 * box + 2]!, boxes[4 * box + 3]!);
        return;
      }
      pen.beginPath();
      for (const box of ofFill) traceAround(pen, picture, box);
      pen.fill();
      pen.stroke();
    });
  });
}

/** At the lower edge of a closed group: how many of its ops have each colour. */
function paintStrips(pen: Pen, picture: Picture, sight: Sight): void {
  const { nodes, palette, scene, ops } = picture;
  if (!nodes.strips) return;
  for (const box of sight.boxes) {
    const node = scene.nodes[box]!;
    if (node < ops || nodes.lit?.[node] === 0) continue;
    const whole = boxOf(scene.boxes, box);
    const [x, bottom, width] = [whole.x + round, whole.y + whole.height - 3, whole.width - 2 * round];
    let done = 0;
    palette.fills.forEach(({ fill }, slot) => {
      const part = nodes.strips![(node - ops) * palette.fills.length + slot]!;
      if (part === 0) return;
      pen.beginPath();
      pen.rect(x + done * width, bottom - stripHeight, part * width, stripHeight);
      pen.fillStyle = fill;
      pen.fill();
      done += part;
    });
    pen.beginPath();
    pen.rect(x, bottom - stripHeight, width, stripHeight);
    pen.strokeStyle = palette.line;
    pen.lineWidth = 0.5;
    pen.stroke();
  }
}
