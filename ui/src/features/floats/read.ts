// SPDX-License-Identifier: Apache-2.0
// The records that the view needs: the plan, and what others know of the same models.
import { get, tableOf, workloadPath, type Schemas } from "../../api/client";
import { fatesOf, opCountsOf, type OpCounts } from "../../base/op-counts";
import { has } from "../../base/view";
import { profilesOf, readTimes, readWork } from "../../base/records";
import type { Timed } from "../../base/timed";
import type { Work } from "../../base/work";
import { bordersOf, codedOf, countInFile, Links, ranOf, type Conversion, type InFile } from "./conversions";
import { conversionsOf, countedOf, planColumns, plannedOf, type Counted, type Planned } from "./model";

type Table = Schemas["TablePage"];

export interface Told {
  ops: Planned[]; // without constants
  opCounts: OpCounts;
  isLoose: boolean; // multiply-adds take lengths without a number for 1
  counted: Counted | null;
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

export async function read(shown: Schemas["ShownRun"], signal: AbortSignal): Promise<Told> {
  const run = shown.id;
  const maybe = async (name: string, columns: string[]) => {
    return has(shown, name.slice(0, name.indexOf("."))) ? tableOf(run, name, columns, signal) : null;
  };
  const [plan, work, study, profile, coded, graph, outputs, quantized, weights] = await Promise.all([
    tableOf(run, "plan.ops", planColumns, signal),
    has(shown, "graph") ? readWork(run, signal) : new Map<string, Work>(),
    has(shown, "study") ? get<unknown>(workloadPath(run, "/records/study"), {}, signal) : null,
    newestProfile(shown.models, signal),
    maybe("plan.activations", ["value", "all_uses", "uses"]),
    maybe("graph.ops", ["op", "name", "inputs", "outputs"]),
    maybe("graph.outputs", ["name"]),
    maybe("graph_quantized.ops", ["kind", "inputs"]),
    maybe("graph_quantized.weights", ["name"]),
  ]);
  const ops = plannedOf(plan, work, conversionsOf(profile?.units ?? []));
  const fate = new Map(ops.map((op) => [op.id, op.fate]));
  const links = new Links(graphOps(graph));
  const ran = profile
    ? await tableOf(profile.run, "profile.quantized.nodes", ["role", "name", "inputs", "mean_us", "ops"], signal).then(
        (nodes) => ranOf(nodes, links),
        () => [],
      )
    : [];
  return {
    ops,
    opCounts: opCountsOf(fatesOf(plan)),
    isLoose: [...work.values()].some((one) => one.isLoose),
    counted: countedOf(study),
    profile,
    ran,
    borders: coded ? bordersOf(codedOf(coded), links, (id) => fate.get(id), namesOf(outputs)) : [],
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
