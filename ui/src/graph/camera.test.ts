// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { anchored, bounded, cameraOf, cameraText, centred, farthestOf, fitted, panned, showing, toScene, toView, zoomed } from "./camera";

const view = { width: 800, height: 600 };
const camera = { x: 100, y: 50, zoom: 2 };

describe("a camera", () => {
  it("leads from pixels to the scene and back", () => {
    expect(toScene(camera, view, { x: 400, y: 300 })).toEqual({ x: 100, y: 50 });
    const pixel = { x: 123, y: 456 };
    expect(toView(camera, view, toScene(camera, view, pixel))).toEqual(pixel);
  });

  it("moves with the hand", () => {
    const held = toScene(camera, view, { x: 10, y: 20 });
    expect(toView(panned(camera, 30, -8), view, held)).toEqual({ x: 40, y: 12 });
  });

  it("zooms around the pointer, between the nearest and the farthest", () => {
    const at = { x: 700, y: 100 };
    const near = zoomed(camera, view, 1.3, at, 0.1);
    const [before, after] = [toScene(camera, view, at), toScene(near, view, at)];
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
    expect(zoomed(camera, view, 1e9, at, 0.1).zoom).toBe(3);
    expect(zoomed(camera, view, 1e-9, at, 0.1).zoom).toBe(0.1);
  });

  it("sees all of a scene that fits, and no small one larger than it is drawn", () => {
    const all = fitted({ x: 0, y: 0, width: 5000, height: 300 }, view);
    expect(toView(all, view, { x: 0, y: 0 }).x).toBeCloseTo(24);
    expect(toView(all, view, { x: 5000, y: 0 }).x).toBeCloseTo(776);
    expect(fitted({ x: 0, y: 0, width: 50, height: 30 }, view).zoom).toBe(1);
    expect(farthestOf({ width: 5000, height: 300 }, view)).toBeCloseTo(all.zoom / 2);
    expect(farthestOf({ width: 50, height: 30 }, view)).toBe(0.5);
  });

  it("keeps what an opened group has moved where the eye has it", () => {
    const [from, to] = [{ x: 40, y: 900 }, { x: 260, y: 1400 }];
    expect(toView(anchored(camera, from, to), view, to)).toEqual(toView(camera, view, from));
  });

  it("has a box in the middle, and near enough to be read", () => {
    const box = { x: 0, y: 0, width: 100, height: 40 };
    expect(centred({ x: 0, y: 0, zoom: 0.1 }, view, box)).toEqual({ x: 50, y: 20, zoom: 0.9 });
    expect(centred({ x: 0, y: 0, zoom: 0.1 }, view, { ...box, width: 7520 }).zoom).toBeCloseTo(0.1);
  });

  it("moves no farther than it takes to see a box", () => {
    const seen = { x: 265, y: 50, width: 20, height: 20 };
    expect(showing(camera, view, seen, 24)).toBe(camera);
    expect(toView(showing(camera, view, seen, 150), view, { x: 285, y: 50 }).x).toBeCloseTo(650);
    const right = showing(camera, view, { x: 400, y: 50, width: 20, height: 20 }, 24);
    expect(toView(right, view, { x: 420, y: 50 }).x).toBeCloseTo(776);
    expect(right.y).toBe(camera.y);
    const wide = showing(camera, view, { x: 400, y: 50, width: 2000, height: 20 }, 24);
    expect(toView(wide, view, { x: 400, y: 50 }).x).toBeCloseTo(24);
  });

  it("does not lose the scene", () => {
    expect(bounded({ x: -10, y: 7000, zoom: 1 }, { width: 500, height: 600 })).toEqual({ x: 0, y: 600, zoom: 1 });
    expect(bounded(camera, { width: 500, height: 600 })).toBe(camera);
  });

  it("is held in an address", () => {
    expect(cameraText({ x: 12.4, y: -3, zoom: 0.123456 })).toBe("12,-3,0.123");
    expect(cameraOf("12,-3,0.123")).toEqual({ x: 12, y: -3, zoom: 0.123 });
    for (const wrong of [undefined, "", "1,2", "1,2,3,4", "1,2,x", "1,2,0", "1,2,-1", "1,,Infinity"]) expect(cameraOf(wrong)).toBeNull();
  });
});
