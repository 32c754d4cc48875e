// SPDX-License-Identifier: Apache-2.0
// What of a scene is in sight, and how much of it can be told apart: independent of what draws it.
import { boxOf, holds } from "./box";
import { bucketsOf, type Buckets } from "./buckets";
import { toScene, type Camera, type Point, type Size } from "./camera";
import { remembered } from "./known";
import type { Scene } from "./scene";

/** Positions in the scene, until the next look. */
export interface Sight {
  height: number; // of an op, in pixels
  frames: Int32Array; // open groups, outer ones first
  blocks: Int32Array; // open groups that stand for what is in them: it is too small
  boxes: Int32Array;
  segments: Int32Array; // the first point of each
}

const tile = 1024; // units
const reach = 320; // no box, and no short segment, reaches further out of its tile
const opHeight = 40;
const least = { box: 2, segment: 3, frame: 4, words: 18 }; // pixels, below which they are left out

export function hasWords(sight: Sight): boolean {
  return sight.height >= least.words;
}

/** As many as were found; filled anew by each look, in the same memory. */
class Found {
  private readonly all: Int32Array;
  private count = 0;

  constructor(most: number) {
    this.all = new Int32Array(most);
  }

  add(one: number): void {
    this.all[this.count++] = one;
  }

  taken(): Int32Array {
    const found = this.all.subarray(0, this.count);
    this.count = 0;
    return found;
  }
}

/** Things by the tile in which they begin. */
class Tiles {
  private readonly sorted: Buckets;

  constructor(
    private readonly columns: number,
    private readonly rows: number,
    private readonly things: Int32Array,
    left: (thing: number) => number,
    top: (thing: number) => number,
  ) {
    const tileOf = things.map((thing) => this.at(top(thing), rows) * columns + this.at(left(thing), columns));
    this.sorted = bucketsOf(tileOf, columns * rows);
  }

  private at(place: number, count: number): number {
    return Math.min(count - 1, Math.max(0, Math.floor(place / tile)));
  }

  /** All that may reach into the rectangle. */
  visit(area: Area, found: (thing: number) => void): void {
    const { columns, rows, things, sorted: { starts, items } } = this;
    const [first, last] = [this.at(area.left - reach, columns), this.at(area.right, columns)];
    const bottom = this.at(area.bottom, rows);
    for (let row = this.at(area.top - reach, rows); row <= bottom; ++row) {
      const end = starts[row * columns + last + 1]!;
      for (let index = starts[row * columns + first]!; index < end; ++index) found(things[items[index]!]!);
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
  private readonly found: Record<"frames" | "blocks" | "boxes" | "segments", Found>;

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
    this.found = {
      frames: new Found(frames), blocks: new Found(frames), boxes: new Found(leaves.length), segments: new Found(short.length + long.length),
    };
  }

  look(camera: Camera, view: Size): Sight {
    const { found: { frames, blocks, boxes, segments }, scene } = this;
    const area = areaOf(camera, view);
    const height = opHeight * camera.zoom;
    const isFar = height < least.box;
    this.lookAtFrames(camera.zoom, area, isFar);
    if (!isFar || this.levels.length === 0) {
      this.boxTiles.visit(area, (box) => {
        if (isIn(area, scene.boxes, box)) boxes.add(box);
      });
    }
    if (height >= least.segment) {
      const take = (segment: number) => {
        if (crosses(area, scene.points, segment)) segments.add(segment);
      };
      this.segmentTiles.visit(area, take);
      this.long.forEach(take);
    }
    return { height, frames: frames.taken(), blocks: blocks.taken(), boxes: boxes.taken(), segments: segments.taken() };
  }

  private lookAtFrames(zoom: number, area: Area, isFar: boolean): void {
    const { found: { frames, blocks }, scene } = this;
    const shown = this.levels.filter((level) => level.height * zoom > least.frame);
    shown.forEach((level, index) => {
      const isLast = index === shown.length - 1;
      for (const frame of level.frames) {
        if (isIn(area, scene.boxes, frame)) (isFar && (isLast || this.hasFrames[frame] === 0) ? blocks : frames).add(frame);
      }
    });
  }

  /** The box at a pixel, an op or closed group before the open ones around it; -1: none. */
  boxAt(camera: Camera, view: Size, pixel: Point): number {
    const at = toScene(camera, view, pixel);
    const sight = this.look({ ...camera, ...at }, { width: 2, height: 2 });
    const isThere = (box: number) => holds(boxOf(this.scene.boxes, box), at);
    return sight.boxes.findLast(isThere) ?? sight.blocks.findLast(isThere) ?? sight.frames.findLast(isThere) ?? -1;
  }

  /** The segment nearest to a pixel, no more than `most` pixels away; -1: none. */
  segmentAt(camera: Camera, view: Size, pixel: Point, most: number): number {
    const at = toScene(camera, view, pixel);
    const sight = this.look({ ...camera, ...at }, { width: 2 * most, height: 2 * most });
    let [found, best] = [-1, most / camera.zoom];
    for (const segment of sight.segments) {
      const far = distance(this.scene.points, segment, at);
      if (far < best) [found, best] = [segment, far];
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
    remembered(byDepth, depthOf(nodes[frame]!), () => []).push(frame);
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
