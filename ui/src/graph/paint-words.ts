// SPDX-License-Identifier: Apache-2.0
// What is written in boxes and on frames. From far away, names alone, as large as they can be read and where they do not lie on each
// other.
import { boxOf, overlap } from "./box";
import type { Box } from "./camera";
import { titleHeight } from "./measures";
import { dimmed, font, type Pen, type Picture } from "./paint-look";
import { edge, signRoom, signSize, titleMiddle } from "./sign";
import type { Sight } from "./visible";

const rows = { title: titleMiddle, detail: 29 }; // middle of the lines below the upper edge of a box
const far = { least: 7, most: 11, larger: 16 }; // pixels of letters from far away; larger: pixels at zoom 1, where boxes have room
const mostFar = 150; // names

function alphaOf({ nodes }: Picture, node: number): number {
  return nodes.lit?.[node] === 0 ? dimmed : 1;
}

/** Type, figure and mark of ops; of closed groups their names, behind a plus. */
export function paintBoxWords(pen: Pen, picture: Picture, sight: Sight): void {
  const { scene, nodes, palette, ops } = picture;
  pen.textBaseline = "middle";
  const each = (write: (place: Box, node: number, ink: string) => void) => {
    for (const box of sight.boxes) {
      const node = scene.nodes[box]!;
      pen.globalAlpha = alphaOf(picture, node);
      const { ink } = palette.fills[nodes.fills[node]!]!;
      pen.fillStyle = ink;
      write(boxOf(scene.boxes, box), node, ink);
    }
    pen.globalAlpha = 1;
  };
  pen.font = font.title;
  each(({ x, y, width, height }, node, ink) => {
    const isGroup = node >= ops;
    const middle = nodes.details[node] ? y + rows.title : y + height / 2;
    pen.textAlign = isGroup ? "left" : "center";
    if (isGroup) paintSign(pen, x + edge, middle, ink, true);
    pen.fillText(nodes.titles[node]!, isGroup ? x + edge + signRoom : x + width / 2, middle);
  });
  pen.font = font.detail;
  each(({ x, y, width }, node) => {
    const isGroup = node >= ops;
    pen.textAlign = isGroup ? "left" : "center";
    if (nodes.details[node]) pen.fillText(nodes.details[node]!, isGroup ? x + edge : x + width / 2, y + rows.detail);
    if (!nodes.marks[node]) return;
    pen.textAlign = "right";
    pen.fillText(nodes.marks[node]!, x + width - (isGroup ? edge : 4), y + (isGroup ? rows.title : 9));
  });
}

/** A plus of what opens, a minus of what closes. */
function paintSign(pen: Pen, x: number, y: number, ink: string, isPlus: boolean): void {
  const half = signSize / 2;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + signSize, y);
  if (isPlus) {
    pen.moveTo(x + half, y - half);
    pen.lineTo(x + half, y + half);
  }
  pen.strokeStyle = ink;
  pen.lineWidth = 1.4;
  pen.stroke();
}

export function paintFrameWords(pen: Pen, picture: Picture, sight: Sight): void {
  const { scene, nodes, palette } = picture;
  pen.font = font.title;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (const frame of sight.frames) {
    const node = scene.nodes[frame]!;
    const { x, y, width } = boxOf(scene.boxes, frame);
    const middle = y + titleHeight / 2 + 1;
    const title = cut(nodes.titles[node]!, nodes.titleWidths[node]!, width - 2 * edge - signRoom);
    pen.strokeStyle = palette.panel; // where a wire runs through the title
    pen.lineWidth = 3;
    pen.strokeText(title, x + edge + signRoom, middle);
    paintSign(pen, x + edge, middle, palette.muted, false);
    pen.fillStyle = palette.muted;
    pen.fillText(title, x + edge + signRoom, middle);
  }
}

/** With an end of dots where there is not room for all of it. */
export function cut(title: string, width: number, room: number): string {
  if (width <= room) return title;
  const most = Math.floor((title.length * room) / width) - 1;
  return most < 2 ? "" : `${title.slice(0, most)}…`;
}

/** Open groups first, the outermost first; none on another one. */
export function paintFarWords(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const { nodes, palette, scene, ops } = picture;
  const taken: Box[] = [];
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const write = (box: number, isFrame: boolean) => {
    const node = scene.nodes[box]!;
    const [place, width] = [boxOf(scene.boxes, box), nodes.titleWidths[node]!];
    const pixels = node < ops ? Math.max(far.least, far.larger * zoom) : far.most;
    const room = (isFrame ? 0.6 : 0.92) * place.width * zoom;
    if (taken.length >= mostFar || (width * pixels) / 12 > room || place.height * zoom < pixels * 1.1) return;
    const size = pixels / zoom;
    const own = (width * size) / 12;
    const down = isFrame ? size * 0.4 : (place.height - size) / 2;
    const at = { x: place.x + (place.width - own) / 2, y: place.y + down, width: own, height: size * 1.1 };
    if (taken.some((other) => overlap(at, other))) return;
    taken.push(at);
    pen.font = `600 ${size}px system-ui, sans-serif`;
    if (isFrame) {
      pen.strokeStyle = palette.panel;
      pen.lineWidth = size / 4;
      pen.strokeText(nodes.titles[node]!, at.x + own / 2, at.y + size / 2);
    }
    pen.globalAlpha = isFrame ? 1 : alphaOf(picture, node);
    pen.fillStyle = isFrame ? palette.text : palette.fills[nodes.fills[node]!]!.ink;
    pen.fillText(nodes.titles[node]!, at.x + own / 2, at.y + size / 2);
  };
  for (const frame of sight.frames) write(frame, true);
  for (const block of sight.blocks) write(block, false);
  for (const box of sight.boxes) write(box, false);
  pen.globalAlpha = 1;
}
