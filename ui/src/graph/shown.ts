// SPDX-License-Identifier: Apache-2.0
// Which box of a scene stands for an op: its own, its host's, or that of the closed group in which it lies.
import type { Edges, OpGraph } from "./ops";
import type { Plan } from "./scene";
import type { Tree } from "./tree";

export class Shown<Graph extends OpGraph | Edges = OpGraph> {
  private readonly boxOf: Int32Array; // of each node of the tree; -1: it has none

  constructor(
    readonly graph: Graph,
    readonly tree: Tree,
    readonly scene: Plan,
  ) {
    this.boxOf = new Int32Array(tree.parent.length).fill(-1);
    scene.nodes.forEach((node, box) => (this.boxOf[node] = box));
  }

  /** -1: there is none. Of an open group its frame. */
  of(node: number): number {
    let at = node;
    while (at < this.tree.ops && this.graph.host[at]! >= 0) at = this.graph.host[at]!;
    while (at >= 0 && this.boxOf[at]! < 0) at = this.tree.parent[at]!;
    return at < 0 ? -1 : this.boxOf[at]!;
  }

  isFrame(box: number): boolean {
    return box >= 0 && box < this.scene.frames;
  }
}
