// SPDX-License-Identifier: Apache-2.0
// A browser on the pages of a real server. What goes wrong in a page, or leaves the host, fails the test that saw it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { expect } from "vitest";

interface Given {
  url: string;
  token: string;
  runs: Record<string, string>; // ids of workloads by what they show
  chromium: string;
  pictures: string; // folder; empty: none are kept
  demo: string; // folder of the model and data that ship
  reports: Record<string, string>; // files of `quantlens report` by the names of their runs
  dist?: string; // pages of this folder in place of the program's: while they are being written
}

/** What tests/gui.py says. */
export const given = JSON.parse(process.env["QUANTLENS_GUI"] ?? "null") as Given;
if (!given) throw new Error("tests/gui.py starts these tests: it makes the runs and serves them");

export function runOf(name: string): string {
  const id = given.runs[name];
  if (!id) throw new Error(`there is no run '${name}'`);
  return id;
}

export function hasRun(name: string): boolean {
  return name in given.runs;
}

export interface Look {
  size?: { width: number; height: number };
  isDark?: boolean;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export class Session {
  private browser: Browser | undefined;
  private readonly contexts: BrowserContext[] = [];
  private readonly wrong: string[] = [];

  async open(hash: string, look: Look = {}): Promise<Page> {
    this.browser ??= await chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox"] });
    const context = await this.browser.newContext({
      viewport: look.size ?? { width: 1280, height: 720 },
      colorScheme: look.isDark ? "dark" : "light",
      extraHTTPHeaders: { Authorization: `Bearer ${given.token}` },
      ignoreHTTPSErrors: true,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await this.watched(context, new URL(given.url).origin);
    page.on("response", (response) => {
      if (response.status() >= 500) this.wrong.push(`${response.status()} of ${response.url()}`);
    });
    if (given.dist) await this.replace(page, given.dist);
    await page.goto(given.url + hash, { waitUntil: "domcontentloaded" });
    return page;
  }

  /** A file on the disk, with the network off. */
  async openFile(path: string, look: Look & { hasScripts?: boolean } = {}): Promise<Page> {
    this.browser ??= await chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox"] });
    const context = await this.browser.newContext({
      viewport: look.size ?? { width: 1280, height: 720 },
      colorScheme: look.isDark ? "dark" : "light",
      javaScriptEnabled: look.hasScripts ?? true,
      offline: true,
    });
    const file = pathToFileURL(path);
    const page = await this.watched(context, file.origin);
    await page.goto(file.href);
    return page;
  }

  /** What goes wrong in it, or asks another place than this, is kept for `end`. */
  private async watched(context: BrowserContext, origin: string): Promise<Page> {
    this.contexts.push(context);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.wrong.push(`script: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) this.wrong.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      const isOwn = url.origin === origin && (url.protocol !== "file:" || request.isNavigationRequest());
      if (url.protocol !== "data:" && url.protocol !== "blob:" && !isOwn) this.wrong.push(`leaves: ${url.href}`);
    });
    return page;
  }

  private async replace(page: Page, folder: string): Promise<void> {
    const own = new URL(given.url).origin;
    await page.route(
      (url) => url.origin === own && !url.pathname.startsWith("/api/"),
      (route) => route.fulfill({ path: `${folder}/${new URL(route.request().url()).pathname.slice(1) || "index.html"}` }),
    );
  }

  /** After each test: nothing went wrong in its pages. */
  async end(): Promise<void> {
    for (const context of this.contexts.splice(0)) await context.close();
    expect(this.wrong.splice(0)).toEqual([]);
  }

  async close(): Promise<void> {
    await this.browser?.close();
  }
}

/** What axe-core calls serious or critical: as "rule: first element". */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe); // not as a script of the page, whose policy forbids it
  const result = await page.evaluate(async () => {
    interface Found {
      id: string;
      impact: string | null;
      nodes: { html: string; failureSummary?: string }[];
    }
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<{ violations: Found[] }> } };
    const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes[0]?.html ?? "", why: nodes[0]?.failureSummary ?? "" }));
  });
  return result
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.where.slice(0, 160)} ${one.why.slice(0, 200)}`);
}

/** How many colours its picture has, whoever draws it. */
export function coloursOfGraph(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("[role=application] canvas")!;
    const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d")!;
    pen.drawImage(canvas, 0, 0);
    return new Set(new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
  });
}

export async function keep(page: Page, name: string): Promise<void> {
  if (given.pictures) await page.screenshot({ path: `${given.pictures}/${name.replace(/[^\w.-]+/g, "-")}.png` });
}
