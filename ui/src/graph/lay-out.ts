// SPDX-License-Identifier: Apache-2.0
// Tree and layout of a graph, on the thread that calls. What has not changed is not laid out again.
import { sceneOf, type Shown } from "./assemble";
import { isEqual } from "./fill";
import { flowsOf } from "./flows";
import { treeOf } from "./grouping";
import { Groups } from "./groups";
import type { Sizes } from "./layout";
import { levelOf } from "./level";
import { endsOf, nestOf } from "./nest";
import type { Outline } from "./outline";
import type { Scene } from "./scene";
import type { Tree } from "./tree";

export interface Engine {
  readonly tree: Tree;
  show(sizes: Sizes, open: readonly number[]): Scene;
}

/** Those of `open` around which all is open, too; the root first, each behind the one around it. */
function visible({ ops, children }: Tree, open: readonly number[]): number[] {
  const isOpen = new Uint8Array(children.length);
  for (const node of open) if (node >= ops && node < ops + children.length) isOpen[node - ops] = 1;
  const groups = [ops];
  for (let index = 0; index < groups.length; ++index) {
    const inner = children[groups[index]! - ops]!;
    for (let place = 0; place < inner.length; ++place) {
      if (inner[place]! >= ops && isOpen[inner[place]! - ops]) groups.push(inner[place]!);
    }
  }
  return groups;
}

export function layOut(graph: Outline): Engine {
  const tree = treeOf(graph);
  const nest = nestOf(tree.ops, tree.children);
  const flows = flowsOf(tree.ops, tree.children.length, nest, endsOf(graph));
  const { carries } = graph; // names and the like are not kept
  const groups = new Groups(tree.ops, (index) => levelOf(flows, index, carries, tree.children[index]!));
  let [known, round] = [new Float32Array(), 0];
  return {
    tree,
    show(sizes, open) {
      if (!isEqual(sizes, known)) [known, round] = [sizes.slice(), round + 1];
      const nodes = visible(tree, open);
      const all = new Array<Shown>(nodes.length);
      const shownAt = new Array<Shown | null>(tree.children.length).fill(null);
      const openAt = (child: number) => shownAt[child - tree.ops]!;
      for (let index = nodes.length - 1; index >= 0; --index) {
        all[index] = shownAt[nodes[index]! - tree.ops] = groups.show(nodes[index]!, sizes, round, openAt);
      }
      return sceneOf(tree, sizes, all);
    },
  };
}
