// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { Answerer } from "./answers";
import { labelsOf } from "./labels";
import { layOut } from "./lay-out";
import type { Answer, Change, Frame, Request } from "./messages";
import { drawnOps } from "./ops";
import { outlineOf } from "./outline";
import { remoteLayout, type Remote } from "./remote";
import { planOf } from "./scene";
import { groupsOf, transformer } from "./testing/graphs";

const widthOf = (title: string) => 7 * title.length;

/** A worker on this thread: what goes to it and comes from it is copied, later. */
function fakeWorker(answer?: (request: Request) => Answer | Promise<Answer>): Remote & { stopped: boolean; changes: Change[] } {
  const answerer = new Answerer(widthOf);
  return {
    onmessage: null,
    onerror: null,
    stopped: false,
    changes: [],
    postMessage(request) {
      const sent = structuredClone(request);
      setTimeout(() => {
        if ("change" in sent) this.changes.push(sent);
        else {
          void Promise.resolve((answer ?? ((one) => answerer.answer(one)))(sent))
            .then((data) => this.onmessage?.({ data: structuredClone(data) } as MessageEvent<Answer>));
        }
      });
    },
    terminate() {
      this.stopped = true;
    },
  };
}

it("a worker gives the tree and the plans that there would be without it, in the order of the requests", async () => {
  const graph = transformer(2);
  const worker = fakeWorker();
  const layout = remoteLayout(worker, Promise.resolve(graph));
  const engine = layOut(outlineOf(graph));
  const { sizes } = labelsOf(drawnOps(graph), engine.tree, widthOf);
  const arrived: number[] = [];
  const asked = [[], groupsOf(engine.tree), []].map(async (open, index) => {
    const plan = await layout.show(open);
    arrived.push(index);
    expect(plan).toEqual({ ...planOf(engine.show(sizes, open)), number: index + 1 });
  });
  expect(await layout.tree).toEqual(engine.tree);
  await Promise.all(asked);
  expect(arrived).toEqual([0, 1, 2]);
  layout.stop();
  expect(worker.stopped).toBe(true);
});

it("changes are told without waiting, and pictures come whenever they are drawn", async () => {
  const worker = fakeWorker();
  const layout = remoteLayout(worker, Promise.resolve(transformer(1)));
  const frames: Frame[] = [];
  layout.onframe = (frame) => frames.push(frame);
  const asked = layout.tree;
  const frame = { sheet: "picture", bitmap: {} as ImageBitmap } as const;
  worker.onmessage?.({ data: frame } as MessageEvent<Frame>);
  layout.change({ ratio: 2 });
  await asked;
  await layout.show([]);
  expect(frames).toEqual([frame]);
  expect(worker.changes).toEqual([{ change: { ratio: 2 } }]);
});

it("what goes wrong in the worker is told", async () => {
  const layout = remoteLayout(fakeWorker(() => ({ problem: "no room" })), Promise.resolve(transformer(1)));
  await expect(layout.tree).rejects.toThrow("no room");
  await expect(layout.show([])).rejects.toThrow("no room");
});

it("a worker that cannot be loaded is told, then and later", async () => {
  const worker = fakeWorker();
  const layout = remoteLayout(worker, Promise.resolve(transformer(1)));
  worker.onerror?.({ message: "" } as ErrorEvent);
  await expect(layout.tree).rejects.toThrow("The layout cannot be loaded.");
  await expect(layout.show([])).rejects.toThrow("The layout cannot be loaded.");
});

it("a request before there is a graph is answered", async () => {
  expect(await new Answerer(widthOf).answer({ open: [] })).toEqual({ problem: "There is no graph." });
});
