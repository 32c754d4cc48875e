// SPDX-License-Identifier: Apache-2.0
// The layout, off the main thread.
import type { OpGraph } from "./ops";
import { remoteLayout } from "./remote";
import type { Scene } from "./scene";
import { startWorker } from "./start-worker";
import type { Tree } from "./tree";

/** Width and height that the box of each node needs, by the tree's numbers: of a group while it is closed. */
export type Sizes = Float32Array;

export interface Layout {
  readonly tree: Promise<Tree>;
  /**
   * `open`: groups that show what is in them. Only what has changed is laid out anew. Scenes arrive in the order in
   * which they were asked for.
   */
  show(sizes: Sizes, open: readonly number[]): Promise<Scene>;
  /** What has not arrived never does. */
  stop(): void;
}

/** The worker starts while the graph is still being read. */
export function layoutOf(graph: Promise<OpGraph>): Layout {
  return remoteLayout(startWorker(), graph);
}
