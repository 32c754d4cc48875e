// SPDX-License-Identifier: Apache-2.0
// What a saved picture is of, in words below it: the quantity, the op, the run.
import { getContext, setContext } from "svelte";

const key = Symbol("the run that is shown");

/** As long as a component is set up: pictures in it are of this run. */
export function setPictured(run: () => string): void {
  setContext(key, run);
}

export function pictured(): () => string {
  return getContext<(() => string) | undefined>(key) ?? (() => "");
}

/** "digits broken (20261127-160809-…)", and what was done. */
export function runCaption(run: { id: string; name: string; verb: string }): string {
  return [run.verb, run.name && run.name !== run.id ? `${run.name} (${run.id})` : run.id].filter(Boolean).join(" of ");
}

/** The quantity and what it is of, then the run; each begins a line. */
export function captionOf(title: string, of: string, run: string): string[] {
  return [[title, of].filter(Boolean).join(": "), run].filter(Boolean);
}

/** Lines no wider than `most`: broken behind spaces, between parts of names, else between letters. */
export function wrapped(text: string, most: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of text.match(/\/?[^\s/.,:_-]*[.,:_-]*\s*/g)?.filter(Boolean) ?? []) {
    if (line && widthOf((line + part).trimEnd()) > most) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += part;
    while (widthOf(line.trimEnd()) > most && line.length > 1) {
      let fit = line.length - 1;
      while (fit > 1 && widthOf(line.slice(0, fit)) > most) --fit;
      lines.push(line.slice(0, fit));
      line = line.slice(fit);
    }
  }
  return line.trimEnd() ? [...lines, line.trimEnd()] : lines;
}
