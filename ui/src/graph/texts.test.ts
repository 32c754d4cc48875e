// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { receivedTexts, receivedWords, sentTexts, sentWords } from "./texts";

it.each([[[]], [["/a/Conv", "", "line\nbreak", "né"]], [["Conv", "Relu", "Conv"]]])("%j arrive as they were sent", (texts: string[]) => {
  expect(receivedTexts(sentTexts(texts))).toEqual(texts);
  expect(receivedWords(sentWords(texts))).toEqual(texts);
});

it("equal words are sent once", () => {
  expect(sentWords(["Conv", "Relu", "Conv"])).toEqual({ words: ["Conv", "Relu"], numbers: Int32Array.from([0, 1, 0]) });
});
