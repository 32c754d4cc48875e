// SPDX-License-Identifier: Apache-2.0
// Builds the pages twice into one folder: as files that a server gives, and as what a report has in itself.
import { parseArgs } from "node:util";

import { build } from "vite";

const { values } = parseArgs({ options: { outDir: { type: "string" }, emptyOutDir: { type: "boolean" }, logLevel: { type: "string" } } });
const { outDir = "dist", emptyOutDir = null, logLevel = "info" } = values;

await build({ logLevel, build: { outDir, emptyOutDir } });
await build({ mode: "report", logLevel, build: { outDir, emptyOutDir: false } });
