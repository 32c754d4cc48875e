// SPDX-License-Identifier: Apache-2.0
// Lists of a profile that are too long for the run's own answer.
import { get, workloadPath, type Schemas } from "../../api/client";
import { rowsOf, type LongLists } from "./record";

const ofNode = ["name", "type", "provider", "role", "position", "ops", "inputs", "outputs", "total_us", "accelerator_us", "cpu_us", "mean_us",
  "median_us", "p95_us", "share", "runs", "defined", "scaling", "bytes", "operations", "gb_per_second", "gop_per_second", "bound"];
const ofOp = ["ops", "type", "reference_us", "quantized_us", "conversion_us", "layout_us", "gain_us", "reference_nodes", "quantized_nodes",
  "quantized", "wrapped"];

const mostCells = 1_000_000; // of one answer

async function rows(run: string, list: string, signal: AbortSignal): Promise<unknown[]> {
  const columns = list === "ops" ? ofOp : ofNode;
  const limit = Math.floor(mostCells / columns.length);
  const all: unknown[] = [];
  for (;;) {
    const given = { columns: columns.join(","), offset: all.length, limit, digits: 7 };
    const page = await get<Schemas["TablePage"]>(workloadPath(run, `/tables/profile.${list}`), given, signal);
    for (const row of rowsOf(page)) all.push(row);
    if (page.count === 0 || all.length >= page.rows) return all;
  }
}

export async function longer(run: string, lists: readonly (keyof LongLists)[], signal: AbortSignal): Promise<LongLists> {
  const found = await Promise.all(lists.map(async (list) => [list, await rows(run, list, signal)] as const));
  return Object.fromEntries(found);
}
