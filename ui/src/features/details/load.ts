// SPDX-License-Identifier: Apache-2.0
// What the panel asks of the server.
import { ApiError, get, ifThere, send, workloadPath, type Schemas } from "../../api/client";
import type { Json } from "../../base/basket";
import { channelsOf, type Channels } from "./channels";
import { bitsOf, rangesOf, type Known } from "./chosen";
import { binnedOf, type Binned } from "./histogram";
import { findingsIn, rowsOf, type OpRows } from "./model";
import type { Planned, Tensor } from "./tensors";

export async function loadOp(run: string, op: string, signal: AbortSignal): Promise<OpRows> {
  return rowsOf(await get<unknown>(workloadPath(run, "/ops"), { op }, signal));
}

/** What is the same for all ops of a run. */
export interface OfRun extends Known {
  findings: ReturnType<typeof findingsIn>;
  isDiagnosed: boolean; // ops were compared
}
export const nothingOfRun: OfRun = { ranges: new Map(), bits: new Map(), recipe: null, findings: [], isDiagnosed: true };

let kept: { run: string; told: Promise<OfRun> } | null = null;

/** Read once for all ops, as soon as the run has ended. */
export function loadRun(run: string): Promise<OfRun> {
  if (kept?.run === run) return kept.told;
  const told = readRun(run);
  kept = { run, told };
  const forget = () => {
    if (kept?.told === told) kept = null;
  };
  told.then(({ isOver }) => isOver || forget(), forget);
  return told;
}

async function readRun(run: string): Promise<OfRun & { isOver: boolean }> {
  const record = (name: string) => get<unknown>(workloadPath(run, `/records/${name}`)).catch(() => null);
  const asked = { columns: "weight,scheme.bits", limit: 100_000 };
  const weights = get<unknown>(workloadPath(run, "/tables/plan.weights_quantized"), asked).catch(() => null);
  const [ranges, recipe, bits, shown] = await Promise.all([
    record("ranges"), record("recipe"), weights, get<Partial<Schemas["ShownRun"]>>(workloadPath(run)).catch(() => null),
  ]);
  const isOver = shown?.state === "success" || shown?.state === "failure";
  const isDiagnosed = shown?.files?.some((file) => file.record === "diagnosis") ?? true;
  return { ranges: rangesOf(ranges), bits: bitsOf(bits), recipe, findings: findingsIn(shown?.result), isDiagnosed, isOver };
}

let keptPlan: { run: string; planned: Promise<Planned> } | null = null;

/** Codes as they were planned, and ops that are computed as one: for ops that were not compared; read once for all. */
export function loadPlanned(run: string): Promise<Planned> {
  if (keptPlan?.run !== run) {
    const page = (list: string, columns: string) =>
      get<unknown>(workloadPath(run, `/tables/plan.${list}`), { columns, limit: 100_000 }).catch(() => null);
    const planned = Promise.all([
      page("activations", "value,scheme,params"), page("weights_quantized", "weight,scheme,params,uses"), page("ops", "op.id,op.name,members"),
    ]).then(([activations, weights, ops]) => ({ activations, weights, ops }));
    keptPlan = { run, planned };
  }
  return keptPlan.planned;
}

export interface Names {
  reference: string;
  quantized: string;
}

/** Under which names its counts are stored: what is only moved is stored as what it was moved from. */
export async function storedNames(run: string, tensor: Tensor, signal: AbortSignal): Promise<Names> {
  const own = { reference: tensor.name, quantized: tensor.quantized };
  if (tensor.sameAs === null) return own;
  const page = await get<Schemas["TablePage"]>(workloadPath(run, "/tables/pairing.pairs"),
    { columns: "reference,quantized", offset: tensor.sameAs, limit: 1 }, signal);
  const [reference, quantized] = [page.columns["reference"]?.[0], page.columns["quantized"]?.[0]];
  return typeof reference === "string" && typeof quantized === "string" ? { reference, quantized } : own;
}

const bins = 1000; // as many as there are to have: they are added up as the picture has room

/** Null where nothing was counted. */
export async function loadCounts(run: string, names: Names, channel: number | null, signal?: AbortSignal): Promise<Binned | null> {
  const asked = channel === null ? { ...names, bins } : { ...names, bins: bins / 2, channel };
  const pair = await ifThere(get<Schemas["HistogramPair"]>(workloadPath(run, "/histograms/pair"), asked, signal));
  return pair && binnedOf(pair);
}

const mostChannels = 50_000;

/** Null where nothing is stored by channel, or the server has no such route. */
export async function loadChannels(run: string, names: Names, signal: AbortSignal): Promise<Channels | null> {
  try {
    return channelsOf(await get<unknown>(workloadPath(run, "/histograms/channels"), { ...names, limit: mostChannels }, signal));
  } catch (problem) {
    if (problem instanceof ApiError) return null;
    throw problem;
  }
}

export function askWhatIf(run: string, change: Json, signal: AbortSignal): Promise<unknown> {
  return send<unknown>("POST", workloadPath(run, "/what-if"), { changes: [change] }, signal);
}
