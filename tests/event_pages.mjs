// SPDX-License-Identifier: Apache-2.0
// What TensorBoard's pages show in Chromium, as JSON: event_pages.mjs PLAYWRIGHT CHROMIUM ADDRESS [FOLDER FOR PICTURES]
const [, , playwright, chromium, address, pictures] = process.argv;
const browser = await (await import(playwright)).chromium.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });

// Its tabs fill themselves as answers come; what `count` finds is there when it has not changed for a second.
async function shown(tab, what) {
  await page.goto(`${address}#${tab}`);
  const found = page.locator(what);
  await found.first().waitFor({ state: "attached", timeout: 60_000 });
  for (let last = -1; last !== (await found.count()); await page.waitForTimeout(1000)) last = await found.count();
  if (pictures) await page.screenshot({ path: `${pictures}/${tab}.png` });
  return found;
}

const cards = [];
for (const card of await (await shown("histograms", "tf-histogram-loader")).all()) {
  cards.push({
    tag: await card.evaluate((one) => one.tag),
    curves: await card.locator("g.histogram path").count(),
    colours: new Set(await card.locator("g.histogram path").evaluateAll((all) => all.map((one) => getComputedStyle(one).fill))).size,
  });
}
const nodes = await (await shown("graphs", "g.node")).count();
const cells = await (await shown("hparams", "vaadin-grid-cell-content")).allInnerTexts();
const runs = await page.evaluate(async () => await (await fetch("data/runs")).json());
console.log(JSON.stringify({ cards, nodes, cells: cells.map((text) => text.trim()).filter(Boolean), runs }));
await browser.close();
