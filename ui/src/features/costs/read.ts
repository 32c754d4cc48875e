// SPDX-License-Identifier: Apache-2.0
// Errors of the run, and where the workspace knows what int8 gains at its ops: a profile of both models, else prices of a
// tuning of the float model, else multiply-adds.
import { get, tableOf, workloadPath, type Schemas } from "../../api/client";
import { age } from "../../base/numbers";
import { comparedColumns, comparedOf } from "../../widgets/compared";
import { profilesOf, readTimes, readWork, runsOf } from "../../widgets/records";
import { byOp, isInt8By, pointsOfPrices, pointsOfTimes, pointsOfWork, type Point, type Source } from "./model";

export interface Known {
  sources: Source[]; // the best first
  points: (source: Source, signal: AbortSignal) => Promise<{ points: Point[]; source: Source }>;
}

const mostTunings = 10;

type Models = Schemas["ShownRun"]["models"];

/** Tunings of the same float model that stored prices. */
async function pricedRuns(models: Models, signal: AbortSignal): Promise<Schemas["ListedRun"][]> {
  const references = new Set(models.filter((model) => model.role !== "quantized").map((model) => model.sha256));
  const isOfIt = (run: Schemas["ListedRun"]) => run.models.some((model) => model.role === "reference" && references.has(model.sha256));
  const tunings = (await runsOf("tune", signal)).filter(isOfIt);
  const known = await Promise.all(
    tunings.slice(0, mostTunings).map((run) =>
      get<Schemas["TablePage"]>(workloadPath(run.id, "/tables/prices.groups"), { columns: "float_us", limit: 1 }, signal).then(
        (page) => page.rows > 0,
        () => false,
      ),
    ),
  );
  return tunings.filter((_, index) => known[index]);
}

function titled(run: Schemas["ListedRun"], what: string): string {
  return `${what} ${run.name}, ${age(Date.parse(run.created), Date.now())}`;
}

export async function read(run: string, models: Models, signal: AbortSignal): Promise<Known> {
  const [table, profiles, priced, pairs] = await Promise.all([
    tableOf(run, "diagnosis.activations", comparedColumns, signal),
    profilesOf(models, signal).catch(() => []),
    pricedRuns(models, signal).catch(() => []),
    tableOf(run, "pairing.pairs", ["op.id", "precision"], signal).catch(() => null),
  ]);
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
        const points = pointsOfWork(await readWork(run, stop), rows, isInt8);
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
