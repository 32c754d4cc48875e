// SPDX-License-Identifier: Apache-2.0
// The page's end of a layout that a worker makes.
import type { Layout } from "./layout";
import { receivedTree, type Answer, type Request } from "./messages";
import type { OpGraph } from "./ops";
import { outlineOf } from "./outline";

/** What is used of a Worker. */
export interface Remote {
  onmessage: ((event: MessageEvent<Answer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(request: Request): void;
  terminate(): void;
}

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (problem: Error) => void;
}

/** Answers come in the order of requests. */
function asking(remote: Remote): (request: Request) => Promise<Answer> {
  const waiting: Waiting[] = [];
  let failure: Error | null = null;
  remote.onmessage = ({ data }) => {
    const next = waiting.shift();
    if ("problem" in data) next?.reject(new Error(data.problem));
    else next?.resolve(data);
  };
  remote.onerror = ({ message }) => {
    failure = new Error(message || "The layout cannot be loaded.");
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  return (request) =>
    new Promise((resolve, reject) => {
      if (failure) reject(failure);
      else {
        waiting.push({ resolve, reject });
        remote.postMessage(request);
      }
    });
}

type TreeAnswer = Extract<Answer, { tree: unknown }>;
type SceneAnswer = Extract<Answer, { scene: unknown }>;

export function remoteLayout(remote: Remote, graph: Promise<OpGraph>): Layout {
  const ask = asking(remote);
  const tree = graph.then((read) => ask({ graph: outlineOf(read) })).then((answer) => receivedTree((answer as TreeAnswer).tree));
  return {
    tree,
    show: (sizes, open) => tree.then(() => ask({ sizes, open })).then((answer) => (answer as SceneAnswer).scene),
    stop: () => remote.terminate(),
  };
}
