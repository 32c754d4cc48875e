// SPDX-License-Identifier: Apache-2.0
// What of a scene is in sight, and how much of it can be told apart: independent of what draws it.
import { toScene, type Camera, type Point, type Size } from "./camera";
import type { Scene } from "./scene";

/** Positions in the scene. The arrays are filled anew by each call; the counts say how far. */
export interface Sight {
  height: number; // of an op, in pixels
  frames: Int32Array; // open groups, outer ones first
  frameCount: number;
  blocks: Int32Array; // open groups that stand for what is in them: it is too small
  blockCount: number;
  boxes: Int32Array;
  boxCount: number;
  segments: Int32Array; // the first point of each
  segmentCount: number;
}

const tile = 1024; // units
const reach = 320; // no box, and no short segment, reaches further out of its tile
const opHeight = 40;
const least = { box: 2, segment: 3, frame: 4, words: 18 }; // pixels, below which they are left out

export function hasWords(sight: Sight): boolean {
  return sight.height >= least.words;
}

/** Things by the tile in which they begin. */
class Tiles {
  private readonly starts: Int32Array;
  private readonly sorted: Int32Array;

  constructor(
    private readonly columns: number,
    private readonly rows: number,
    things: Int32Array,
    left: (thing: number) => number,
    top: (thing: number) => number,
  ) {
    const tileOf = things.map((thing) => this.at(top(thing), rows) * columns + this.at(left(thing), columns));
    this.starts = new Int32Array(columns * rows + 1);
    for (const one of tileOf) this.starts[one + 1]! += 1;
    for (let one = 0; one < columns * rows; ++one) this.starts[one + 1]! += this.starts[one]!;
    const next = this.starts.slice();
    this.sorted = new Int32Array(things.length);
    things.forEach((thing, index) => (this.sorted[next[tileOf[index]!]!++] = thing));
  }

  private at(place: number, count: number): number {
    return Math.min(count - 1, Math.max(0, Math.floor(place / tile)));
  }

  /** All that may reach into the rectangle. */
  visit(area: Area, found: (thing: number) => void): void {
    const [first, last] = [this.at(area.left - reach, this.columns), this.at(area.right, this.columns)];
    const bottom = this.at(area.bottom, this.rows);
    for (let row = this.at(area.top - reach, this.rows); row <= bottom; ++row) {
      const end = this.starts[row * this.columns + last + 1]!;
      for (let index = this.starts[row * this.columns + first]!; index < end; ++index) found(this.sorted[index]!);
    }
  }
}

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Level {
  frames: Int32Array;
  height: number; // of a frame, on average
}

export class Visible {
  private readonly boxTiles: Tiles;
  private readonly segmentTiles: Tiles;
  private readonly long: Int32Array; // segments that are in no tile
  private readonly levels: Level[];
  private readonly hasFrames: Uint8Array; // of each frame: there is an open group in it
  private readonly sight: Sight;

  constructor(
    readonly scene: Scene,
    depthOf: (node: number) => number,
    parentOf: (node: number) => number,
  ) {
    const [columns, rows] = [scene.width, scene.height].map((extent) => Math.max(1, Math.ceil(extent / tile))) as [number, number];
    const { boxes, points, frames, nodes } = scene;
    const leaves = Int32Array.from({ length: nodes.length - frames }, (_, index) => frames + index);
    this.boxTiles = new Tiles(columns, rows, leaves, (box) => boxes[4 * box]!, (box) => boxes[4 * box + 1]!);
    const [short, long] = segmentsOf(scene);
    const least = (axis: number) => (segment: number) => Math.min(points[2 * segment + axis]!, points[2 * segment + 2 + axis]!);
    this.segmentTiles = new Tiles(columns, rows, short, least(0), least(1));
    this.long = long;
    this.levels = levelsOf(scene, depthOf);
    this.hasFrames = new Uint8Array(frames);
    const frameOf = new Map(Array.from(nodes.subarray(0, frames), (node, frame) => [node, frame]));
    for (let frame = 0; frame < frames; ++frame) this.hasFrames[frameOf.get(parentOf(nodes[frame]!)) ?? frames] = 1;
    const list = (length: number) => new Int32Array(length);
    this.sight = {
      height: 0, frames: list(frames), frameCount: 0, blocks: list(frames), blockCount: 0, boxes: list(leaves.length), boxCount: 0,
      segments: list(short.length + long.length), segmentCount: 0,
    };
  }

  look(camera: Camera, view: Size): Sight {
    const { sight, scene: { boxes, points } } = this;
    const area = areaOf(camera, view);
    sight.height = opHeight * camera.zoom;
    sight.boxCount = sight.segmentCount = 0;
    this.lookAtFrames(camera.zoom, area);
    if (sight.height >= least.box || this.levels.length === 0) {
      this.boxTiles.visit(area, (box) => {
        if (isIn(area, boxes, box)) sight.boxes[sight.boxCount++] = box;
      });
    }
    if (sight.height < least.segment) return sight;
    const take = (segment: number) => {
      if (crosses(area, points, segment)) sight.segments[sight.segmentCount++] = segment;
    };
    this.segmentTiles.visit(area, take);
    this.long.forEach(take);
    return sight;
  }

