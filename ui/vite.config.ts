// SPDX-License-Identifier: Apache-2.0
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./", // the page works below any prefix
  plugins: [svelte()],
  build: {
    // The server knows its files by name; their ETags say what is new.
    rollupOptions: {
      output: { entryFileNames: "app.js", assetFileNames: "app.[ext]", inlineDynamicImports: true },
    },
    modulePreload: { polyfill: false },
    target: "es2022",
  },
});
