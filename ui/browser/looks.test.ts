// SPDX-License-Identifier: Apache-2.0
// Every view in both sizes and both themes, and as it is at 150 and 200 % zoom: nothing reaches over the page, axe-core
// finds nothing serious.
import { afterAll, afterEach, expect, it } from "vitest";

import { given, hasRun, keep, runOf, seriousFindings, Session, type Look } from "./session";

const session = new Session();
afterEach(() => session.end());
afterAll(() => session.close());

const small: Look = { size: { width: 1280, height: 720 } };
const large: Look = { size: { width: 1920, height: 1080 }, isDark: true };
const smallDark: Look = { ...small, isDark: true };
const largeLight: Look = { ...large, isDark: false };
const zoomed: Look = { size: { width: 853, height: 480 } }; // 1280x720 at 150 %
const zoomedDark: Look = { size: { width: 640, height: 360 }, isDark: true };

/** Which view of which run, and how it is looked at; all ways where pictures are kept. */
const wanted: [string, string, Look[]][] = [
  ...["ops", "weights", "network", "costs", "floats", "accuracy"].map((view): [string, string, Look[]] => ["broken", view, [small, large, zoomedDark]]),
  ["tune", "", [smallDark, zoomed]],
  ["profile", "", [small, zoomedDark]],
  ["benchmark", "", [largeLight, zoomed]],
  ["evaluate", "", [smallDark]],
  ["mobilenet", "ops", [smallDark]],
  ["mobilenet", "accuracy", [large]],
  ["kwt1", "network", [small]],
  ["broken", "graph", [small, large, zoomedDark]],
  ["mobilenet", "graph", [smallDark]],
  ["minilm_l6_v2", "graph", [largeLight]],
  ["mobilenet profile", "", [large]],
];
const cases = wanted
  .filter(([run]) => hasRun(run))
  .flatMap(([run, view, looks]) => (given.pictures ? [small, smallDark, large, largeLight, zoomed, zoomedDark] : looks).map((look) => ({ run, view, look })))
  .map((one) => ({ ...one, name: `${one.look.size!.width} ${one.look.isDark ? "dark" : "light"}` }));

it.each(cases)(
  "$run $view, $name",
  async ({ run, view, name, look }) => {
    const page = await session.open(`#${new URLSearchParams({ run: runOf(run), ...(view && { view }) }).toString()}`, look);
    await page.getByRole("tabpanel").waitFor();
    const first = page.getByRole("grid", { name: "Ops", exact: true }).getByRole("row").nth(1);
    if (view === "ops") {
      await first.click();
      await page.getByLabel(/^Details of (?!the run$)/).waitFor();
    }
    await page.waitForTimeout(600); // what is drawn comes after its data
    await keep(page, `${run} ${view} ${name}`);
    const over = await page.evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
      return [scrollWidth - clientWidth, scrollHeight - clientHeight];
    });
    expect(over).toEqual([0, 0]);
    expect(await seriousFindings(page)).toEqual([]);
  },
);
