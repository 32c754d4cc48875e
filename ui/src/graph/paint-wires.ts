// SPDX-License-Identifier: Apache-2.0
// Wires with rounded bends, their arrow heads, and what they carry.
import { boxOf, holds, middleOf, overlap } from "./box";
import type { Box } from "./camera";
import { titleHeight } from "./measures";
import { font, inTurn, type Pen, type Picture } from "./paint-look";
import { edge, signRoom } from "./sign";
import type { Sight } from "./visible";

const bend = 8; // units
const near = { bends: 14, heads: 14, words: 34 }; // pixels of an op's height
const thinnest = 0.8; // pixels
const dash = [7, 4]; // units
const wordRoom = 26; // pixels of a straight piece beside which there is room for words
const wordHeight = 14; // units
const beside = 5; // units
const again = 320; // units from which on the same words are said once more

/** Those of one colour are one stroke; wide ones last. */
export function paintWires(pen: Pen, picture: Picture, sight: Sight, zoom: number): void {
  const { palette, wires } = picture;
  inTurn(pen, wires.lit !== null, (isDim) => {
    const byStroke: number[][] = palette.strokes.map(() => []);
    for (const segment of sight.segments) {
      const wire = wires.wireOf[segment]!;
      if (!wires.lit || (wires.lit[wire] === 0) === isDim) byStroke[wires.strokes[wire]!]!.push(segment);
    }
    byStroke.forEach((segments, stroke) => {
      if (segments.length === 0) return;
      const { colour, width, isDashed } = palette.strokes[stroke]!;
      const isNear = sight.height >= near.bends;
      if (isDashed && isNear) pen.setLineDash(dash);
      strokeAll(pen, picture, segments, { colour, width: Math.max(thinnest / zoom, width), isNear });
      pen.setLineDash([]);
      if (sight.height >= near.heads) paintHeads(pen, picture, segments, colour, width);
    });
  });
}

interface Stroke {
  colour: string;
  width: number; // units
  isNear: boolean; // bends can be told
}

export function strokeAll(pen: Pen, { scene, wires }: Picture, segments: Iterable<number>, { colour, width, isNear }: Stroke): void {
  const { points } = scene;
  pen.beginPath();
  for (const segment of segments) {
    if (isNear) {
      const wire = wires.wireOf[segment]!;
      traceRounded(pen, points, segment, segment === scene.wires[wire], segment + 2 === scene.wires[wire + 1]);
      continue;
    }
    pen.moveTo(points[2 * segment]!, points[2 * segment + 1]!);
    pen.lineTo(points[2 * segment + 2]!, points[2 * segment + 3]!);
  }
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
}

/** From behind the bend before it to behind the bend after it: so that each piece is drawn without the others. */
function traceRounded(pen: Pen, points: Float32Array, segment: number, isFirst: boolean, isLast: boolean): void {
  const [x, y, toX, toY] = [points[2 * segment]!, points[2 * segment + 1]!, points[2 * segment + 2]!, points[2 * segment + 3]!];
  const length = Math.hypot(toX - x, toY - y) || 1;
  const [dx, dy] = [(toX - x) / length, (toY - y) / length];
  const before = isFirst ? 0 : Math.min(bend, length / 2, Math.hypot(x - points[2 * segment - 2]!, y - points[2 * segment - 1]!) / 2);
  pen.moveTo(x + before * dx, y + before * dy);
  if (isLast) {
    pen.lineTo(toX, toY);
    return;
  }
  const [nextX, nextY] = [points[2 * segment + 4]! - toX, points[2 * segment + 5]! - toY];
  const next = Math.hypot(nextX, nextY) || 1;
  const after = Math.min(bend, length / 2, next / 2);
  pen.lineTo(toX - after * dx, toY - after * dy);
  pen.quadraticCurveTo(toX, toY, toX + (after * nextX) / next, toY + (after * nextY) / next);
}

/** At the end of the last piece, where that is at what reads the value. */
function paintHeads(pen: Pen, { scene, wires }: Picture, segments: Iterable<number>, colour: string, width: number): void {
  const { points } = scene;
  const [long, wide] = [5 + width, 2.6 + 0.7 * width];
  pen.beginPath();
  for (const segment of segments) {
    const wire = wires.wireOf[segment]!;
    if (wires.heads[wire] === 0 || segment + 2 !== scene.wires[wire + 1]) continue;
    const [x, y] = [points[2 * segment + 2]!, points[2 * segment + 3]!];
    const [backX, backY] = [points[2 * segment]! - x, points[2 * segment + 1]! - y];
    const length = Math.hypot(backX, backY) || 1;
    const [dx, dy] = [backX / length, backY / length];
    pen.moveTo(x, y);
    pen.lineTo(x + long * dx - wide * dy, y + long * dy + wide * dx);
    pen.lineTo(x + long * dx + wide * dy, y + long * dy - wide * dx);
    pen.closePath();
  }
  pen.fillStyle = colour;
  pen.fill();
}

