// SPDX-License-Identifier: Apache-2.0
// Open groups as frames, ops and closed groups as boxes.
import { inTurn, type Pen, type Picture } from "./paint-look";
import type { Sight } from "./visible";

const round = 6; // units
const nearFrom = 14; // pixels of an op's height: below it no corner can be told
const stripHeight = 4;
const frameShade = 0.045;

export function traceAround(pen: Pen, { scene: { boxes } }: Picture, box: number, by = 0): void {
  const [x, y, width, height] = [boxes[4 * box]!, boxes[4 * box + 1]!, boxes[4 * box + 2]!, boxes[4 * box + 3]!];
  pen.roundRect(x - by, y - by, width + 2 * by, height + 2 * by, round + by);
}

/** Each a shade darker than what it lies in. */
export function paintFrames(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const { palette } = picture;
  pen.fillStyle = palette.muted;
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1 / zoom;
  for (let index = 0; index < sight.frameCount; ++index) {
    pen.beginPath();
    traceAround(pen, picture, sight.frames[index]!);
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
  paintAll(pen, picture, sight.blocks, sight.blockCount, false, 1);
}

export function paintBoxes(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const isNear = sight.height >= nearFrom;
  paintAll(pen, picture, sight.boxes, sight.boxCount, isNear, zoom);
  if (isNear) paintStrips(pen, picture, sight);
}

/** With round corners and a line around each where they can be told; else as plain as canvases are quick at. */
function paintAll(pen: Pen, picture: Picture, all: Int32Array, count: number, isNear: boolean, zoom: number): void {
  const buckets = new Buckets(picture);
  const { palette, nodes, scene: { boxes } } = picture;
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1 / zoom;
  inTurn(pen, nodes.lit !== null, (isDim) => {
    buckets.fill(all, count, isDim);
    buckets.empty((fill, ofFill) => {
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
  for (let index = 0; index < sight.boxCount; ++index) {
    const box = sight.boxes[index]!;
    const node = scene.nodes[box]!;
    if (node < ops || nodes.lit?.[node] === 0) continue;
    const { boxes } = scene;
    const [x, bottom, width] = [boxes[4 * box]! + round, boxes[4 * box + 1]! + boxes[4 * box + 3]! - 3, boxes[4 * box + 2]! - 2 * round];
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
