// SPDX-License-Identifier: Apache-2.0
// What measurements of web pages share: headless Chromium without a GPU, and what its tabs take.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../ui/", import.meta.url))("playwright-core");

export const launch = () => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

/** A window of its own, with nothing stored. */
export function window(browser, token = "") {
  const extraHTTPHeaders = token === "" ? {} : { Authorization: `Bearer ${token}` };
  return browser.newContext({ viewport: { width: 1280, height: 720 }, extraHTTPHeaders });
}

/** Whether something is drawn. Runs in pages, so that it is handed over as text. */
export const isPainted = (canvas) => {
  if (canvas.width <= 10) return false;
  const pen = new OffscreenCanvas(320, 180).getContext("2d", { willReadFrequently: true }); // what draws it may be a worker
  pen.drawImage(canvas, 0, 0, 320, 180);
  const { data } = pen.getImageData(0, 0, 320, 180);
  for (let at = 0; at < data.length; at += 40) if (Math.abs(data[at] - data[0]) > 30) return true;
  return false;
};

const sorted = (values) => [...values].sort((a, b) => a - b);
export const quantile = (values, share) => sorted(values)[Math.min(values.length - 1, Math.floor(share * values.length))];

/** Figures of several rounds, by name. */
export class Figures {
  all = new Map();

  note(name, value) {
    this.all.set(name, [...(this.all.get(name) ?? []), value]);
  }

  tell() {
    for (const [name, values] of this.all) {
      console.log(`${name}: median ${quantile(values, 0.5).toFixed(1)}, worst ${Math.max(...values).toFixed(1)}`);
    }
  }
}

/** Of the processes that draw pages: memory that is theirs alone, in MB. */
export async function tabMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const of = (id) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1]) / 1000;
  return Math.max(...processInfo.filter((one) => one.type === "renderer").map((one) => of(one.id)));
}

/**
 * In milliseconds, while `act` ran: CPU that all tasks of the main thread took from one of its frames to the next, and the time
 * between pictures that came to the screen, whoever painted them.
 */
export async function frames(browser, page, act) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "viz"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const painted = traceEvents.find((one) => one.name === "Layerize");
  const own = traceEvents.filter((one) => one.pid === painted.pid && one.tid === painted.tid && one.ph === "X").sort((a, b) => a.ts - b.ts);
  const [cpu, sum] = [[], { of: 0, until: 0 }];
  for (const one of own) {
    if (one.ts >= sum.until) [sum.of, sum.until] = [sum.of + (one.tdur ?? 0), one.ts + one.dur]; // tasks, without those inside of them
    if (one.name !== "Layerize") continue;
    cpu.push(sum.of / 1000);
    sum.of = 0;
  }
  const shown = traceEvents.filter(({ name, ph, ts }) => name === "Display::DrawAndSwap" && ph === "X" && ts > painted.ts).map(({ ts }) => ts).sort((a, b) => a - b);
  return { cpu: cpu.slice(1), gaps: shown.slice(1).map((ts, index) => (ts - shown[index]) / 1000) };
}
