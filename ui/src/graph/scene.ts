// SPDX-License-Identifier: Apache-2.0
// What a laid out graph looks like, in units of a picture that is not zoomed. Equal input gives an equal scene.

/** Where boxes lie, and for what wires stand: all that a page needs that does not draw it. */
export interface Plan {
  nodes: Int32Array; // of each box: the node of the tree that it shows
  boxes: Float32Array; // x, y, width and height of each
  frames: number; // the first so many boxes are open groups, outer ones first; the others are ops and closed groups
  edgeStarts: Int32Array; // where in edges those of each wire begin, and one more: the end
  edges: Int32Array; // edges of the OpGraph that each wire stands for; one that passes borders of groups has a wire at each level
  width: number;
  height: number;
}

export interface Scene extends Plan {
  points: Float32Array; // x and y of the points of all wires
  wires: Int32Array; // where in points each wire begins, and one more: the end. Counted in points
}

export function planOf({ nodes, boxes, frames, edgeStarts, edges, width, height }: Scene): Plan {
  return { nodes, boxes, frames, edgeStarts, edges, width, height };
}
