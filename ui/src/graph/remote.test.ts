// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { answerer, buffersOf } from "./answers";
import { layOut } from "./lay-out";
import type { Answer, Request } from "./messages";
import { outlineOf } from "./outline";
import { remoteLayout, type Remote } from "./remote";
import { groupsOf, sizesOf, transformer } from "./testing/graphs";

/** A worker on this thread: what goes to it and comes from it is copied, later. */
function fakeWorker(answer: (request: Request) => Answer = answerer()): Remote & { stopped: boolean } {
  return {
    onmessage: null,
    onerror: null,
    stopped: false,
    postMessage(request) {
      const sent = structuredClone(request);
      setTimeout(() => {
        const given = answer(sent);
        const data = structuredClone(given, { transfer: "scene" in given ? buffersOf(given) : [] });
        this.onmessage?.({ data } as MessageEvent<Answer>);
      });
    },
    terminate() {
      this.stopped = true;
    },
  };
}

it("a worker gives the tree and the scenes that there would be without it, in the order of the requests", async () => {
  const graph = transformer(2);
  const worker = fakeWorker();
  const layout = remoteLayout(worker, Promise.resolve(graph));
  const engine = layOut(outlineOf(graph));
  const sizes = sizesOf(engine.tree);
  const arrived: number[] = [];
  const asked = [[], groupsOf(engine.tree), []].map(async (open, index) => {
    const scene = await layout.show(sizes, open);
    arrived.push(index);
    expect(scene).toEqual(engine.show(sizes, open));
  });
  expect(await layout.tree).toEqual(engine.tree);
  await Promise.all(asked);
  expect(arrived).toEqual([0, 1, 2]);
  layout.stop();
  expect(worker.stopped).toBe(true);
});

it("what goes wrong in the worker is told", async () => {
  const layout = remoteLayout(fakeWorker(() => ({ problem: "no room" })), Promise.resolve(transformer(1)));
  await expect(layout.tree).rejects.toThrow("no room");
  await expect(layout.show(new Float32Array(), [])).rejects.toThrow("no room");
});

it("a worker that cannot be loaded is told, then and later", async () => {
  const worker = fakeWorker();
  const layout = remoteLayout(worker, Promise.resolve(transformer(1)));
  worker.onerror?.({ message: "" } as ErrorEvent);
  await expect(layout.tree).rejects.toThrow("The layout cannot be loaded.");
  await expect(layout.show(new Float32Array(), [])).rejects.toThrow("The layout cannot be loaded.");
});

it("a request before there is a graph is answered", () => {
  expect(answerer()({ sizes: new Float32Array(), open: [] })).toEqual({ problem: "There is no graph." });
});
