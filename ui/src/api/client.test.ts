// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";

vi.stubGlobal("document", { baseURI: "https://localhost/" });
const { tableOf } = await import("./client");

const { fetch } = globalThis;
afterEach(() => vi.stubGlobal("fetch", fetch));

/** A server that has so many rows, and refuses what is more than a page. */
function serve(rows: number): URLSearchParams[] {
  const asked: URLSearchParams[] = [];
  vi.stubGlobal("fetch", async (address: string | URL) => {
    const { searchParams } = new URL(String(address));
    asked.push(searchParams);
    const [offset, limit] = [Number(searchParams.get("offset")), Number(searchParams.get("limit"))];
    const names = searchParams.get("columns")!.split(",");
    if (limit > 100_000 || limit * names.length > 1_000_000) return new Response("too many", { status: 400 });
    const own = Array.from({ length: Math.max(0, Math.min(limit, rows - offset)) }, (_, row) => offset + row);
    return Response.json({ rows, offset, count: own.length, columns: Object.fromEntries(names.map((name) => [name, own])) });
  });
  return asked;
}

const columns = Array.from({ length: 17 }, (_, index) => `c${index}`);

it.each([0, 3, 58_823, 58_824, 120_000])("a table of %d rows arrives whole, whatever a page holds", async (rows) => {
  const asked = serve(rows);
  const table = await tableOf("run", "diagnosis.activations", columns, new AbortController().signal);
  expect([table.rows, table.count]).toEqual([rows, rows]);
  expect(table.columns["c16"]!.every((value, row) => value === row)).toBe(true);
  expect(asked).toHaveLength(Math.max(1, Math.ceil(rows / 58_823)));
});

it("a table that has time is asked for at once, and parsed behind what goes before it", async () => {
  const asked = serve(3);
  let isReady = false;
  let ready: () => void = () => undefined;
  const before = new Promise<void>((done) => (ready = done));
  const table = tableOf("run", "diagnosis.activations", columns, new AbortController().signal, before).then(({ rows }) => [rows, isReady]);
  await new Promise((done) => setTimeout(done, 20));
  expect(asked).toHaveLength(1);
  isReady = true;
  ready();
  expect(await table).toEqual([3, true]);
});
