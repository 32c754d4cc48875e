// SPDX-License-Identifier: Apache-2.0
// How quick the web pages are on a run of 10,000 ops, in headless Chromium without a GPU:
//
//   bench_make_run FOLDER; quantlens serve --workspace FOLDER --allow-insecure-connections
//   node bench/pages.mjs URL TOKEN [--rounds 5]
//
// Prints, as medians over the rounds and the worst one: the first page (until rows of the table are painted), a sort, a
// search, CPU time of the main thread a frame while the table scrolls (95 % of frames), the tab's memory, and bytes that were sent.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../ui/", import.meta.url))("playwright-core");
const [url, token, ...options] = process.argv.slice(2);
if (!url || !token) throw new Error("usage: node bench/pages.mjs URL TOKEN [--rounds 5]");
const rounds = options[0] === "--rounds" ? Number(options[1]) : 5;

const figures = new Map();
function note(name, value) {
  figures.set(name, [...(figures.get(name) ?? []), value]);
}
const sorted = (values) => [...values].sort((a, b) => a - b);
const quantile = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(share * values.length))];

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

/** Of the processes that draw pages: memory that is theirs alone, in MB. */
async function tabMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const of = (id) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1]) / 1000;
  return Math.max(...processInfo.filter((one) => one.type === "renderer").map((one) => of(one.id)));
}

/** Of the main thread's frames in which it painted while `act` ran: milliseconds of CPU that all its tasks took, from one frame to the next. */
async function frames(browser, page, act) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const painted = traceEvents.find((one) => one.name === "Layerize");
  const own = traceEvents.filter((one) => one.pid === painted.pid && one.tid === painted.tid && one.ph === "X").sort((a, b) => a.ts - b.ts);
  const [found, sum] = [[], { of: 0, until: 0 }];
  for (const one of own) {
    if (one.ts >= sum.until) [sum.of, sum.until] = [sum.of + (one.tdur ?? 0), one.ts + one.dur]; // tasks, without those inside of them
    if (one.name !== "Layerize") continue;
    found.push(sum.of / 1000);
    sum.of = 0;
  }
  return found.slice(1);
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
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, extraHTTPHeaders: { Authorization: `Bearer ${token}` } });
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
  note("scrolling by the wheel, main thread a frame, p95 [ms]", quantile(wheel, 0.95));
  const jumps = await frames(browser, page, () => page.evaluate(jump));
  note("jumps of 4,000 px, main thread a frame, p95 [ms]", quantile(jumps, 0.95));
  note("memory of the tab [MB]", await tabMemory(browser));
  await context.close();
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (let i = 0; i < rounds; ++i) await round(browser);
await browser.close();
for (const [name, values] of figures) {
  console.log(`${name}: median ${quantile(values, 0.5).toFixed(1)}, worst ${Math.max(...values).toFixed(1)}`);
}
