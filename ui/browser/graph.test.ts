// SPDX-License-Identifier: Apache-2.0
// The graph view on real networks: what its picture holds, against the record; what is done with it, mostly by keys.
import { readFileSync } from "node:fs";

import { chromium, request, type APIRequestContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { graphOf, opColumns, valueColumns, type Record as GraphRecord, type Tables } from "../src/features/graph/read";
import { layOut } from "../src/graph/lay-out";
import { outlineOf } from "../src/graph/outline";
import { badBoxes, edgesTold, missingBoxes } from "../src/graph/testing/checks";
import { coloursOfGraph, given, hasRun, runOf, Session } from "./session";

const session = new Session();
afterEach(() => session.end());
afterAll(() => session.close());

const at = (run: string, more: Record<string, string> = {}) => `#${new URLSearchParams({ run: runOf(run), view: "graph", ...more }).toString()}`;
const picture = (page: Page, model = "float model") => page.getByRole("application", { name: new RegExp(`^Graph of the ${model}`) });
const details = (page: Page, op = "(?!the run$)") => page.getByLabel(new RegExp(`^Details of ${op}`));
const held = (page: Page, name: string) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get(name);

const runs = ["broken", "mobilenet", "kwt1", "magika_v3_3", "minilm_l6_v2", "ppocr_cls", "densenet121"].filter(hasRun);
const records: GraphRecord[] = ["graph", "graph_quantized"];

async function tablesOf(server: APIRequestContext, run: string, record: string): Promise<Tables> {
  const table = async (list: string, columns: readonly string[]): Promise<Tables["ops"]> => {
    const answer = await server.get(`/api/v1/workloads/${runOf(run)}/tables/${record}.${list}?columns=${columns.join(",")}&limit=100000`);
    expect(answer.status(), list).toBe(200);
    return (await answer.json()) as Tables["ops"];
  };
  const [ops, values, inputs, outputs] = [
    await table("ops", opColumns), await table("values", valueColumns), await table("inputs", valueColumns), await table("outputs", valueColumns),
  ];
  return { ops, values, inputs, outputs };
}

/** Counted by itself: each reading of what an op makes or the network is given. Constants are no ops. */
function edgesIn({ ops, inputs, outputs }: Tables): number {
  const lists = (name: "inputs" | "outputs") => (ops.columns[name] as string[][]).flat();
  const names = (ends: Tables["inputs"]) => ends.columns["name"] as string[];
  const made = new Set([...names(inputs), ...lists("outputs")].filter((name) => name !== ""));
  return [...lists("inputs"), ...names(outputs)].filter((name) => made.has(name)).length;
}

async function svgOf(page: Page): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG" }).click()]);
  return readFileSync((await download.path())!, "utf8");
}

describe("every edge of the record is in the picture, and no box on another", () => {
  let server: APIRequestContext;
  beforeAll(async () => {
    const extraHTTPHeaders = { Authorization: `Bearer ${given.token}` };
    server = await request.newContext({ baseURL: new URL(given.url).origin, ignoreHTTPSErrors: true, extraHTTPHeaders });
  });
  afterAll(() => server.dispose());

  it.each(runs.flatMap((run) => records.map((record) => ({ run, record }))))("$record of $run", async ({ run, record }) => {
    const tables = await tablesOf(server, run, record);
    const graph = graphOf(tables);
    expect(graph.source.length).toBe(edgesIn(tables));
    const outline = outlineOf(graph);
    const { tree } = layOut(outline);
    const groups = tree.children.map((_, index) => tree.ops + index).slice(1);
    const sizes = new Float32Array(2 * (tree.ops + tree.children.length)).fill(40);
    for (const open of [groups, groups.filter((_, index) => index % 2 === 0), []]) {
      const scene = layOut(outline).show(sizes, open);
      const isReachable = (node: number): boolean => node === tree.ops || (open.includes(node) && isReachable(tree.parent[node]!));
      expect(missingBoxes(tree, scene, open.filter(isReachable))).toEqual([]);
      expect(badBoxes(tree, scene)).toEqual([]);
      const told = edgesTold(graph, tree, scene);
      expect(told.wrong).toEqual([]);
      expect(told.drawn + told.inside).toBe(graph.source.length);
      expect(layOut(outline).show(sizes, open)).toEqual(scene);
    }
  });
});

