// SPDX-License-Identifier: Apache-2.0
// Reports: the pages in one file, opened from the disk with the network off.
import { statSync } from "node:fs";

import type { Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, it } from "vitest";

import { coloursOfGraph, given, hasRun, keep, runOf, seriousFindings, Session } from "./session";

const session = new Session();
afterEach(() => session.end());
afterAll(() => session.close());

const ops = (page: Page) => page.getByRole("grid", { name: "Ops", exact: true });
const firstRow = (page: Page) => ops(page).getByRole("row").filter({ has: page.getByRole("gridcell") }).first();
const reports = Object.keys(given.reports);

describe("a report", () => {
  it.each(reports)("of %s opens without a network and offers nothing that needs a server", async (name) => {
    const page = await session.openFile(given.reports[name]!);
    await page.getByText(/^Report of /).waitFor();
    await page.getByRole("main").getByRole("heading").first().waitFor();
    for (const gone of ["New run", "Jobs", "Delete", "Run"]) expect(await page.getByRole("button", { name: gone, exact: true }).count(), gone).toBe(0);
    await keep(page, `report-${name}`);
  });

  it.each(["broken", "mobilenet"].filter(hasRun))("of %s says what the server's pages say", async (name) => {
    const told = async (page: Page) => {
      const row = firstRow(page);
      await row.waitFor();
      const verdict = page.getByRole("region", { name: "Verdict", exact: true });
      await expect.poll(() => verdict.innerText()).not.toMatch(/^…$/m); // what is asked of the server by itself
      return { row: await row.innerText(), verdict: await verdict.innerText() };
    };
    const live = await told(await session.open(`#${new URLSearchParams({ run: runOf(name), view: "ops" }).toString()}`));
    const report = await session.openFile(given.reports[name]!);
    await report.evaluate(() => (location.hash += "&view=ops"));
    const still = await told(report);
    expect(live.verdict.length).toBeGreaterThan(100);
    expect(still).toEqual(live);
  });

  it("shows an op with its histogram, and the graph", async () => {
    const page = await session.openFile(given.reports["broken"]!);
    await firstRow(page).click();
    await page.getByLabel(/^Details of (?!the run$)/).getByRole("img").first().waitFor();
    await page.getByRole("tab", { name: "Graph" }).click();
    await page.getByRole("application", { name: /^Graph of the float model/ }).waitFor();
    await expect.poll(() => coloursOfGraph(page)).toBeGreaterThan(20);
  });

  it.skipIf(!hasRun("mobilenet"))("of two runs lists both and goes from one to the other", async () => {
    const page = await session.openFile(given.reports["pair"]!);
    const list = page.getByRole("navigation", { name: "Workloads" });
    await expect.poll(() => list.getByRole("button", { name: /mobilenet/ }).count()).toBeGreaterThanOrEqual(2);
    await page.getByText(/^Report of /).waitFor();
    for (const run of ["mobilenet profile", "mobilenet"]) {
      await page.evaluate((id) => (location.hash = `run=${id}`), runOf(run));
      await page.getByRole("tab", { name: run === "mobilenet" ? "Ops" : "Profile" }).waitFor();
    }
  });

  it("of a comparison says first what is different", async () => {
    const page = await session.openFile(given.reports["compared"]!);
    const dialog = page.getByRole("dialog", { name: "Compare two runs" });
    await dialog.getByText(/B's accuracy/).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  });

  it.skipIf(!hasRun("mobilenet"))("is a file that people can send", () => {
    expect(statSync(given.reports["mobilenet"]!).size).toBeLessThan(1_000_000);
  });

  it.skipIf(!hasRun("densenet121"))("of a network of 1,700 ops is, too", () => {
    expect(statSync(given.reports["densenet121"]!).size).toBeLessThan(3_000_000);
  });

  it("is read without scripts", async () => {
    const page = await session.openFile(given.reports["broken"]!, { hasScripts: false });
    const text = await page.locator("pre").innerText();
    expect(text).toContain(runOf("broken"));
    expect(text).toContain("top1");
  });

  it("is text where a name is HTML", async () => {
    const page = await session.openFile(given.reports["failed"]!);
    await page.getByRole("heading", { name: "<img src=x onerror=alert(1)>" }).waitFor();
    expect(await page.locator("img[src=x]").count()).toBe(0);
  });

  it("can be printed, and read by everyone", async () => {
    const page = await session.openFile(given.reports["broken"]!);
    await firstRow(page).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(20_000);
  });

  it.skipIf(!hasRun("kwt1"))("has every row of a table on paper, and no buttons", async () => {
    const page = await session.openFile(given.reports["kwt1"]!);
    await firstRow(page).waitFor();
    const grid = page.getByRole("grid").first();
    const all = Number(await grid.getAttribute("aria-rowcount"));
    const rows = () => grid.locator("[role=row][aria-rowindex]").count();
    expect(await rows()).toBeLessThan(all);
    await page.evaluate(() => window.addEventListener("beforeprint", () => {
      const shown = [...document.querySelectorAll("[role=grid] [role=row][aria-rowindex]")];
      document.body.dataset["printed"] = `${shown.length}`;
    }));
    await page.pdf({ format: "A4" });
    expect(await page.locator("body").getAttribute("data-printed")).toBe(`${all}`);
    expect(await rows()).toBeLessThan(all);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("button", { name: "CSV" }).count()).toBe(0);
  });
});
