// SPDX-License-Identifier: Apache-2.0

/** The layout's worker, a file beside the pages. */
export function startWorker(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
}
