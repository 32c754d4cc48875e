// SPDX-License-Identifier: Apache-2.0
import { answerer, buffersOf } from "./answers";
import type { Request } from "./messages";

const answer = answerer();

self.onmessage = ({ data }: MessageEvent<Request>) => {
  const given = answer(data);
  self.postMessage(given, { transfer: "scene" in given ? buffersOf(given) : [] });
};
