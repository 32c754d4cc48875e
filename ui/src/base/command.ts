// SPDX-License-Identifier: Apache-2.0
// What the palette offers.

export interface Command {
  title: string;
  group: string; // "View", "Copy", ...
  run: () => void;
}

/** How well a text has the letters that were typed, in their order; higher is better, NaN: it has not. */
export function match(text: string, typed: string): number {
  const [inside, wanted] = [text.toLowerCase(), typed.toLowerCase().trim()];
  const whole = inside.indexOf(wanted);
  if (whole >= 0) return 1000 - whole - inside.length / 1000;
  let [at, gaps] = [-1, 0];
  for (const letter of wanted.replaceAll(" ", "")) {
    const next = inside.indexOf(letter, at + 1);
    if (next < 0) return NaN;
    if (at >= 0 && next > at + 1) gaps += 1;
    at = next;
  }
  return 500 - 20 * gaps - inside.length / 1000;
}

/** The best of them, best first. */
export function best<T>(all: readonly T[], text: (one: T) => string, typed: string, most: number): T[] {
  if (typed.trim() === "") return all.slice(0, most);
  return all
    .map((one) => ({ one, score: match(text(one), typed) }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => one);
}
