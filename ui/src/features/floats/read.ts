// SPDX-License-Identifier: Apache-2.0
// The records that the view needs: the plan, and what others know of the same models.
import { tableOf, type Schemas } from "../../api/client";
import { profilesOf, readTimes, readWork } from "../../widgets/records";
import type { Timed } from "../../widgets/timed";
import { bordersOf, codedOf, countInFile, ranOf, type Conversion, type InFile } from "./conversions";
import { conversionsOf, planColumns, plannedOf, type Planned } from "./model";

type Table = Schemas["TablePage"];

export interface Told {
  ops: Planned[];
  isLoose: boolean; // multiply-adds take lengths without a number for 1
  profile: Timed | null;
  ran: Conversion[];
  borders: Conversion[];
  inFile: InFile | null;
}

const list = (cell: unknown) => (Array.isArray(cell) ? (cell as string[]) : []);

function graphOps(table: Table | null): { id: string; name: string; inputs: string[]; outputs: string[] }[] {
  const cells = (name: string) => table?.columns[name] ?? [];
  const [names, inputs, outputs] = [cells("name"), cells("inputs"), cells("outputs")];
  return cells("op").map((id, row) => ({ id: String(id), name: String(names[row] ?? id), inputs: list(inputs[row]), outputs: list(outputs[row]) }));
}

const namesOf = (table: Table | null) => new Set((table?.columns["name"] ?? []).map(String));

export async function read(run: string, models: Schemas["ShownRun"]["models"], signal: AbortSignal): Promise<Told> {
  const maybe = (name: string, columns: string[]) => tableOf(run, name, columns, signal).catch(() => null);
  const [plan, work, profile, coded, graph, outputs, quantized, weights] = await Promise.all([
    tableOf(run, "plan.ops", planColumns, signal),
    readWork(run, signal),
    newestProfile(models, signal),
    maybe("plan.activations", ["value", "all_uses", "uses"]),
    maybe("graph.ops", ["op", "name", "inputs", "outputs"]),
    maybe("graph.outputs", ["name"]),
    maybe("graph_quantized.ops", ["kind", "inputs"]),
    maybe("graph_quantized.weights", ["name"]),
  ]);
  const ops = plannedOf(plan, work, conversionsOf(profile?.units ?? []));
  const fate = new Map(ops.map((op) => [op.id, op.fate]));
  const ran = profile
    ? await tableOf(profile.run, "profile.quantized.nodes", ["role", "name", "inputs", "mean_us", "ops"], signal).then(ranOf, () => [])
    : [];
  return {
    ops,
    isLoose: [...work.values()].some((one) => one.isLoose),
    profile,
    ran,
    borders: coded ? bordersOf(codedOf(coded), graphOps(graph), (id) => fate.get(id), namesOf(outputs)) : [],
    inFile: quantized ? countInFile(quantized, namesOf(weights)) : null,
  };
}

async function newestProfile(models: Schemas["ShownRun"]["models"], signal: AbortSignal): Promise<Timed | null> {
  try {
    const [newest] = await profilesOf(models, signal);
    return newest ? await readTimes(newest.id, signal) : null;
  } catch {
    return null; // the view is about the plan; times are an addition
  }
}
