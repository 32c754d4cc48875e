// SPDX-License-Identifier: Apache-2.0
// How quick the web pages are on a run of 10,000 ops, in headless Chromium without a GPU:
//
//   bench_make_run FOLDER; quantlens serve --workspace FOLDER --allow-insecure-connections
//   node bench/pages.mjs URL TOKEN [--rounds 5]
//
// Prints, as medians over the rounds and the worst one: the first page (until rows of the table are painted), a sort, a
// search, CPU time of the main thread a frame while the table scrolls (95 % of frames), the tab's memory, and bytes that were sent.
import { Figures, frames, launch, quantile, tabMemory, window } from "./browser.mjs";

const [url, token, ...options] = process.argv.slice(2);
if (!url || !token) throw new Error("usage: node bench/pages.mjs URL TOKEN [--rounds 5]");
const rounds = options[0] === "--rounds" ? Number(options[1]) : 5;
const figures = new Figures();
const note = (name, value) => figures.note(name, value);

/** Milliseconds of the page from what `act` does until the frame after the one in which the table has changed. */
function painted(page, act) {
  return page.evaluate(`(async () => {
    const shown = () => document.querySelector("[role=grid]").textContent;
    const [before, begun] = [shown(), performance.now()];
    (${act})();
    while (shown() === before) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - begun;
  })()`);
}

/** As a scroll bar that is dragged: every frame shows other rows. */
const jump = `new Promise((done) => {
  let left = 60;
  const step = () => {
    if (left-- === 0) return done();
    document.querySelector("[role=grid]").scrollTop += 4000;
    requestAnimationFrame(step);
  };
  step();
})`;

async function round(browser) {
  const context = await window(browser, token);
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  let [sent, own] = [0, 0];
  const addresses = new Map();
  client.on("Network.responseReceived", ({ requestId, response }) => addresses.set(requestId, new URL(response.url).pathname));
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    sent += encodedDataLength;
    if (!addresses.get(requestId)?.includes("/api/")) own += encodedDataLength;
  });
  const begun = Date.now();
  await page.goto(url);
  await page.waitForSelector("[role=grid] [role=row] [role=gridcell]");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  note("first page [ms]", Date.now() - begun);
  note("pages sent [kB]", own / 1000);
  note("all sent [kB]", sent / 1000);
  await page.waitForTimeout(2000); // a reader looks at it first
  note("sort [ms]", await painted(page, "() => document.querySelectorAll('[role=columnheader]')[0].click()"));
  note(
    "search [ms]",
    await painted(
      page,
      `() => { const input = document.querySelector('[data-query]'); input.value = 'layer.77 & sqnr<20'; input.dispatchEvent(new Event('input', { bubbles: true })); }`,
    ),
  );
  await page.fill("[data-query]", "");
  await page.waitForTimeout(300);
  const middle = await page.evaluate(() => {
    const { left, top, width, height } = document.querySelector("[role=grid]").getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  });
  const wheel = await frames(browser, page, () => client.send("Input.synthesizeScrollGesture", { ...middle, yDistance: -6000, speed: 1500 }));
  note("scrolling by the wheel, main thread a frame, p95 [ms]", quantile(wheel.cpu, 0.95));
  const jumps = await frames(browser, page, () => page.evaluate(jump));
  note("jumps of 4,000 px, main thread a frame, p95 [ms]", quantile(jumps.cpu, 0.95));
  note("memory of the tab [MB]", await tabMemory(browser));
  await context.close();
}

const browser = await launch();
for (let i = 0; i < rounds; ++i) await round(browser);
await browser.close();
figures.tell();
