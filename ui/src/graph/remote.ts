// SPDX-License-Identifier: Apache-2.0
// The page's end of a layout that a worker makes.
import type { Layout } from "./layout";
import { receivedTree, sentOps, type Answer, type Change, type Frame, type Request } from "./messages";
import { drawnOps, type OpGraph } from "./ops";

/** What is used of a Worker. */
export interface Remote {
  onmessage: ((event: MessageEvent<Answer | Frame>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(request: Request | Change): void;
  terminate(): void;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (problem: Error) => void;
}

type Of<Name extends string> = Extract<Answer, Record<Name, unknown>>;

/** Answers come in the order of requests. */
function asking(remote: Remote, onframe: (frame: Frame) => void): <Name extends string>(request: Request) => Promise<Of<Name>> {
  const waiting: Waiting[] = [];
  let failure: Error | null = null;
  remote.onmessage = ({ data }) => {
    if ("bitmap" in data) {
      onframe(data);
      return;
    }
    const next = waiting.shift();
    if ("problem" in data) next?.reject(new Error(data.problem));
    else next?.resolve(data);
  };
  remote.onerror = ({ message }) => {
    failure = new Error(message || "The layout cannot be loaded.");
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  return <Name extends string>(request: Request) =>
    new Promise<Of<Name>>((resolve, reject) => {
      if (failure) reject(failure);
      else {
        waiting.push({ resolve: resolve as Waiting["resolve"], reject });
        remote.postMessage(request);
      }
    });
}

export function remoteLayout(remote: Remote, graph: Promise<OpGraph>): Layout {
  const ask = asking(remote, (frame) => layout.onframe?.(frame));
  const tree = graph.then((read) => ask<"tree">({ graph: sentOps(drawnOps(read)) })).then((answer) => receivedTree(answer.tree));
  const layout: Layout = {
    tree,
    show: (open) => tree.then(() => ask<"plan">({ open })).then(({ plan }) => plan),
    change: (change) => remote.postMessage({ change }),
    onframe: null,
    at: (camera, view, pixel) => ask<"spot">({ camera, view, pixel }).then(({ spot }) => spot),
    svg: (caption) => ask<"svg">({ caption }).then(({ svg }) => svg),
    stop: () => remote.terminate(),
  };
  return layout;
}
