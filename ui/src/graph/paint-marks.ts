// SPDX-License-Identifier: Apache-2.0
// What is selected, pointed at or found, over all else.
import { boxOf } from "./box";
import type { Marks, Pen, Picture } from "./paint-look";
import { traceAround } from "./paint-boxes";
import { strokeAll } from "./paint-wires";
import type { Sight } from "./visible";

const pill = { height: 16, out: 8 }; // units; out: how far it sticks out of its box
const wordsFrom = 16; // pixels of an op's height
const leastBadge = 13; // pixels

export function paintMarks(pen: Pen, picture: Picture, sight: Sight, marks: Marks, zoom: number): void {
  const { palette } = picture;
  const thin = 1 / zoom;
  paintWiresOf(pen, picture, sight, marks, thin);
  if (picture.nodes.found) paintFound(pen, picture, sight, thin);
  const around = (box: number, colour: string, by: number, width: number) => {
    if (box < 0) return;
    pen.beginPath();
    traceAround(pen, picture, box, by);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  };
  around(marks.pointed, palette.focus, thin, Math.max(2 * thin, 1.5));
  around(marks.selected, palette.panel, 2 * thin, Math.max(5 * thin, 4));
  around(marks.selected, palette.text, 2 * thin, Math.max(2.5 * thin, 2));
  paintBadges(pen, picture, thin);
}

function paintWiresOf(pen: Pen, picture: Picture, sight: Sight, marks: Marks, thin: number): void {
  if (marks.wires.size === 0 && marks.pointedWire < 0) return;
  const own: number[] = [];
  const pointed: number[] = [];
  for (const segment of sight.segments) {
    const wire = picture.wires.wireOf[segment]!;
    if (wire === marks.pointedWire) pointed.push(segment);
    else if (marks.wires.has(wire)) own.push(segment);
  }
  const isNear = sight.height >= 10;
  strokeAll(pen, picture, own, { colour: picture.palette.text, width: Math.max(1.5 * thin, 1.2), isNear });
  strokeAll(pen, picture, pointed, { colour: picture.palette.focus, width: Math.max(2.5 * thin, 2), isNear });
}

/** What a query has found has a line around; groups say how many are in them. */
function paintFound(pen: Pen, picture: Picture, sight: Sight, thin: number): void {
  const { scene, nodes, palette, ops } = picture;
  const found = nodes.found!;
  const hits = [sight.blocks, sight.boxes].flatMap((all) => [...all.filter((box) => found[scene.nodes[box]!]! > 0)]);
  pen.beginPath();
  for (const box of hits) traceAround(pen, picture, box, 2.5 * thin);
  for (const [colour, width] of [[palette.panel, 5], [palette.accent, 2.5]] as const) {
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(width * thin, width * 0.8);
    pen.stroke();
  }
  if (sight.height < wordsFrom) return;
  pen.font = "600 11px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const box of hits) {
    const node = scene.nodes[box]!;
    if (node < ops) continue;
    const text = `${found[node]!} found`;
    const { x, y, width } = boxOf(scene.boxes, box);
    paintPill(pen, x + width + pill.out - widthOfPill(text), y - pill.out, { text, colour: palette.text, ink: palette.panel, scale: 1 });
  }
}

/** At the upper left; from far away as large as they can be read, and none on another one. */
function paintBadges(pen: Pen, { scene: { boxes }, badges, palette }: Picture, thin: number): void {
  const scale = Math.max(1, (leastBadge * thin) / pill.height);
  const taken: { x: number; y: number }[] = [];
  pen.font = `600 ${11 * scale}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const { box, text } of badges) {
    const { x, y } = boxOf(boxes, box);
    const at = { x: x - pill.out * scale, y: y - pill.out * scale };
    const size = pill.height * scale;
    const isInTheWay = (other: typeof at) => Math.abs(other.x - at.x) < 1.4 * size && Math.abs(other.y - at.y) < size;
    if (taken.some(isInTheWay)) continue;
    taken.push(at);
    paintPill(pen, at.x, at.y, { text, colour: palette.bad, ink: palette.panel, scale });
  }
}

function widthOfPill(text: string): number {
  return Math.max(pill.height, text.length * 6.2 + 10);
}

interface Pill {
  text: string;
  colour: string;
  ink: string;
  scale: number;
}

function paintPill(pen: Pen, left: number, top: number, { text, colour, ink, scale }: Pill): void {
  const [width, height] = [widthOfPill(text) * scale, pill.height * scale];
  pen.beginPath();
  pen.roundRect(left, top, width, height, height / 2);
  pen.fillStyle = colour;
  pen.fill();
  pen.fillStyle = ink;
  pen.fillText(text, left + width / 2, top + height / 2);
}
