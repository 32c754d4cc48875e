// SPDX-License-Identifier: Apache-2.0
// What the view asks of the server.
import { get, ifThere, tableOf, workloadPath, type Schemas } from "../../api/client";
import { comparedColumns, comparedOf } from "../../base/compared";
import { objectOf } from "../../base/loose";
import { profilesOf, readTimes } from "../../base/records";
import type { UnitTime } from "../../base/timed";
import { has } from "../../base/view";
import { remembered } from "../../graph/known";
import { layoutOf } from "../../graph/layout";
import type { OpGraph } from "../../graph/ops";
import { figuresOf, nodeTimesOf, nothingKnown, planColumns, plansOf, type Figures, type Known } from "./figures";
import { pairColumns } from "./pairs";
import { graphOf, opColumns, valueColumns, type Record, type Tables } from "./read";
import { Stage } from "./stage.svelte";

type Run = Schemas["ShownRun"];

async function readTables(run: string, record: Record, signal: AbortSignal): Promise<Tables> {
  const valuesOf = (list: string) => tableOf(run, `${record}.${list}`, valueColumns, signal);
  const [ops, values, inputs, outputs] = await Promise.all([
    tableOf(run, `${record}.ops`, opColumns, signal), valuesOf("values"), valuesOf("inputs"), valuesOf("outputs"),
  ]);
  return { ops, values, inputs, outputs };
}

/** A graph that was read, with its layout, until `signal` ends it. */
export interface Read {
  stage: Stage;
  attributesOf: (op: number) => Promise<[string, string][]>;
}

export function readGraph(run: string, record: Record, signal: AbortSignal): Promise<Read> {
  return placed(run, record, readTables(run, record, signal).then(graphOf), signal);
}

async function placed(run: string, record: Record, reading: Promise<OpGraph>, signal: AbortSignal): Promise<Read> {
  const layout = layoutOf(reading);
  signal.addEventListener("abort", () => layout.stop());
  const [graph, tree] = await Promise.all([reading, layout.tree]);
  const first = graph.kinds.findIndex((kind) => kind !== "input"); // the record has no ops for inputs
  const asked = new Map<number, Promise<[string, string][]>>();
  const attributesOf = (op: number) => remembered(asked, op, () => readAttributes(run, record, op - first, signal));
  return { stage: new Stage(graph, tree, layout), attributesOf };
}

export type Pairs = Schemas["TablePage"] | null;

export async function readPairs(shown: Run, signal: AbortSignal): Promise<Pairs> {
  return has(shown, "pairing") ? ifThere(tableOf(shown.id, "pairing.pairs", pairColumns, signal)) : null;
}

/** Parsed behind `after`. */
export async function readErrors(shown: Run, signal: AbortSignal, after: Promise<unknown>): Promise<Pick<Known, "compared" | "plans">> {
  const table = (record: string, list: string, columns: readonly string[]) =>
    has(shown, record) ? ifThere(tableOf(shown.id, list, columns, signal, after)) : null;
  const [compared, plan] = await Promise.all([
    table("diagnosis", "diagnosis.activations", comparedColumns), table("plan", "plan.ops", planColumns),
  ]);
  const pairs = plan ? null : await table("pairing", "pairing.pairs", ["op.id", "precision"]);
  const plans = plan ?? pairs;
  return { compared: compared ? comparedOf(compared) : [], plans: plans ? plansOf(plans) : new Map() };
}

/** What is asked for first. */
export interface First {
  shown: Run;
  stop: AbortController;
  graph: Promise<{ read: Read; known: Known; figures: Figures[] }>;
}

export function readFirst(shown: Run): First {
  const stop = new AbortController();
  const reading = readTables(shown.id, "graph", stop.signal).then(graphOf);
  const read = placed(shown.id, "graph", reading, stop.signal); // first of all the worker has something to do
  const errors = readErrors(shown, stop.signal, reading).then((found) => ({ ...nothingKnown, ...found }));
  const figures = Promise.all([reading, errors]).then(([ops, known]) => figuresOf(ops, known)); // while a worker lays it out
  const graph = Promise.all([read, errors, figures]).then((all) => ({ read: all[0], known: all[1], figures: all[2] }));
  graph.catch(() => undefined); // who takes it is told
  return { shown, stop, graph };
}

/** By its own profile, else by the newest one of the same two models. */
export async function readOpTimes(shown: Run, signal: AbortSignal): Promise<Map<string, number>> {
  if (!has(shown, "profile") && shown.models.length === 0) return new Map();
  const profile = has(shown, "profile") ? shown.id : (await profilesOf(shown.models, signal))[0]?.id;
  if (profile === undefined) return new Map();
  const { units } = await readTimes(profile, signal);
  if (units.length > 0) return unitTimesOf(units);
  const nodes = await ifThere(tableOf(profile, "profile.reference.nodes", ["ops", "mean_us"], signal));
  return nodes ? nodeTimesOf(nodes) : new Map();
}

/** Of the quantized model, where there is one. */
function unitTimesOf(units: readonly UnitTime[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { ops, kernels, conversions, layouts, reference } of units) {
    const quantized = kernels + conversions + layouts;
    const time = Number.isNaN(quantized) ? reference : quantized;
    if (ops[0] && !Number.isNaN(time)) times.set(ops[0].id, time);
  }
  return times;
}

/** Of the op at this place of the record. */
async function readAttributes(run: string, record: Record, row: number, signal: AbortSignal): Promise<[string, string][]> {
  const asked = { columns: "attributes", offset: row, limit: 1 };
  const page = await get<Schemas["TablePage"]>(workloadPath(run, `/tables/${record}.ops`), asked, signal);
  return Object.entries(objectOf(page.columns["attributes"]?.[0])).map(([name, text]) => [name, String(text)]);
}
