// SPDX-License-Identifier: Apache-2.0
// How quick the graph of a stored run is, in headless Chromium without a GPU:
//
//   bench_make_run FOLDER [OPS]; quantlens serve --workspace FOLDER --allow-insecure-connections
//   node bench/graph.mjs URL TOKEN [--rounds 3]
//
// Prints, as medians over the rounds and the worst one: the first picture, with the pages loaded anew; CPU time of the main
// thread a frame and the time between pictures while everything is open and panned or zoomed (95 % of them); opening a
// group, closing it, a search, each until it is seen; the tab's memory.
import { Figures, frames, isPainted, launch, quantile, tabMemory, window } from "./browser.mjs";

const [url, token, ...options] = process.argv.slice(2);
if (!url || !token) throw new Error("usage: node bench/graph.mjs URL TOKEN [--rounds 3]");
const rounds = options[0] === "--rounds" ? Number(options[1]) : 3;
const figures = new Figures();

/** Milliseconds since the navigation began, when the canvas shows something. */
const firstPicture = (isPainted) =>
  new Promise((done) => {
    const look = () => {
      const canvas = document.querySelector("[role=application] canvas");
      if (canvas && isPainted(canvas)) done(performance.now());
      else setTimeout(look, 10);
    };
    look();
  });

/** One move a frame, to and fro: before the frame, as browsers tell of pointers. */
const pan = () =>
  new Promise((done) => {
    const canvas = document.querySelector("[role=application] canvas");
    const { left, top, width, height } = canvas.getBoundingClientRect();
    canvas.setPointerCapture = () => undefined;
    let [x, y, by, rest] = [left + width / 2, top + height / 2, 6, 120];
    const fire = (type) => canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: x, clientY: y, button: 0, buttons: 1 }));
    fire("pointerdown");
    const step = () => {
      if (rest-- === 0) {
        fire("pointerup");
        return done();
      }
      if (rest % 40 === 20) by = -by;
      [x, y] = [x + by, y + by];
      fire("pointermove");
      requestAnimationFrame(() => setTimeout(step));
    };
    step();
  });

/** One turn of the wheel a frame: nearer where `by` is below 0. */
const zoom = ([count, by]) =>
  new Promise((done) => {
    const canvas = document.querySelector("[role=application] canvas");
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, clientX: left + width / 2, clientY: top + height / 2, deltaY: by };
    const step = () => {
      if (count-- === 0) return done();
      canvas.dispatchEvent(new WheelEvent("wheel", at));
      requestAnimationFrame(() => setTimeout(step));
    };
    step();
  });

/** Milliseconds until the last picture that the key has led to is there. */
const pressed = (key) =>
  new Promise((done) => {
    const place = document.querySelector("[role=application]");
    const canvas = place.querySelector("canvas");
    const pen = new OffscreenCanvas(320, 180).getContext("2d", { willReadFrequently: true });
    const seen = () => {
      pen.drawImage(canvas, 0, 0, 320, 180);
      return new Uint32Array(pen.getImageData(0, 0, 320, 180).data.buffer).reduce((sum, pixel, at) => (sum + (pixel ^ at)) | 0, 0);
    };
    let before = seen();
    const begun = performance.now();
    let last = begun;
    place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const look = () => {
      const now = seen();
      if (now !== before) [before, last] = [now, performance.now()];
      if (performance.now() - begun < 1500) requestAnimationFrame(look);
      else done(last - begun);
    };
    requestAnimationFrame(look);
  });

/** Milliseconds until the number of ops found is painted. */
const searched = (query) =>
  new Promise((done) => {
    const graph = document.querySelector("section[aria-label=Graph]");
    const [input, count] = [graph.querySelector("[data-query]"), graph.querySelector(".count")];
    const [before, begun] = [count.textContent, performance.now()];
    input.value = query;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const look = () => requestAnimationFrame(() => (count.textContent === before ? look() : setTimeout(() => done(performance.now() - begun))));
    look();
  });

async function opened(browser, open) {
  const context = await window(browser, token);
  const page = await context.newPage();
  await page.goto(`${url.replace(/[?#].*/, "")}#run=last&view=graph${open}`, { waitUntil: "commit" });
  figures.note(`first picture${open && ", all open"} [ms]`, await page.evaluate(`(${firstPicture})(${isPainted})`));
  await page.waitForTimeout(3000); // a reader looks at it first
  return { context, page };
}

function noteFrames(name, { cpu, gaps }) {
  figures.note(`${name}, main thread a frame, p95 [ms]`, quantile(cpu, 0.95));
  figures.note(`${name}, between frames, p95 [ms]`, quantile(gaps, 0.95));
}

async function move(browser) {
  const { context, page } = await opened(browser, "&graph.open=*");
  await page.focus("[role=application]");
  await page.keyboard.press("f");
  await page.waitForTimeout(300);
  noteFrames("pan, all in sight", await frames(browser, page, () => page.evaluate(pan)));
  for (const name of ["near", "nearer", "nearest"]) {
    await page.evaluate(zoom, [12, -60]);
    noteFrames(`pan, ${name}`, await frames(browser, page, () => page.evaluate(pan)));
  }
  await page.evaluate(zoom, [60, 60]);
  noteFrames("zoom in and out", await frames(browser, page, async () => {
    await page.evaluate(zoom, [60, -60]);
    await page.evaluate(zoom, [60, 60]);
  }));
  figures.note("memory of the tab [MB]", await tabMemory(browser));
  await context.close();
}

async function act(browser) {
  const { context, page } = await opened(browser, "");
  for (const query of ["layer.77 & sqnr<20", "type:matmul", "sqnr<1", ""]) figures.note("search [ms]", await page.evaluate(searched, query));
  await page.focus("[role=application]");
  for (const key of ["ArrowDown", "ArrowDown"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(400);
  }
  await page.evaluate(pressed, "Escape"); // whatever group that op is in
  for (const name of ["open a group", "close a group", "open a group", "close a group"]) figures.note(`${name} [ms]`, await page.evaluate(pressed, "Enter"));
  await context.close();
}

const browser = await launch();
for (let round = 0; round < rounds; ++round) {
  await act(browser);
  await move(browser);
}
await browser.close();
figures.tell();