  private lookAtFrames(zoom: number, area: Area): void {
    const { sight, scene } = this;
    const shown = this.levels.filter((level) => level.height * zoom > least.frame);
    const isFar = sight.height < least.box;
    sight.frameCount = sight.blockCount = 0;
    shown.forEach((level, index) => {
      const isLast = index === shown.length - 1;
      for (const frame of level.frames) {
        if (!isIn(area, scene.boxes, frame)) continue;
        if (isFar && (isLast || this.hasFrames[frame] === 0)) sight.blocks[sight.blockCount++] = frame;
        else sight.frames[sight.frameCount++] = frame;
      }
    });
  }

  /** The box at a pixel, an op or closed group before the open ones around it; -1: none. */
  boxAt(camera: Camera, view: Size, pixel: Point): number {
    const at = toScene(camera, view, pixel);
    const sight = this.look({ ...camera, ...at }, { width: 2, height: 2 });
    const holds = (box: number) => {
      const [x, y, width, height] = this.scene.boxes.subarray(4 * box, 4 * box + 4) as unknown as [number, number, number, number];
      return at.x >= x && at.y >= y && at.x <= x + width && at.y <= y + height;
    };
    const last = (list: Int32Array, count: number) => list.subarray(0, count).findLast(holds);
    return last(sight.boxes, sight.boxCount) ?? last(sight.blocks, sight.blockCount) ?? last(sight.frames, sight.frameCount) ?? -1;
  }

  /** The segment nearest to a pixel, no more than `most` pixels away; -1: none. */
  segmentAt(camera: Camera, view: Size, pixel: Point, most: number): number {
    const at = toScene(camera, view, pixel);
    const sight = this.look({ ...camera, ...at }, { width: 2 * most, height: 2 * most });
    let [found, best] = [-1, most / camera.zoom];
    for (let index = 0; index < sight.segmentCount; ++index) {
      const far = distance(this.scene.points, sight.segments[index]!, at);
      if (far < best) [found, best] = [sight.segments[index]!, far];
    }
    return found;
  }
}

/** In pieces of wires: those that lie in a tile, and those that are too long for it. */
function segmentsOf({ points, wires }: Scene): [short: Int32Array, long: Int32Array] {
  const [short, long]: [number[], number[]] = [[], []];
  for (let wire = 0; wire + 1 < wires.length; ++wire) {
    for (let point = wires[wire]!; point + 1 < wires[wire + 1]!; ++point) {
      const [dx, dy] = [points[2 * point + 2]! - points[2 * point]!, points[2 * point + 3]! - points[2 * point + 1]!];
      (Math.abs(dx) > reach || Math.abs(dy) > reach ? long : short).push(point);
    }
  }
  return [Int32Array.from(short), Int32Array.from(long)];
}

function levelsOf({ nodes, boxes, frames }: Scene, depthOf: (node: number) => number): Level[] {
  const byDepth = new Map<number, number[]>();
  for (let frame = 0; frame < frames; ++frame) {
    const depth = depthOf(nodes[frame]!);
    const known = byDepth.get(depth);
    if (known) known.push(frame);
    else byDepth.set(depth, [frame]);
  }
  return [...byDepth]
    .sort(([one], [other]) => one - other)
    .map(([, all]) => ({ frames: Int32Array.from(all), height: all.reduce((sum, frame) => sum + boxes[4 * frame + 3]!, 0) / all.length }));
}

function areaOf(camera: Camera, view: Size): Area {
  const [wide, high] = [view.width / 2 / camera.zoom, view.height / 2 / camera.zoom];
  return { left: camera.x - wide, right: camera.x + wide, top: camera.y - high, bottom: camera.y + high };
}

function isIn(area: Area, boxes: Float32Array, box: number): boolean {
  const [x, y] = [boxes[4 * box]!, boxes[4 * box + 1]!];
  return x < area.right && y < area.bottom && x + boxes[4 * box + 2]! > area.left && y + boxes[4 * box + 3]! > area.top;
}

/** Whether its bounds reach into the area. */
function crosses(area: Area, points: Float32Array, segment: number): boolean {
  const [x, y, toX, toY] = [points[2 * segment]!, points[2 * segment + 1]!, points[2 * segment + 2]!, points[2 * segment + 3]!];
  return (x > area.left || toX > area.left) && (x < area.right || toX < area.right) && (y > area.top || toY > area.top) &&
    (y < area.bottom || toY < area.bottom);
}

function distance(points: Float32Array, segment: number, at: Point): number {
  const [x, y] = [points[2 * segment]!, points[2 * segment + 1]!];
  const [dx, dy] = [points[2 * segment + 2]! - x, points[2 * segment + 3]! - y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((at.x - x) * dx + (at.y - y) * dy) / length));
  return Math.hypot(at.x - x - along * dx, at.y - y - along * dy);
}
