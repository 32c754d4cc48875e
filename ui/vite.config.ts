// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from "node:url";

import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { BuildOptions } from "vite";
import { defineConfig } from "vitest/config";

/** Views and dialogs that are not on the first page are files of their own, with the charts that they share. */
function chunkOf(id: string): string | undefined {
  if (/uplot|widgets\/Plot\.svelte/.test(id)) return "plot";
  if (/\/node_modules\/|\/src\/(api|base|widgets)\/|^\0/.test(id)) return "shared";
  if (/\/src\/(features\/)?graph\//.test(id)) return "graph";
  return /\/features\/(accuracy|costs|floats|jobs|network|palette|profile|tuning)\//.exec(id)?.[1];
}

/** The server knows its files by name; their ETags say what is new. */
const served: BuildOptions["rollupOptions"] = {
  output: { entryFileNames: "app.js", assetFileNames: "app.[ext]", chunkFileNames: "[name].js", manualChunks: chunkOf },
};

/** What public/report.html has in itself. */
const reported: BuildOptions["rollupOptions"] = {
  input: "src/app/main.ts",
  output: { entryFileNames: "report.js", assetFileNames: "report.[ext]", inlineDynamicImports: true },
};

export default defineConfig(({ mode }) => {
  const isReport = mode === "report";
  const inline = fileURLToPath(new URL("src/graph/start-worker-inline.ts", import.meta.url));
  return {
    base: "./", // the page works below any prefix
    plugins: [svelte()],
    resolve: { alias: isReport ? [{ find: /^\.\/start-worker$/, replacement: inline }] : [] },
    build: {
      rollupOptions: isReport ? reported : served,
      copyPublicDir: !isReport,
      cssCodeSplit: false,
      modulePreload: isReport ? false : { polyfill: false },
      chunkSizeWarningLimit: isReport ? 1000 : 500, // kB
      target: "es2022",
      minify: "terser", // its files are 6 % smaller in brotli than those of esbuild
      terserOptions: { ecma: 2020, compress: { passes: 2 } },
    },
    // Not every browser starts a module from a blob of a page that was opened from a disk.
    worker: {
      format: isReport ? "iife" : "es",
      rollupOptions: { output: isReport ? { inlineDynamicImports: true } : { entryFileNames: "graph-worker.js", chunkFileNames: "graph-[name].js" } },
    },
    // Functions without a page: no process for each file.
    test: { include: ["src/**/*.test.ts"], pool: "threads", isolate: false, testTimeout: 120_000 },
  };
});