it.each(runs.filter((run) => ["broken", "minilm_l6_v2", "densenet121"].includes(run)))("the picture of %s is the same each time", async (run) => {
  const pictures: string[] = [];
  for (const _ of ["once", "again"]) {
    const page = await session.open(at(run, { "graph.open": "*" }));
    await picture(page).waitFor();
    pictures.push(await svgOf(page));
  }
  expect(pictures[0]!.length).toBeGreaterThan(1000);
  expect(pictures[1]).toBe(pictures[0]);
});

it("what writes an SVG is loaded when it is asked for", async () => {
  const page = await session.open(at("broken"));
  const loaded: string[] = [];
  page.on("request", (asked) => loaded.push(new URL(asked.url()).pathname));
  await page.reload();
  await picture(page).waitFor();
  await page.getByRole("button", { name: "SVG" }).isEnabled();
  expect(loaded).toContain("/graph-worker.js");
  expect(loaded).not.toContain("/graph-svg.js");
  await svgOf(page);
  expect(loaded).toContain("/graph-svg.js");
});

it("an SVG that cannot be written is told, with what to do", async () => {
  const page = await session.open(at("broken"));
  await page.route("**/graph-svg.js", (route) => route.abort());
  await picture(page).waitFor();
  await page.getByRole("button", { name: "SVG" }).click();
  await page.getByRole("alert").filter({ hasText: /^No SVG was written .*Reload the page/ }).waitFor();
});

describe("by keys", () => {
  const said = (page: Page) => page.locator("[aria-live=polite]").filter({ hasText: /;/ }).first();

  it("one walks along edges, with the details beside", async () => {
    const page = await session.open(at("broken", { "graph.open": "*" }));
    await picture(page).focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => said(page).innerText()).toContain("SQNR");
    const names: string[] = [];
    for (let step = 0; step < 4; ++step) {
      await page.keyboard.press("ArrowDown");
      names.push(await said(page).innerText());
    }
    expect(new Set(names).size).toBe(names.length);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => said(page).innerText()).toBe(names[2]);
    await details(page).waitFor();
  });

  it("one begins at the culprit, and comes to the skip connection around it", async () => {
    const page = await session.open(at("broken", { "graph.open": "*" }));
    await picture(page).focus();
    await page.keyboard.press("n");
    await details(page, "/block3/conv/Conv").waitFor();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => said(page).innerText()).toMatch(/Read by .*\/block3\/conv\/Conv/);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => said(page).innerText()).toMatch(/^\/block3\/conv\/Conv/);
    const seen: string[] = [];
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowRight"]) {
      await page.keyboard.press(key);
      seen.push((await said(page).innerText()).split(",")[0]!);
    }
    expect(seen).toContain("/block3/add/Add");
  });

  it("groups open and close, as the address says", async () => {
    const page = await session.open(at("broken", { "graph.open": "-" }));
    await picture(page).focus();
    for (let step = 0; step < 12 && !(await page.getByText(/Double click or Enter opens it/).count()); ++step) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => held(page, "graph.open")).not.toBe("-");
    await page.keyboard.press("Escape");
    await expect.poll(() => held(page, "graph.open")).toBe("-");
  });

  it("one goes from op to op that a query finds, out of closed groups too", async () => {
    const page = await session.open(at("broken", { "graph.open": "-", q: "kind:conv" }));
    await picture(page).focus();
    const selected = new Set<string>();
    for (let step = 0; step < 3; ++step) {
      await page.keyboard.press("n");
      await details(page).waitFor();
      await expect.poll(() => details(page).getAttribute("aria-label").then((name) => selected.has(name ?? ""))).toBe(false);
      selected.add((await details(page).getAttribute("aria-label"))!);
    }
    await page.getByText(/^\d+ of \d+ ops$/).first().waitFor();
  });

  it("what is seen moves, and the address keeps it", async () => {
    const page = await session.open(at("broken"));
    await picture(page).focus();
    await page.keyboard.press("+");
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(() => held(page, "graph.view")).not.toBe(null);
    const view = held(page, "graph.view");
    await page.reload();
    await picture(page).waitFor();
    await page.waitForTimeout(600);
    expect(held(page, "graph.view")).toBe(view);
    await picture(page).focus();
    await page.keyboard.press("f");
    await expect.poll(() => held(page, "graph.view")).toBe(null);
  });
});

