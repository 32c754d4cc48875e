// SPDX-License-Identifier: Apache-2.0
// Errors of the run, and where the workspace knows what int8 gains at its ops: a profile of both models, else prices of a
// tuning of the float model, else multiply-adds.
import { get, tableOf, workloadPath, type Schemas } from "../../api/client";
import { age } from "../../base/numbers";
import { has } from "../../base/view";
import { comparedColumns, comparedOf } from "../../base/compared";
import { profilesOf, readTimes, readWork, runsOf } from "../../base/records";
import type { Work } from "../../base/work";
import { byOp, isInt8By, pointsOfPrices, pointsOfTimes, pointsOfWork, type Point, type Source } from "./model";

export interface Known {
  sources: Source[]; // the best first
  points: (source: Source, signal: AbortSignal) => Promise<{ points: Point[]; source: Source }>;
}

const mostTunings = 5;

type Models = Schemas["ShownRun"]["models"];

/** Tunings of the same float model that stored prices. */
async function pricedRuns(models: Models, signal: AbortSignal): Promise<Schemas["ListedRun"][]> {
  const references = new Set(models.filter((model) => model.role !== "quantized").map((model) => model.sha256));
  const isOfIt = (run: Schemas["ListedRun"]) => run.models.some((model) => model.role === "reference" && references.has(model.sha256));
  const tunings = (await runsOf("tune", signal)).filter(isOfIt);
  const newest = tunings.slice(0, mostTunings);
  const all = await Promise.all(newest.map((run) => get<Schemas["ShownRun"]>(workloadPath(run.id), {}, signal)));
  return newest.filter((_, index) => has(all[index]!, "prices"));
}

function titled(run: Schemas["ListedRun"], what: string): string {
  return `${what} ${run.name}, ${age(Date.parse(run.created), Date.now())}`;
}

export async function read(shown: Schemas["ShownRun"], signal: AbortSignal): Promise<Known> {
  const run = shown.id;
  const [table, profiles, pairs] = await Promise.all([
    tableOf(run, "diagnosis.activations", comparedColumns, signal),
    profilesOf(shown.models, signal).catch(() => []),
    has(shown, "pairing") ? tableOf(run, "pairing.pairs", ["op.id", "precision"], signal).catch(() => null) : null,
  ]);
  const priced = profiles.length > 0 ? [] : await pricedRuns(shown.models, signal).catch(() => []);
  const rows = byOp(comparedOf(table));
  const isInt8 = isInt8By(pairs, rows);
  const sources: Source[] = [
    ...profiles.map((one): Source => ({ id: one.id, title: titled(one, "profile"), unit: "us", total: NaN })),
    ...priced.map((one): Source => ({ id: `prices:${one.id}`, title: titled(one, "prices of"), unit: "us", total: NaN })),
    { id: "work", title: "multiply-adds, no times", unit: "multiply-adds", total: NaN },
  ];
  return {
    sources: rows.size === 0 ? [] : sources,
    points: async (source, stop) => {
      if (source.id === "work") {
        const work = has(shown, "graph") ? await readWork(run, stop) : new Map<string, Work>();
        const points = pointsOfWork(work, rows, isInt8);
        return { points, source: { ...source, total: points.reduce((sum, point) => sum + point.gain, 0) } };
      }
      if (source.id.startsWith("prices:")) {
        const prices = await get<Schemas["Prices"]>(workloadPath(source.id.slice(7), "/records/prices"), {}, stop);
        const groups = Array.isArray(prices.groups) ? prices.groups : [];
        const rest = Number(prices.int8_rest_us) || 0;
        const total = groups.reduce((sum, group) => sum + (Number(group.seen_in_int8 ? group.int8_us : group.float_us) || 0), rest);
        return { points: pointsOfPrices(groups, rows, isInt8), source: { ...source, total } };
      }
      const times = await readTimes(source.id, stop);
      return { points: pointsOfTimes(times.units, rows), source: { ...source, total: times.quantizedWall } };
    },
  };
}
