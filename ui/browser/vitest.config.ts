// SPDX-License-Identifier: Apache-2.0
// Tests of the pages in Chromium; tests/gui.py makes the runs, starts the server and calls them.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["browser/**/*.test.ts"],
    fileParallelism: false, // one browser at a time: there are few cores
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
