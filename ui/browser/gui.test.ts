// SPDX-License-Identifier: Apache-2.0
// What people do with the pages, row by row of what the predecessors' had, and what they had not.
import { readFileSync } from "node:fs";

import type { Download, Locator, Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, it } from "vitest";

import { given, hasRun, runOf, seriousFindings, Session } from "./session";

const session = new Session();
afterEach(() => session.end());
afterAll(() => session.close());

const at = (run: string, more: Record<string, string> = {}) => `#${new URLSearchParams({ run: runOf(run), ...more }).toString()}`;
const table = (page: Page, name: string) => page.getByRole("grid", { name, exact: true });
const rows = (grid: Locator) => grid.getByRole("row").filter({ has: grid.page().getByRole("gridcell") });

const opDetails = /^Details of (?!the run$)/;

async function column(grid: Locator, title: string): Promise<string[]> {
  const heads = await grid.getByRole("columnheader").allInnerTexts();
  const at = heads.findIndex((head) => head.replace(/[▲▼]/g, "").trim() === title);
  expect(at, `column ${title} of ${heads.join(", ")}`).toBeGreaterThanOrEqual(0);
  return Promise.all((await rows(grid).all()).map((row) => row.getByRole("gridcell").nth(at).innerText()));
}

const numberOf = (text: string) => (text.trim() === "∞" ? Infinity : Number(text.replaceAll("−", "-").replace("%", "").trim()));

async function textOf(download: Download): Promise<string> {
  return readFileSync((await download.path())!, "utf8");
}

async function saved(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return download;
}

