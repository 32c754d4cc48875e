// SPDX-License-Identifier: Apache-2.0
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** Views and dialogs that are not on the first page are files of their own, with the charts that they share. */
function chunkOf(id: string): string | undefined {
  if (/uplot|widgets\/Plot\.svelte/.test(id)) return "plot";
  if (/\/node_modules\/|\/src\/(api|base|widgets)\/|^\0/.test(id)) return "shared";
  if (/\/src\/(features\/)?graph\//.test(id)) return "graph";
  return /\/features\/(accuracy|costs|floats|jobs|network|palette|profile|tuning)\//.exec(id)?.[1];
}

export default defineConfig({
  base: "./", // the page works below any prefix
  plugins: [svelte()],
  build: {
    // The server knows its files by name; their ETags say what is new.
    rollupOptions: {
      output: { entryFileNames: "app.js", assetFileNames: "app.[ext]", chunkFileNames: "[name].js", manualChunks: chunkOf },
    },
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "graph-worker.js" } } },
  // Functions without a page: no process for each file.
  test: { include: ["src/**/*.test.ts"], pool: "threads", isolate: false, testTimeout: 120_000 },
});
