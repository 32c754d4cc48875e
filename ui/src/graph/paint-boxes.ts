// SPDX-License-Identifier: Apache-2.0
// Open groups as frames, ops and closed groups as boxes.
import { inTurn, type Pen, type Picture } from "./paint-look";
import type { Sight } from "./visible";

const round = 6; // units
const roundFrom = 12; // pixels of an op's height: below it no corner can be told
const stripHeight = 4;
const frameShade = 0.045;
const lineFrom = 8;

export const titleHeight = 22; // of a frame, in units

function trace(pen: Pen, { scene: { boxes } }: Picture, box: number, radius: number, by = 0): void {
  const [x, y, width, height] = [boxes[4 * box]! - by, boxes[4 * box + 1]! - by, boxes[4 * box + 2]! + 2 * by, boxes[4 * box + 3]! + 2 * by];
  if (radius > 0) pen.roundRect(x, y, width, height, radius);
  else pen.rect(x, y, width, height);
}

export function traceAround(pen: Pen, picture: Picture, box: number, by: number): void {
  trace(pen, picture, box, round + Math.max(0, by), by);
}

/** Each a shade darker than what it lies in. */
export function paintFrames(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const { palette } = picture;
  pen.fillStyle = palette.muted;
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1 / zoom;
  for (let index = 0; index < sight.frameCount; ++index) {
    pen.beginPath();
    trace(pen, picture, sight.frames[index]!, round);
    pen.globalAlpha = frameShade;
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
  }
}

/** In buckets by fill: canvases are slow to change colours. */
class Buckets {
  private readonly lists: number[][] = [];

  constructor(private readonly picture: Picture) {}

  fill(all: Int32Array, count: number, isDim: boolean): void {
    const { scene, nodes } = this.picture;
    for (let index = 0; index < count; ++index) {
      const node = scene.nodes[all[index]!]!;
      if (nodes.lit && (nodes.lit[node] === 0) !== isDim) continue;
      (this.lists[nodes.fills[node]!] ??= []).push(all[index]!);
    }
  }

  empty(use: (fill: number, boxes: readonly number[]) => void): void {
    this.lists.forEach((list, fill) => {
      if (list.length > 0) use(fill, list);
    });
    this.lists.length = 0;
  }
}

/** Groups whose ops are too small to be drawn. */
export function paintBlocks(pen: Pen, picture: Picture, sight: Sight): void {
  paintAll(pen, picture, sight.blocks, sight.blockCount, 0);
}

export function paintBoxes(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  paintAll(pen, picture, sight.boxes, sight.boxCount, sight.height >= roundFrom ? round : 0, sight.height >= lineFrom ? zoom : 0);
  if (sight.height >= roundFrom) paintStrips(pen, picture, sight);
}

/** `zoom`: with a line around each; 0: without. */
function paintAll(pen: Pen, picture: Picture, all: Int32Array, count: number, radius: number, zoom = 0): void {
  const buckets = new Buckets(picture);
  const { palette, nodes } = picture;
  pen.strokeStyle = palette.line;
  pen.lineWidth = zoom > 0 ? 1 / zoom : 0;
  inTurn(pen, nodes.lit !== null, (isDim) => {
    buckets.fill(all, count, isDim);
    buckets.empty((fill, boxes) => {
      pen.beginPath();
      for (const box of boxes) trace(pen, picture, box, radius);
      pen.fillStyle = palette.fills[fill]!.fill;
      pen.fill();
      if (zoom > 0) pen.stroke();
    });
  });
}

/** At the lower edge of a closed group: how many of its ops have each colour. */
function paintStrips(pen: Pen, picture: Picture, sight: Sight): void {
  const { nodes, palette, scene, ops } = picture;
  if (!nodes.strips) return;
  for (let index = 0; index < sight.boxCount; ++index) {
    const box = sight.boxes[index]!;
    const node = scene.nodes[box]!;
    if (node < ops || nodes.lit?.[node] === 0) continue;
    const [x, bottom, width] = [scene.boxes[4 * box]! + round, scene.boxes[4 * box + 1]! + scene.boxes[4 * box + 3]! - 3, scene.boxes[4 * box + 2]! - 2 * round];
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
