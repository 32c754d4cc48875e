// SPDX-License-Identifier: Apache-2.0
// Many strings as few things: thousands of small ones take long to send.
import { numbering } from "./known";

export interface Texts {
  all: string;
  ends: Int32Array; // where in it each one ends
}

export function sentTexts(texts: readonly string[]): Texts {
  let end = 0;
  return { all: texts.join(""), ends: Int32Array.from(texts, ({ length }) => (end += length)) };
}

export function receivedTexts({ all, ends }: Texts): string[] {
  return Array.from(ends, (end, index) => all.slice(ends[index - 1] ?? 0, end));
}

/** Of which many are equal. */
export interface Words {
  words: readonly string[];
  numbers: Int32Array; // of each
}

export function sentWords(texts: readonly string[]): Words {
  const known = new Map<string, number>();
  const numbers = Int32Array.from(texts, numbering(known));
  return { words: [...known.keys()], numbers };
}

export function receivedWords({ words, numbers }: Words): string[] {
  return Array.from(numbers, (number) => words[number]!);
}