it("what is pointed at is told: figures, shapes, attributes", async () => {
  const page = await session.open(at("broken", { "graph.open": "*", q: "/block3/conv/Conv" }));
  await picture(page).focus();
  await page.keyboard.press("n");
  await details(page, "/block3/conv/Conv").waitFor();
  await page.keyboard.press("c");
  const { x, y, width, height } = (await picture(page).boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  const tip = page.getByRole("tooltip");
  for (const text of ["/block3/conv/Conv", "SQNR", "float32", "kernel_shape"]) await tip.getByText(text).first().waitFor();
});

it("a click selects what it hits, and nothing where it hits nothing", async () => {
  const page = await session.open(at("broken", { "graph.open": "*" }));
  await picture(page).focus();
  await page.keyboard.press("n");
  await details(page, "/block3/conv/Conv").waitFor();
  await page.keyboard.press("c");
  await page.getByLabel("Close the details").click(); // what was centred stays in the middle
  await expect.poll(() => details(page).count()).toBe(0);
  await page.waitForTimeout(300);
  const { x, y, width, height } = (await picture(page).boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
  await details(page, "/block3/conv/Conv").waitFor();
  await page.mouse.click(x + 3, y + height - 3);
  await page.waitForTimeout(300);
  await details(page, "/block3/conv/Conv").waitFor();
});

it("what is seen is saved as PNG, in pixels of the screen and with a caption below", async () => {
  const page = await session.open(at("broken", { "graph.open": "*" }));
  await picture(page).waitFor();
  const save = async () => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PNG" }).click()]);
    return readFileSync((await download.path())!);
  };
  await expect.poll(async () => (await save()).length).toBeGreaterThan(10_000); // more than a ground and two lines
  const png = await save();
  const { width, height } = (await picture(page).boundingBox())!;
  expect(png.readUInt32BE(16)).toBe(Math.floor(width));
  expect(png.readUInt32BE(20)).toBeGreaterThan(height);
});

it("the way of a finding's error is followed from its op on", async () => {
  const page = await session.open(at("broken"));
  await picture(page).waitFor();
  const before = await svgOf(page);
  await page.getByLabel("Follow").selectOption({ index: 1 });
  await details(page, "/block3/conv/Conv").waitFor();
  expect(held(page, "graph.finding")).toBe("1");
  const after = await svgOf(page);
  expect(after).not.toBe(before);
  expect(after).toMatch(/opacity="0\.\d+"/); // what is not on the way is dim
});

it("both models lie beside each other and select the same op", async () => {
  const page = await session.open(at("broken", { "graph.model": "both", "graph.open": "*", "graph.int8.open": "*" }));
  await picture(page, "quantized model").focus();
  const isSelected = async () => { // a key before there is a graph does nothing
    await page.keyboard.press("ArrowDown");
    return details(page).waitFor({ timeout: 1000 }).then(() => true, () => false);
  };
  await expect.poll(isSelected, { timeout: 30_000 }).toBe(true);
  for (let step = 1; step < 6; ++step) await page.keyboard.press("ArrowDown");
  const live = page.locator(".pane [aria-live=polite]");
  await expect.poll(async () => (await live.allInnerTexts()).filter((text) => text !== "").length).toBe(2);
  const [float, quantized] = await live.allInnerTexts();
  expect(quantized!.split(/[;,]/)[0]).toContain(float!.split(/[;,]/)[0]!);
});

it("an op that is selected in the table is shown in the graph", async () => {
  const page = await session.open(at("broken").replace("view=graph", "view=ops"));
  await page.getByRole("grid", { name: "Ops", exact: true }).getByRole("row").nth(1).click();
  await details(page).waitFor();
  await page.getByRole("tab", { name: "Graph" }).click();
  await picture(page).focus();
  await page.keyboard.press("ArrowDown"); // to what reads its value, and back
  await page.keyboard.press("ArrowUp");
  const said = page.locator(".pane [aria-live=polite]").first();
  const isTheSame = async () => {
    const label = await details(page).getAttribute("aria-label"); // its id, until what it is called is read
    return (await said.innerText()).startsWith(`${label?.replace("Details of ", "")}, `);
  };
  await expect.poll(isTheSame).toBe(true);
});

it("needs neither a GPU nor its software", async () => {
  const browser = await chromium.launch({
    executablePath: given.chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
    ignoreDefaultArgs: ["--enable-unsafe-swiftshader"],
  });
  try {
    const page = await browser.newPage({ extraHTTPHeaders: { Authorization: `Bearer ${given.token}` }, ignoreHTTPSErrors: true });
    await page.goto(given.url + at("broken"));
    await picture(page).waitFor();
    expect(await page.evaluate(() => document.createElement("canvas").getContext("webgl"))).toBe(null);
    await expect.poll(() => coloursOfGraph(page)).toBeGreaterThan(20);
  } finally {
    await browser.close();
  }
});
