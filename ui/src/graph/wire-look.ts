// SPDX-License-Identifier: Apache-2.0
// What wires look like, by the edges for which they stand.
import { boxOf, holds } from "./box";
import type { Edges } from "./ops";
import { steps, type WireLook } from "./paint-look";
import type { Scene } from "./scene";
import type { Shown } from "./shown";

/** Of edges that share a wire the one with most error tells. */
function worseStroke(one: number, other: number): number {
  const stepOf = (stroke: number) => (stroke > steps ? stroke - steps : stroke);
  return stepOf(other) > stepOf(one) ? other : one;
}

/** `strokes`: of each edge; null: all wires are alike. `lit`: ops that the way of an error passes; what joins it there is lit, too. */
export function wireLook(shown: Shown<Edges>, scene: Scene, strokes: Uint8Array | null, lit: Uint8Array | null): WireLook {
  const { graph } = shown;
  const count = scene.wires.length - 1;
  const reached = lit && reachedBy(graph, lit);
  const look = {
    strokes: new Uint8Array(count), wireOf: new Int32Array(scene.points.length / 2), heads: new Uint8Array(count),
    lit: lit && new Uint8Array(count), word: (wire: number) => wordOf(shown, wire),
  };
  for (let wire = 0; wire < count; ++wire) {
    look.wireOf.fill(wire, scene.wires[wire]!, scene.wires[wire + 1]!);
    look.heads[wire] = endsAtReader(shown, scene, wire) ? 1 : 0;
    for (let index = scene.edgeStarts[wire]!; index < scene.edgeStarts[wire + 1]!; ++index) {
      const edge = scene.edges[index]!;
      if (strokes) look.strokes[wire] = worseStroke(look.strokes[wire]!, strokes[edge]!);
      if (reached && reached[graph.target[edge]!] === 1) look.lit![wire] = 1;
    }
  }
  return look;
}

/** Of each op whether it reads what one of these makes, and is one of them. */
function reachedBy({ source, target }: Edges, lit: Uint8Array): Uint8Array {
  const reached = new Uint8Array(lit.length);
  for (let edge = 0; edge < source.length; ++edge) if (lit[source[edge]!] === 1 && lit[target[edge]!] === 1) reached[target[edge]!] = 1;
  return reached;
}

/** Not at the border of an open group, behind which it goes on. */
function endsAtReader(shown: Shown<Edges>, scene: Scene, wire: number): boolean {
  const edge = scene.edges[scene.edgeStarts[wire]!];
  if (edge === undefined) return false;
  const box = shown.of(shown.graph.target[edge]!);
  const end = scene.wires[wire + 1]! - 1;
  return !shown.isFrame(box) && holds(boxOf(scene.boxes, box), { x: scene.points[2 * end]!, y: scene.points[2 * end + 1]! }, 1);
}

function wordOf({ graph, scene: { edges, edgeStarts } }: Shown<Edges>, wire: number): string {
  const carried = new Set<number>();
  for (let index = edgeStarts[wire]!; index < edgeStarts[wire + 1]!; ++index) carried.add(graph.carries[edges[index]!]!);
  const [first] = carried;
  return first === undefined ? "" : carried.size === 1 ? graph.words[first]! : `${carried.size} values`;
}
