// SPDX-License-Identifier: Apache-2.0
// What is written in boxes, and how large they are for it. Sizes do not depend on figures: a picture that is coloured anew stays as it is.
import { remembered } from "./known";
import type { Sizes } from "./layout";
import { isEnd, type DrawnOps } from "./ops";
import type { Tree } from "./tree";

export interface Labels {
  titles: readonly string[]; // of each node
  widths: Float32Array; // of the titles, in units
  marks: readonly string[];
  sizes: Sizes;
}

const [least, most, edge] = [76, 260, 10]; // units
const heights = { op: 40, group: 46 };
const room = { sign: 16, letter: 6.6, group: 150 }; // group: for what stands in its second line

/** "com.microsoft.QLinearConv" is QLinearConv. */
function shortType(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/** `widthOf`: of a title, in units. */
export function labelsOf(graph: DrawnOps, tree: Tree, widthOf: (title: string) => number): Labels {
  const nodes = tree.parent.length;
  const cache = new Map<string, number>();
  const measured = (title: string) => remembered(cache, title, () => widthOf(title));
  const titles = Array.from({ length: nodes }, (_, node) => fitting(titleOf(graph, tree, node), most - 2 * edge - room.sign, measured));
  const widths = Float32Array.from(titles, measured);
  const marks = marksOf(graph, tree);
  const sizes = new Float32Array(2 * nodes);
  for (let node = 0; node < nodes; ++node) {
    const isGroup = node >= tree.ops;
    const beside = marks[node]!.length * room.letter * (isGroup ? 1 : 2); // titles of ops stand in the middle
    const own = widths[node]! + 2 * edge + beside + (isGroup ? room.sign : 0);
    sizes[2 * node] = Math.ceil(Math.min(most, Math.max(isGroup ? room.group : least, own)));
    sizes[2 * node + 1] = isGroup ? heights.group : heights.op;
  }
  return { titles, widths, marks, sizes };
}

function titleOf(graph: DrawnOps, tree: Tree, node: number): string {
  if (node >= tree.ops) return tree.labels[node - tree.ops]!;
  return isEnd(graph, node) ? graph.names[node]! : shortType(graph.types[node]!);
}

/** Its end is what tells it from others. */
function fitting(title: string, most: number, widthOf: (title: string) => number): string {
  const width = widthOf(title);
  return width <= most ? title : `…${title.slice(title.length - Math.floor((title.length * most) / width) + 1)}`;
}

/** How many ops hang on a box; how many blocks are like a group. */
function marksOf(graph: DrawnOps, tree: Tree): string[] {
  const hanging = new Int32Array(tree.ops);
  for (const host of graph.host) if (host >= 0) hanging[host]! += 1;
  const alike = new Map<number, number>();
  for (const number of tree.alike) if (number >= 0) alike.set(number, (alike.get(number) ?? 0) + 1);
  return Array.from({ length: tree.parent.length }, (_, node) => {
    if (node < tree.ops) return hanging[node]! > 0 ? `+${hanging[node]!}` : "";
    const like = alike.get(tree.alike[node - tree.ops]!) ?? 1;
    return like > 1 ? `1 of ${like} alike` : "";
  });
}
