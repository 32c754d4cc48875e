// SPDX-License-Identifier: Apache-2.0
// How soon a report can be read, in headless Chromium without a GPU and with the network off:
//
//   node bench/report.mjs FILE.html... [--rounds 5]
//
// Prints of each file, in turn over the rounds, the time since the navigation began until a row of its op table is painted.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Figures, launch, window } from "./browser.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--rounds");
const rounds = at < 0 ? 5 : Number(words[at + 1]);
const files = at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 2)];
if (files.length === 0 || !(rounds > 0)) throw new Error("usage: node bench/report.mjs FILE.html... [--rounds 5]");

const firstRow = () =>
  new Promise((done) => {
    const look = () => {
      const cell = document.querySelector("[role=grid] [role=row] [role=gridcell]");
      if (cell?.textContent) requestAnimationFrame(() => setTimeout(() => done(performance.now())));
      else setTimeout(look, 5);
    };
    look();
  });

const figures = new Figures();
const browser = await launch();
for (let round = 0; round < rounds; ++round) {
  for (const file of files) {
    const context = await window(browser);
    await context.setOffline(true);
    const page = await context.newPage();
    await page.goto(pathToFileURL(resolve(file)).href, { waitUntil: "commit" });
    figures.note(`${file}: first row (ms)`, await page.evaluate(firstRow));
    await context.close();
  }
}
await browser.close();
figures.tell();