describe("workloads", () => {
  it("are listed with state, age, verb and accuracy, and searched", async () => {
    const page = await session.open("");
    const list = page.getByRole("navigation", { name: "Workloads" });
    await list.getByText("digits broken", { exact: true }).waitFor();
    await expect.poll(() => list.getByText(/99\.2 % → /).count()).toBeGreaterThan(0);
    await page.getByLabel("Search workloads").fill("digits broken");
    await list.getByText("digits broken", { exact: true }).waitFor();
    await expect.poll(() => list.getByRole("button", { name: /evaluate/ }).count()).toBe(0);
  });

  it("say what they were made of, and copy the model's path", async () => {
    const page = await session.open(at("broken"));
    const details = page.getByLabel("Details of the run");
    await details.getByRole("button", { name: "Details", exact: true }).click(); // folded in a window of this height
    await details.getByText("ONNX", { exact: true }).waitFor();
    await details.getByRole("button", { name: /^Copy model/ }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${given.demo}/digits.onnx`);
  });

  it("take tags and a note", async () => {
    const page = await session.open(at("evaluate"));
    await page.getByLabel("Details of the run").getByRole("button", { name: "Details", exact: true }).click();
    await page.getByLabel("Add a tag").fill("kept");
    await page.getByLabel("Add a tag").press("Enter");
    await page.getByRole("button", { name: "Remove tag kept" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Remove tag kept" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Remove tag kept" }).count()).toBe(0);
  });

  it("are compared, and say what is better or worse in another one", async () => {
    const page = await session.open(at("broken"));
    await page.getByRole("button", { name: "Compare…" }).click();
    const dialog = page.getByRole("dialog", { name: "Compare two runs" });
    await dialog.getByRole("combobox").selectOption(runOf("tune"));
    const address = `api/v1/workloads/${runOf("broken")}/compare?other=${runOf("tune")}`;
    const told = await page.evaluate(async (path) => (await (await fetch(path)).json()) as { verdict: string; recipe: { option: string }[] }, address);
    expect(told.verdict).toContain("ccuracy");
    await dialog.getByText(told.verdict.slice(0, 60)).waitFor();
    await dialog.getByRole("heading", { name: "Recipe" }).waitFor();
    await dialog.getByText(told.recipe[0]!.option, { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);
  });

  it("have names that are text, whatever stands in them", async () => {
    const page = await session.open(at("failed"));
    page.on("dialog", (dialog) => expect.unreachable(`a name has run: ${dialog.message()}`));
    await expect.poll(() => page.getByRole("region", { name: "Verdict" }).innerText()).toContain("<img src=x onerror=alert(1)>");
    expect(await page.locator("img[src=x]").count()).toBe(0);
  });

  it("are deleted only when that is confirmed", async () => {
    const page = await session.open(at("failed"));
    await page.getByRole("button", { name: /Delete…/ }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this run?" });
    await dialog.waitFor();
    await dialog.getByRole("button", { name: /Cancel|Keep/ }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await page.reload();
    await page.getByRole("region", { name: "Verdict" }).getByText(/Failed|failed/).first().waitFor();
    await page.getByRole("button", { name: /Delete…/ }).click();
    await dialog.getByRole("button", { name: /^Delete/ }).click();
    await expect.poll(() => page.url()).not.toContain(runOf("failed"));
  });
});

describe("the verdict", () => {
  it("answers before anything is clicked", async () => {
    const page = await session.open(at("broken"));
    const verdict = page.getByRole("region", { name: "Verdict" });
    await verdict.getByRole("button", { name: "/block3/conv/Conv", exact: true }).waitFor();
    await verdict.getByText(/less error if in float/).first().waitFor();
    await verdict.getByText("99.2 %").first().waitFor();
    await verdict.getByText(/spread weight/).first().waitFor();
    const box = (await verdict.boundingBox())!;
    expect(box.height).toBeLessThan(230);
  });

  it("has remedies that are ticked, run, and compared with what was predicted", async () => {
    const page = await session.open(at("broken"));
    await page.getByRole("region", { name: "Verdict" }).getByRole("checkbox").first().check();
    const basket = page.getByRole("region", { name: "Recipe" });
    await basket.waitFor();
    await basket.getByRole("button", { name: /^Run/ }).click();
    await page.getByLabel("Before and after").waitFor({ timeout: 60_000 });
    // One scale a channel for the weight that was too wide: what the demo is about.
    const after = await page.getByLabel("Before and after").innerText();
    expect(after).toMatch(/9[89]\.\d %/);
  }, 120_000);
});

describe("accuracy", () => {
  it("has both models with intervals, the relative change, and the samples that flipped", async () => {
    const page = await session.open(at("broken", { view: "accuracy" }));
    const view = page.getByRole("tabpanel", { name: "Accuracy" });
    await view.getByText("99.2 %").first().waitFor();
    await view.getByText("Relative change").first().waitFor();
    await view.getByText(/lost/i).first().waitFor();
  });

  it.skipIf(!hasRun("mobilenet"))("shows the pictures of flipped samples", async () => {
    const page = await session.open(at("mobilenet", { view: "accuracy" }));
    const picture = page.getByRole("tabpanel", { name: "Accuracy" }).getByRole("img").locator("visible=true").and(page.locator("img")).first();
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(20);
  });
});

describe("the op table", () => {
  it("is sorted by any column, data range too", async () => {
    const page = await session.open(at("broken", { "ops.columns": "name,sqnr,mse,min,max,range" }));
    const grid = table(page, "Ops");
    await grid.waitFor();
    for (const title of ["SQNR [dB]", "MSE", "Min", "Max", "Data range"]) {
      for (const _ of ["first", "turned"]) {
        await grid.getByRole("columnheader", { name: title }).click();
        const up = (await grid.getByRole("columnheader", { name: title }).getAttribute("aria-sort")) === "ascending";
        const figures = (await column(grid, title)).map(numberOf);
        const expected = [...figures].sort((a, b) => (up ? a - b : b - a));
        expect(figures).toEqual(expected);
      }
    }
  });

  it("is filtered by queries, which the address keeps", async () => {
    const page = await session.open(at("broken"));
    const grid = table(page, "Ops");
    await grid.waitFor();
    await page.getByLabel("Query").first().fill("kind:conv & sqnr<20");
    await expect.poll(() => column(grid, "Type").then((types) => new Set(types).size === 1 && types[0] === "Conv")).toBe(true);
    await page.reload();
    await grid.waitFor();
    expect(await page.getByLabel("Query").first().inputValue()).toBe("kind:conv & sqnr<20");
    await page.getByLabel("Query").first().fill("sqnr<");
    await page.getByRole("alert").first().waitFor();
  });

  it("is saved as CSV, all rows of it", async () => {
    const page = await session.open(at("broken"));
    const grid = table(page, "Ops");
    await grid.waitFor();
    const text = await textOf(await saved(page, () => page.getByRole("tabpanel").getByRole("button", { name: "CSV" }).first().click()));
    expect(text.trim().split("\r\n")).toHaveLength(1 + Number(await grid.getAttribute("aria-rowcount")));
  });

  it("shows the columns that are chosen", async () => {
    const page = await session.open(at("broken"));
    await page.getByText("Columns", { exact: true }).click();
    await page.getByLabel("Max error").check();
    await table(page, "Ops").getByRole("columnheader", { name: "Max error" }).waitFor();
    expect(page.url()).toContain("ops.columns");
  });

  it("is walked by keys, with the details beside it", async () => {
    const page = await session.open(at("broken"));
    const grid = table(page, "Ops");
    await grid.focus();
    await grid.press("ArrowDown");
    await page.getByLabel("Details of /block3/conv/Conv").waitFor();
    await grid.press("End");
    await expect.poll(() => page.getByLabel(opDetails).getAttribute("aria-label")).not.toContain("block3");
  });
});

it("the weights table leads with what rounding hurts most", async () => {
  const page = await session.open(at("broken", { view: "weights" }));
  const grid = table(page, "Weights");
  await grid.waitFor();
  expect((await column(grid, "Op"))[0]).toBe("/block3/conv/Conv");
});

describe("op details", () => {
  const open = (run = "broken", op = "/block3/conv/Conv") =>
    session.open(at(run, { q: op })).then(async (page) => {
      await rows(table(page, "Ops")).first().click();
      await page.getByLabel(opDetails).waitFor();
      return page;
    });

  it("have pattern, dtype, scheme, granularity, algorithm, scale and zero point", async () => {
    const details = (await open()).getByLabel(opDetails);
    for (const text of [/Pattern/, /uint8/, /int8, symmetric/, /per tensor/, /Range by/, /Scale/, /Zero point/]) {
      await details.getByText(text).locator("visible=true").first().waitFor(); // options of the what-if are before it, and hidden
    }
  });

  it("draw the reference over the quantized values, saved as a picture", async () => {
    const page = await open();
    const details = page.getByLabel(opDetails);
    await details.getByRole("img").first().waitFor();
    const frame = details.getByRole("region", { name: "Histogram" }).first();
    const download = await saved(page, () => frame.getByRole("button", { name: "PNG" }).click());
    expect(readFileSync((await download.path())!).subarray(1, 4).toString()).toBe("PNG");
  });

  it("say what another range would cost", async () => {
    const page = await open();
    const details = page.getByLabel(opDetails);
    const upper = details.getByRole("slider", { name: "Upper end of the range" });
    await upper.focus();
    for (let i = 0; i < 5; ++i) await upper.press("ArrowLeft");
    await details.getByText(/→/).first().waitFor();
    await details.getByRole("button", { name: /^Add to recipe/ }).first().waitFor();
  });
});

describe("along the network", () => {
  it("tells culprits from victims, and walks by keys", async () => {
    const page = await session.open(at("broken", { view: "network" }));
    await page.getByRole("region", { name: "SQNR along the network" }).waitFor();
    await page.getByText("error is born here").first().waitFor();
    const slider = page.getByLabel("Position along the network");
    await slider.focus();
    await slider.press("ArrowRight");
    await slider.press("Enter");
    await page.getByLabel(opDetails).waitFor();
  });

  it.skipIf(!hasRun("kwt1"))("stacks equal blocks", async () => {
    const page = await session.open(at("kwt1", { view: "network" }));
    await page.getByRole("button", { name: "Blocks" }).or(page.getByRole("radio", { name: "Blocks" })).first().click();
    await page.getByText(/× 12/).first().waitFor();
  });
});

it("ops that stay float are counted by their reasons", async () => {
  const page = await session.open(at("broken", { view: "floats" }));
  await page.getByRole("tabpanel", { name: "Still float" }).getByText(/int8/).first().waitFor();
});

it("ops are chosen by cost and harm, and become a recipe", async () => {
  const page = await session.open(at("broken", { view: "costs" }));
  const view = page.getByRole("tabpanel", { name: "Cost and harm" });
  await view.getByLabel("Compute /block3/conv/Conv in float").check();
  await view.getByRole("button", { name: "Add to recipe" }).click();
  await page.getByRole("region", { name: "Recipe" }).waitFor();
});

describe("profiles", () => {
  it("draw the ten longest rows, and what is ticked", async () => {
    const page = await session.open(at("profile"));
    const view = page.getByRole("tabpanel", { name: "Profile" });
    const ticks = view.getByRole("checkbox", { name: /^Show .* on the chart$/ });
    await ticks.first().waitFor();
    const on = () => ticks.evaluateAll((all) => all.filter((one) => (one as HTMLInputElement).checked).length);
    const before = await on();
    expect(before).toBeGreaterThan(3);
    expect(before).toBeLessThanOrEqual(10);
    await ticks.first().uncheck();
    await expect.poll(on).toBe(before - 1);
  });

  it("have the predecessors' columns", async () => {
    const page = await session.open(at("profile"));
    const heads = page.getByRole("tabpanel", { name: "Profile" }).getByRole("columnheader");
    await heads.first().waitFor();
    expect((await heads.allInnerTexts()).join(" ")).toMatch(/\[(µs|ms|s)\]/);
  });
});

it("a search shows its trials over time and against speed", async () => {
  const page = await session.open(at("tune"));
  const view = page.getByRole("tabpanel", { name: "Tuning" });
  await table(page, "Trials").waitFor();
  await rows(table(page, "Trials")).first().click();
  await view.getByRole("heading", { name: /^Trial \d/ }).waitFor();
});

describe("jobs", () => {
  it("are started from the page and watched to their end", async () => {
    const page = await session.open(at("broken"));
    await page.getByRole("button", { name: "New run" }).click();
    const dialog = page.getByRole("dialog", { name: "New run" });
    await dialog.getByRole("button", { name: "Start run" }).waitFor();
    expect(await dialog.getByLabel(/^(Float )?model/i).first().inputValue()).toBe(`${given.demo}/digits.onnx`);
    await dialog.getByRole("button", { name: "Start run" }).click();
    const jobs = page.getByRole("dialog", { name: "Jobs" });
    await jobs.getByText(/quantize/).first().waitFor();
    await jobs.getByRole("button", { name: "Show run" }).first().waitFor();
    await jobs.getByText("Ended").first().waitFor();
    await expect.poll(() => jobs.getByRole("button", { name: "Cancel" }).count(), { timeout: 90_000 }).toBe(0);
    await jobs.getByRole("button", { name: "Show run" }).first().click();
    await table(page, "Ops").waitFor();
  }, 120_000);
});

describe("the page", () => {
  it("does by its palette what has a name", async () => {
    const page = await session.open(at("broken"));
    await table(page, "Ops").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "A command, an op or a workload" }).fill("head/fc");
    await page.getByRole("option", { name: "/head/fc/Gemm" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("Details of /head/fc/Gemm").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "A command, an op or a workload" }).fill("copy as command line");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^quantlens quantize /);
  });

  it("allows no inline script", async () => {
    const page = await session.open("");
    const answer = await page.request.get(given.url);
    const policy = answer.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain("unsafe-inline");
  });
});
