// SPDX-License-Identifier: Apache-2.0
// What browsers load of the pages, in kB (1,000 bytes) as they are, in gzip and in brotli as the server gives them:
//
//   node bench/page_sizes.mjs build/dev/server/ui
//
// Needs no browser. The folder is what `npm run build` writes in ui/, or what CMake has built of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const folder = process.argv[2];
if (!folder) throw new Error("usage: node bench/page_sizes.mjs FOLDER");

const loads = {
  "first page": ["index.html", "app.css", "app.js", "shared.js"],
  "graph, until it is drawn and answers": ["graph.js", "graph-worker.js"],
  "graph, for an SVG": ["graph-svg.js"],
};

const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
const row = (name, sizes) => console.log([name, ...sizes.map(kilobytes)].join("\t"));
const sum = (all) => all[0].map((_, form) => all.reduce((whole, sizes) => whole + sizes[form], 0));

console.log("loaded\tplain\tgzip\tbrotli");
for (const [name, files] of Object.entries(loads)) {
  const sizes = files.map((file) => {
    const bytes = readFileSync(join(folder, file));
    return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length]; // brotli's best is node's default
  });
  files.forEach((file, index) => row(`  ${file}`, sizes[index]));
  row(name, sum(sizes));
}
