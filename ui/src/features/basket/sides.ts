// SPDX-License-Identifier: Apache-2.0
// Both runs of a comparison, with the rows of their outputs.
import { get, workloadPath, type Schemas } from "../../api/client";
import { sideOf, type Outputs, type Side } from "./comparison";

const none: Outputs = { names: [], values: [], sqnr: [] };

async function column(run: string, list: string, columns: readonly string[], signal: AbortSignal): Promise<unknown[][]> {
  const table = await get<Schemas["TablePage"]>(workloadPath(run, `/tables/${list}`), { columns: columns.join(","), limit: 100_000 }, signal);
  return columns.map((name) => (table.columns[name] ?? []) as unknown[]);
}

async function outputsOf(run: string, signal: AbortSignal): Promise<Outputs> {
  try {
    const [[names], [values, sqnr]] = await Promise.all([
      column(run, "graph.outputs", ["name"], signal),
      column(run, "diagnosis.activations", ["value", "sqnr_db"], signal),
    ]);
    return { names: (names ?? []).map(String), values: (values ?? []).map(String), sqnr: sqnr ?? [] };
  } catch (problem) {
    if (signal.aborted) throw problem;
    return none; // it was not diagnosed
  }
}

export async function sideFor(run: string, signal: AbortSignal): Promise<Side> {
  const shown = await get<Schemas["ShownRun"]>(workloadPath(run), {}, signal);
  return sideOf(shown, await outputsOf(run, signal));
}
