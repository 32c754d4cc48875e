// SPDX-License-Identifier: Apache-2.0
// The whole scene in a corner, and which part of it the picture shows.
import { toScene, toView, type Box, type Camera, type Point, type Size } from "./camera";

const most = { width: 168, height: 132 };
const share = { width: 0.16, height: 0.3 }; // of the picture
const least = 36;

/** As large as the scene's shape and the room in the picture allow; in pixels. */
export function mapSize(scene: Size, view: Size): Size {
  const [width, height] = [Math.min(most.width, share.width * view.width), Math.min(most.height, share.height * view.height)];
  const scale = Math.min(width / Math.max(1, scene.width), height / Math.max(1, scene.height));
  return { width: Math.max(least, Math.round(scene.width * scale)), height: Math.max(least, Math.round(scene.height * scale)) };
}

export function cameraOfMap(scene: Size, size: Size): Camera {
  return { x: scene.width / 2, y: scene.height / 2, zoom: Math.min(size.width / scene.width, size.height / scene.height) };
}

/** What the picture shows, in pixels of the map; null: all there is. */
export function windowOf(camera: Camera, view: Size, scene: Size, size: Size): Box | null {
  const [from, to] = [toScene(camera, view, { x: 0, y: 0 }), toScene(camera, view, { x: view.width, y: view.height })];
  if (from.x <= 0 && from.y <= 0 && to.x >= scene.width && to.y >= scene.height) return null;
  const map = cameraOfMap(scene, size);
  const [low, high] = [toView(map, size, from), toView(map, size, to)];
  const [left, top] = [Math.max(0, low.x), Math.max(0, low.y)];
  return { x: left, y: top, width: Math.min(size.width, high.x) - left, height: Math.min(size.height, high.y) - top };
}

/** The picture's middle where someone has pressed the map. */
export function lookingAt(camera: Camera, scene: Size, size: Size, pixel: Point): Camera {
  return { ...camera, ...toScene(cameraOfMap(scene, size), size, pixel) };
}
