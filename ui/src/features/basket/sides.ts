// SPDX-License-Identifier: Apache-2.0
// Both runs of a comparison, with the rows of their outputs.
import { get, tableOf, workloadPath, type Schemas } from "../../api/client";
import { readOpCounts } from "../../base/records";
import { has } from "../../base/view";
import { sideOf, type Outputs, type Side } from "./comparison";

const none: Outputs = { names: [], values: [], sqnr: [] };

async function columns(run: string, list: string, names: readonly string[], signal: AbortSignal): Promise<unknown[][]> {
  const table = await tableOf(run, list, names, signal);
  return names.map((name) => table.columns[name] ?? []);
}

async function outputsOf(run: string, signal: AbortSignal): Promise<Outputs> {
  const [[names], [values, sqnr]] = await Promise.all([
    columns(run, "graph.outputs", ["name"], signal),
    columns(run, "diagnosis.activations", ["value", "sqnr_db"], signal),
  ]);
  return { names: (names ?? []).map(String), values: (values ?? []).map(String), sqnr: sqnr ?? [] };
}

export async function sideFor(run: string, signal: AbortSignal): Promise<Side> {
  const shown = await get<Schemas["ShownRun"]>(workloadPath(run), {}, signal);
  const [outputs, ops] = await Promise.all([
    has(shown, "diagnosis") && has(shown, "graph") ? outputsOf(run, signal) : none,
    readOpCounts(shown, signal),
  ]);
  return sideOf(shown, outputs, ops);
}
