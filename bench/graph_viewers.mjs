// SPDX-License-Identifier: Apache-2.0
// One viewer of bench/graph_viewers.py: node bench/graph_viewers.mjs quantlens|netron|model-explorer URL ROUNDS
// Prints when the network is seen first, since the navigation; how long it takes until a group, and all of them, are open and
// the picture rests, by screenshots, which take some 0.1 s each; and the tab's memory after that. Netron has no groups.
import { Figures, isPainted, launch, tabMemory, window } from "./browser.mjs";

const [viewer, url, rounds] = process.argv.slice(2);
const patience = 120_000; // ms

/** What is true once the network is seen, what opens a group, and what opens all. */
const viewers = {
  quantlens: {
    address: (link) => `${link}#run=last&view=graph`,
    isSeen: `[...document.querySelectorAll("[role=application] canvas")].some(${isPainted})`,
    open: async (page) => {
      await page.focus("[role=application]");
      await page.keyboard.press("ArrowDown"); // to the first box behind the inputs
      await page.keyboard.press("ArrowDown");
    },
    press: (page) => page.keyboard.press("Enter"),
    openAll: (page) => page.evaluate("location.hash = location.hash.replace(/&graph.open=[^&]*/, '') + '&graph.open=*'"),
  },
  netron: {
    address: (link) => link,
    before: `document.querySelector("#message-button")?.click()`, // it asks for cookies first
    isSeen: `document.body.className === "default" && document.querySelectorAll(".node").length > 0`,
  },
  "model-explorer": {
    address: (link) => link,
    isSeen: `document.querySelector("webgl-renderer canvas") !== null && document.querySelector("mat-spinner") === null`,
    press: async (page) => {
      const { x, y, width, height } = await page.locator("webgl-renderer canvas").first().boundingBox();
      await page.mouse.dblclick(x + width / 2, y + height / 2); // the network, one group between its input and output
    },
    openAll: (page) => page.locator("div.expand-all").click(),
  },
};

/** Not by the page's eval, which Netron takes away. */
async function ask(client, expression) {
  const { result, exceptionDetails } = await client.send("Runtime.evaluate", { expression, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

async function until(client, expression, begun) {
  while (Date.now() - begun < patience) {
    if (await ask(client, expression).catch(() => false)) return Date.now() - begun;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`nothing after ${patience / 1000} s`);
}

/** Milliseconds from `act` to the last change of what is seen. */
async function rested(client, act) {
  const look = async () => (await client.send("Page.captureScreenshot", { format: "jpeg", quality: 30 })).data;
  let before = await look();
  const begun = Date.now();
  let last = begun;
  await act();
  while (Date.now() - last < (last === begun ? patience : 1500)) {
    const now = await look();
    if (now !== before) [before, last] = [now, Date.now()];
  }
  if (last === begun) throw new Error("nothing has opened");
  return last - begun;
}

async function round(browser, figures, { address, before, isSeen, open, press, openAll }) {
  const context = await window(browser);
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  let begun = Date.now();
  await page.goto(address(url), { waitUntil: before ? "load" : "commit" });
  if (before) {
    await page.waitForTimeout(1000);
    begun = Date.now() - (await ask(client, "performance.timing.loadEventEnd - performance.timing.navigationStart"));
    await ask(client, before);
  }
  figures.note("first picture [ms]", await until(client, isSeen, begun));
  await page.waitForTimeout(2000);
  await open?.(page);
  await page.waitForTimeout(500);
  if (press) figures.note("a group opened [ms]", await rested(client, () => press(page)));
  if (openAll) figures.note("all groups opened [ms]", await rested(client, () => openAll(page)));
  figures.note("memory of the tab [MB]", await tabMemory(browser));
  await context.close();
}

const figures = new Figures();
console.log(`== ${viewer}`);
for (let i = 0; i < Number(rounds); ++i) {
  const browser = await launch();
  try {
    await round(browser, figures, viewers[viewer]);
  } catch (problem) {
    console.log(`round ${i + 1}: ${problem.message}`);
  }
  await browser.close();
}
figures.tell();
