// SPDX-License-Identifier: Apache-2.0
// The worker's end of a layout.
import { layOut, type Engine } from "./lay-out";
import { sentTree, type Answer, type Request } from "./messages";
import type { Scene } from "./scene";

/** What is handed over with a scene: nobody else holds it. */
export function buffersOf({ scene }: { scene: Scene }): ArrayBuffer[] {
  const { nodes, boxes, points, wires, edgeStarts, edges } = scene;
  return [nodes, boxes, points, wires, edgeStarts, edges].map(({ buffer }) => buffer as ArrayBuffer);
}

export function answerer(): (request: Request) => Answer {
  let engine: Engine | null = null;
  return (request) => {
    try {
      if ("graph" in request) {
        engine = layOut(request.graph);
        return { tree: sentTree(engine.tree) };
      }
      if (!engine) return { problem: "There is no graph." };
      return { scene: engine.show(request.sizes, request.open) };
    } catch (problem) {
      return { problem: String(problem) };
    }
  };
}
