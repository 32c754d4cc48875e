// SPDX-License-Identifier: Apache-2.0
// Rectangles, in units of a scene.
import type { Box, Point } from "./camera";

/** `boxes`: x, y, width and height of each. */
export function boxOf(boxes: Float32Array, index: number): Box {
  return { x: boxes[4 * index]!, y: boxes[4 * index + 1]!, width: boxes[4 * index + 2]!, height: boxes[4 * index + 3]! };
}

export function middleOf({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

export function overlap(one: Box, other: Box): boolean {
  return one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
}

/** Up to `beside` units outside of it, too. */
export function holds({ x, y, width, height }: Box, at: Point, beside = 0): boolean {
  return at.x >= x - beside && at.x <= x + width + beside && at.y >= y - beside && at.y <= y + height + beside;
}
