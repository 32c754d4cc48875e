// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { cameraOfMap, lookingAt, mapSize, windowOf } from "./minimap";

const scene = { width: 4000, height: 1000 };
const view = { width: 1000, height: 500 };

describe("the map", () => {
  it("has the scene's shape, and takes no more than its part of the picture", () => {
    expect(mapSize(scene, view)).toEqual({ width: 160, height: 40 });
    expect(mapSize(scene, { width: 400, height: 500 })).toEqual({ width: 64, height: 36 });
    expect(mapSize({ width: 100, height: 9000 }, view)).toEqual({ width: 36, height: 132 });
  });
  it("sees all of the scene", () => {
    expect(cameraOfMap(scene, { width: 200, height: 50 })).toEqual({ x: 2000, y: 500, zoom: 0.05 });
  });
});

describe("the window in the map", () => {
  const size = { width: 200, height: 50 };
  it("is what the picture shows", () => {
    expect(windowOf({ x: 2000, y: 500, zoom: 1 }, view, scene, size)).toEqual({ x: 75, y: 12.5, width: 50, height: 25 });
  });
  it("ends where the scene ends", () => {
    expect(windowOf({ x: 0, y: 0, zoom: 1 }, view, scene, size)).toEqual({ x: 0, y: 0, width: 25, height: 12.5 });
  });
  it("is none where the picture shows all", () => {
    expect(windowOf({ x: 2000, y: 500, zoom: 0.2 }, view, scene, size)).toBeNull();
  });
  it("goes to where the map is pressed", () => {
    expect(lookingAt({ x: 0, y: 0, zoom: 2 }, scene, size, { x: 50, y: 25 })).toEqual({ x: 1000, y: 500, zoom: 2 });
  });
});
