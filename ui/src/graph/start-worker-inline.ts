// SPDX-License-Identifier: Apache-2.0
// In place of start-worker.ts where all is in one file: a page that was opened from a disk may read no file beside it.
import LayoutWorker from "./worker?worker&inline";

export function startWorker(): Worker {
  return new LayoutWorker();
}
