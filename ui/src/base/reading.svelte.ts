// SPDX-License-Identifier: Apache-2.0
import { isMissing } from "../api/client";

/** What a view reads, once more whenever what `ask` looks at has changed. Null until then; `none` where there is nothing, or an error. */
export function reading<T>(ask: (signal: AbortSignal) => Promise<T>, none: T): { readonly value: T | null; readonly error: string } {
  let value = $state.raw<T | null>(null);
  let error = $state("");

  $effect(() => {
    const stop = new AbortController();
    error = "";
    ask(stop.signal).then(
      (found) => {
        if (!stop.signal.aborted) value = found;
      },
      (problem: unknown) => {
        if (stop.signal.aborted) return;
        value = none;
        error = isMissing(problem) ? "" : (problem as Error).message;
      },
    );
    return () => stop.abort();
  });

  return {
    get value() {
      return value;
    },
    get error() {
      return error;
    },
  };
}
