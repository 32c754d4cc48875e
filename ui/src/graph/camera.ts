// SPDX-License-Identifier: Apache-2.0
// Which part of a scene is seen, and how near. Pixels are those of the page, counted from the picture's upper left corner.

export interface Camera {
  x: number; // the point of the scene in the middle of the picture
  y: number;
  zoom: number; // pixels a unit
}

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Point, Size {}

export const nearest = 3;
const margin = 24; // pixels around what fits

export function toScene(camera: Camera, view: Size, pixel: Point): Point {
  return { x: camera.x + (pixel.x - view.width / 2) / camera.zoom, y: camera.y + (pixel.y - view.height / 2) / camera.zoom };
}

export function toView(camera: Camera, view: Size, point: Point): Point {
  return { x: (point.x - camera.x) * camera.zoom + view.width / 2, y: (point.y - camera.y) * camera.zoom + view.height / 2 };
}

/** As a hand drags the paper. */
export function panned(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom };
}

/** All of the box is seen, no larger than drawn at `most` pixels a unit. */
export function fitted(box: Box, view: Size, most = 1): Camera {
  const [width, height] = [Math.max(1, view.width - 2 * margin), Math.max(1, view.height - 2 * margin)];
  const zoom = Math.min(most, width / Math.max(1, box.width), height / Math.max(1, box.height));
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, zoom };
}

/** Nearer by a factor, or farther; the point of the scene at the pixel stays there. */
export function zoomed(camera: Camera, view: Size, factor: number, at: Point, farthest: number): Camera {
  const zoom = Math.min(nearest, Math.max(farthest, camera.zoom * factor));
  const still = toScene(camera, view, at);
  return { zoom, x: still.x - (at.x - view.width / 2) / zoom, y: still.y - (at.y - view.height / 2) / zoom };
}

/** How far one may go: the whole scene at half the size at which it fits. */
export function farthestOf(scene: Size, view: Size): number {
  return Math.min(0.5, fitted({ x: 0, y: 0, ...scene }, view).zoom / 2);
}

/** Where the scene has become another one, in which what was at `from` is at `to`. */
export function anchored(camera: Camera, from: Point, to: Point): Camera {
  return { ...camera, x: camera.x + to.x - from.x, y: camera.y + to.y - from.y };
}

/** The box in the middle, near enough to read it. */
export function centred(camera: Camera, view: Size, box: Box): Camera {
  const whole = fitted(box, view).zoom;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, zoom: Math.min(whole, Math.max(camera.zoom, 0.9)) };
}

/** How far a span has to move to lie in another one; its beginning where it is longer. */
function into(from: number, to: number, low: number, high: number): number {
  if (from < low || to - from > high - low) return low - from;
  return to > high ? high - to : 0;
}

/** Moved just so far that the box is in sight, `inset` pixels from the edge where there is room for that; the same one where it is. */
export function showing(camera: Camera, view: Size, box: Box, inset: number): Camera {
  const [from, to] = [toView(camera, view, box), toView(camera, view, { x: box.x + box.width, y: box.y + box.height })];
  const [besides, above] = [Math.min(inset, view.width / 4), Math.min(inset, view.height / 4)];
  const dx = into(from.x, to.x, besides, view.width - besides);
  const dy = into(from.y, to.y, above, view.height - above);
  return dx === 0 && dy === 0 ? camera : panned(camera, dx, dy);
}

/** Not so far away that nothing of the scene is seen. */
export function bounded(camera: Camera, scene: Size): Camera {
  const x = Math.min(scene.width, Math.max(0, camera.x));
  const y = Math.min(scene.height, Math.max(0, camera.y));
  return x === camera.x && y === camera.y ? camera : { ...camera, x, y };
}

/** As an address holds it. */
export function cameraText(camera: Camera): string {
  return [camera.x.toFixed(0), camera.y.toFixed(0), camera.zoom.toPrecision(3)].join(",");
}

export function cameraOf(text: string | undefined): Camera | null {
  const [x, y, zoom, ...more] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || zoom === undefined || more.length > 0) return null;
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? { x, y, zoom: Math.min(nearest, zoom) } : null;
}
