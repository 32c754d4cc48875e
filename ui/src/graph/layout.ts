// SPDX-License-Identifier: Apache-2.0
// The layout and its pictures, off the main thread.
import type { Camera, Point, Size } from "./camera";
import type { Drawn, Numbered, Spot } from "./drawing";
import type { Frame } from "./messages";
import type { OpGraph } from "./ops";
import { remoteLayout } from "./remote";
import { startWorker } from "./start-worker";
import type { Tree } from "./tree";

/** Width and height that the box of each node needs, by the tree's numbers: of a group while it is closed. */
export type Sizes = Float32Array;

export interface Layout {
  readonly tree: Promise<Tree>;
  /** `open`: groups that show what is in them. Only what has changed is laid out anew. Plans arrive in the order of the requests. */
  show(open: readonly number[]): Promise<Numbered>;
  /** A picture of it arrives at `onframe`; one for all changes until then. */
  change(change: Partial<Drawn>): void;
  onframe: ((frame: Frame) => void) | null;
  /** In the picture that was drawn last. */
  at(camera: Camera, view: Size, pixel: Point): Promise<Spot>;
  svg(caption: readonly string[]): Promise<string>;
  /** What has not arrived never does. */
  stop(): void;
}

/** The worker starts while the graph is still being read. */
export function layoutOf(graph: Promise<OpGraph>): Layout {
  return remoteLayout(startWorker(), graph);
}