/** Type and shape of what is carried: of all when one is near, of those that are marked from farther away. */
export function paintWireWords(pen: Pen, picture: Picture, sight: Sight, marked: ReadonlySet<number>, zoom: number): void {
  const { palette, wires } = picture;
  const isNear = sight.height >= near.words;
  if (!isNear && (marked.size === 0 || sight.height < near.words / 2)) return;
  pen.font = font.detail;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  const taken: Said[] = [];
  /** False where there is no such place. */
  const say = (segment: number, isWanted: (place: Said) => boolean) => {
    const wire = wires.wireOf[segment]!;
    const said = placesOf(picture, segment, wires.word(wire))
      .find((place) => !taken.some((other) => isInTheWay(place, other)) && isWanted(place) && isFree(picture, sight, place, wire));
    if (!said) return false;
    taken.push(said);
    pen.globalAlpha = 0.8;
    pen.beginPath();
    pen.rect(said.x - 2, said.y, said.width + 4, said.height);
    pen.fillStyle = palette.panel;
    pen.fill();
    pen.globalAlpha = 1;
    pen.fillStyle = marked.has(wire) ? palette.text : palette.muted;
    pen.fillText(said.word, said.x, middleOf(said).y);
    return true;
  };
  const left: number[] = []; // for which there is no place that is clear of groups' edges and titles
  for (const segment of sight.segments) {
    const wire = wires.wireOf[segment]!;
    const isMarked = marked.has(wire);
    if (!isMarked && (!isNear || wires.heads[wire] === 0 || wires.lit?.[wire] === 0)) continue;
    if (wires.word(wire) === "" || !hasRoom(picture, segment, wordRoom * (isMarked ? 0.4 : 1) / zoom)) continue;
    if (!say(segment, (place) => !isOnFrame(picture, sight, place))) left.push(segment);
  }
  for (const segment of left) say(segment, () => true);
}

interface Said extends Box {
  word: string;
}

/** A piece that runs downwards for long enough. */
function hasRoom({ scene: { points } }: Picture, segment: number, least: number): boolean {
  const [dx, dy] = [Math.abs(points[2 * segment + 2]! - points[2 * segment]!), Math.abs(points[2 * segment + 3]! - points[2 * segment + 1]!)];
  return dx * 3 <= dy && dy >= least;
}

/** Right and left of it, the best one first. */
function placesOf({ scene: { points } }: Picture, segment: number, word: string): Said[] {
  const [x, y, toX, toY] = [points[2 * segment]!, points[2 * segment + 1]!, points[2 * segment + 2]!, points[2 * segment + 3]!];
  const width = word.length * 5.6;
  return [0.5, 0.8, 0.2].flatMap((along) => {
    const at = { word, x: x + along * (toX - x) + beside, y: y + along * (toY - y) - wordHeight / 2, width, height: wordHeight };
    return [at, { ...at, x: at.x - width - 2 * beside }];
  });
}

/** Words lie on each other, or say the same twice in one place: a value that several read is told once. */
function isInTheWay(said: Said, other: Said): boolean {
  return (said.word === other.word && Math.hypot(said.x - other.x, said.y - other.y) < again) || overlap(said, other);
}

/** Sticks out of a group, or lies on its title. */
function isOnFrame({ scene: { boxes, nodes }, nodes: { titleWidths } }: Picture, sight: Sight, said: Said): boolean {
  const end = { x: said.x + said.width, y: said.y + said.height };
  return sight.frames.some((index) => {
    const frame = boxOf(boxes, index);
    const title = { ...frame, width: edge + signRoom + titleWidths[nodes[index]!]! + beside, height: titleHeight };
    return overlap(said, frame) && (!holds(frame, said) || !holds(frame, end) || overlap(said, title));
  });
}

/** Of boxes and of other wires: nobody takes it for what those carry. */
function isFree({ scene: { boxes, points }, wires }: Picture, sight: Sight, said: Said, own: number): boolean {
  const { x, y: top } = said;
  const [right, bottom] = [x + said.width, top + said.height];
  const crosses = (segment: number) => {
    const [fromX, fromY, toX, toY] = [points[2 * segment]!, points[2 * segment + 1]!, points[2 * segment + 2]!, points[2 * segment + 3]!];
    if (Math.max(fromX, toX) < x || Math.min(fromX, toX) > right || Math.max(fromY, toY) < top || Math.min(fromY, toY) > bottom) return false;
    const side = (cornerX: number, cornerY: number) => Math.sign((toX - fromX) * (cornerY - fromY) - (toY - fromY) * (cornerX - fromX));
    return Math.abs(side(x, top) + side(right, top) + side(x, bottom) + side(right, bottom)) < 4;
  };
  const isTaken = sight.boxes.some((box) => overlap(said, boxOf(boxes, box)));
  return !isTaken && !sight.segments.some((segment) => wires.wireOf[segment] !== own && crosses(segment));
}
