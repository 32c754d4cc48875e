// SPDX-License-Identifier: Apache-2.0
// The worker's end: what is asked of a drawing, once it has a graph.
import { Drawing } from "./drawing";
import { receivedOps, sentTree, type Answer, type Change, type Request } from "./messages";

export class Answerer {
  drawing: Drawing | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly widthOf: (title: string) => number) {}

  /** In the order of the requests, whatever each of them takes. */
  answer(request: Request): Promise<Answer> {
    return (this.last = this.last.then(() => this.found(request)).catch((problem: unknown) => ({ problem: String(problem) })));
  }

  private async found(request: Request): Promise<Answer> {
    if ("graph" in request) {
      this.drawing = new Drawing(receivedOps(request.graph), this.widthOf);
      return { tree: sentTree(this.drawing.tree) };
    }
    const { drawing } = this;
    if (!drawing) return { problem: "There is no graph." };
    if ("open" in request) return { plan: drawing.show(request.open) };
    if ("caption" in request) return { svg: await drawing.svg(request.caption) };
    return { spot: drawing.at(request.camera, request.view, request.pixel) };
  }

  change({ change }: Change): void {
    this.drawing?.change(change);
  }
}
