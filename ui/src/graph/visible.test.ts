// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Scene } from "./scene";
import { hasWords, Visible } from "./visible";

type Rectangle = [x: number, y: number, width: number, height: number];

function sceneOf(frames: Rectangle[], boxes: Rectangle[], wires: number[][] = []): Scene {
  const all = [...frames, ...boxes];
  let end = 0;
  return {
    nodes: Int32Array.from(all.keys()), boxes: Float32Array.from(all.flat()), frames: frames.length, points: Float32Array.from(wires.flat()),
    wires: Int32Array.from([0, ...wires.map((points) => (end += points.length / 2))]), edgeStarts: new Int32Array(wires.length + 1),
    edges: new Int32Array(0), width: Math.max(...all.map(([x, , width]) => x + width)), height: Math.max(...all.map(([, y, , height]) => y + height)),
  };
}

const view = { width: 100, height: 100 };
const list = (of: Int32Array) => [...of].sort((a, b) => a - b);
const flat = (scene: Scene) => new Visible(scene, () => 1, () => -1);

/** 60 x 60 boxes, a wire from each to the one below. */
function grid(): Scene {
  const boxes: Rectangle[] = [];
  const wires: number[][] = [];
  for (let row = 0; row < 60; ++row) {
    for (let column = 0; column < 60; ++column) {
      boxes.push([column * 100, row * 100, 80, 40]);
      wires.push([column * 100 + 40, row * 100 + 40, column * 100 + 40, row * 100 + 100]);
    }
  }
  return sceneOf([], boxes, [...wires, [0, 0, 5900, 5900]]);
}

describe("what is in sight", () => {
  it("is all that lies in it, wherever one looks, and nothing else", () => {
    const scene = grid();
    const visible = flat(scene);
    for (const [x, y, zoom] of [[50, 50, 1], [1023, 2049, 0.5], [5990, 5990, 1], [3000, 3000, 0.05], [2600, 1100, 2.5]] as const) {
      const sight = visible.look({ x, y, zoom }, view);
      const half = 50 / zoom;
      const isIn = (left: number, top: number, right: number, bottom: number) =>
        left < x + half && right > x - half && top < y + half && bottom > y - half;
      const boxes = [...scene.nodes.keys()].filter((box) => {
        const [left, top, width, height] = scene.boxes.subarray(4 * box, 4 * box + 4) as unknown as Rectangle;
        return isIn(left, top, left + width, top + height);
      });
      expect(list(sight.boxes)).toEqual(boxes);
    }
  });

  it("holds long segments and short ones", () => {
    const visible = flat(grid());
    const sight = visible.look({ x: 140, y: 170, zoom: 1 }, { width: 20, height: 20 });
    expect(list(sight.segments)).toEqual([2 * 61, 2 * 3600]);
  });

  it("has no edges where ops are three pixels high, and no words below eighteen", () => {
    const visible = flat(grid());
    expect(visible.look({ x: 50, y: 50, zoom: 0.07 }, view).segments.length).toBe(0);
    expect(hasWords(visible.look({ x: 50, y: 50, zoom: 0.44 }, view))).toBe(false);
    expect(hasWords(visible.look({ x: 50, y: 50, zoom: 0.45 }, view))).toBe(true);
  });

  it("shows open groups in place of ops that are too small", () => {
    const frames: Rectangle[] = [[0, 0, 1000, 1000], [50, 50, 400, 400], [1100, 0, 500, 500]];
    const scene = sceneOf(frames, [[60, 60, 80, 40], [1110, 10, 80, 40]]);
    const visible = new Visible(scene, (node) => (node === 1 ? 2 : 1), (node) => (node === 1 ? 0 : -1));
    const near = visible.look({ x: 800, y: 500, zoom: 0.06 }, view);
    expect([near.frames.length, near.blocks.length, near.boxes.length]).toEqual([3, 0, 2]);
    const far = visible.look({ x: 800, y: 500, zoom: 0.04 }, view);
    expect(list(far.frames)).toEqual([0]);
    expect(list(far.blocks)).toEqual([1, 2]);
    expect(far.boxes.length).toBe(0);
    const farther = visible.look({ x: 800, y: 500, zoom: 0.008 }, view);
    expect(list(farther.blocks)).toEqual([0, 2]);
  });
});

describe("what is pointed at", () => {
  const scene = sceneOf([[0, 0, 500, 500]], [[50, 50, 80, 40]], [[90, 90, 90, 300, 400, 300]]);
  const visible = flat(scene);
  const camera = { x: 250, y: 250, zoom: 0.2 };
  const pixel = (x: number, y: number) => ({ x: 50 + (x - 250) * 0.2, y: 50 + (y - 250) * 0.2 });

  it("is the innermost box", () => {
    expect(visible.boxAt(camera, view, pixel(60, 60))).toBe(1);
    expect(visible.boxAt(camera, view, pixel(200, 60))).toBe(0);
    expect(visible.boxAt(camera, view, pixel(-10, 60))).toBe(-1);
  });

  it("is the nearest piece of a wire", () => {
    expect(visible.segmentAt(camera, view, pixel(95, 200), 4)).toBe(0);
    expect(visible.segmentAt(camera, view, pixel(300, 290), 4)).toBe(1);
    expect(visible.segmentAt(camera, view, pixel(300, 200), 4)).toBe(-1);
  });
});
