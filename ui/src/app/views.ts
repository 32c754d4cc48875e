// SPDX-License-Identifier: Apache-2.0
// The tabs of a run, in the order in which they are shown: those whose records it has.
import type { Component } from "svelte";

import { askAhead, type Schemas } from "../api/client";
import { has, type ViewProps } from "../base/view";
import { asked } from "../features/ops/model";
import Ops from "../features/ops/Ops.svelte";
import Weights from "../features/weights/Weights.svelte";

export interface View {
  id: string;
  title: string;
  meaning: string;
  load: () => Promise<{ default: Component<ViewProps> }>; // apart from the first page, but for the tables
  ahead?: (shown: Schemas["ShownRun"]) => void; // asks for its tables before it is there
  isThere: (shown: Schemas["ShownRun"]) => boolean;
  hasOps: boolean; // an op can be selected in it, whose details stand beside it
}

type GraphFile = typeof import("../features/graph/Graph.svelte");
let graphFile: GraphFile | undefined; // known at once, where an import would wait until the page around it is made
const graph = async () => (graphFile ??= await import("../features/graph/Graph.svelte"));
const beginGraph = (shown: Schemas["ShownRun"]) => {
  if (graphFile) graphFile.begin(shown);
  else void graph().then(({ begin }) => begin(shown), () => undefined);
};

const views: readonly View[] = [
  { id: "tuning", title: "Tuning", meaning: "trials of the search", load: () => import("../features/tuning/Tuning.svelte"), isThere: (shown) => has(shown, "study"), hasOps: false },
  { id: "profile", title: "Profile", meaning: "where the time goes", load: () => import("../features/profile/Profile.svelte"),
    isThere: (shown) => has(shown, "profile") || has(shown, "benchmark"), hasOps: false },
  { id: "ops", title: "Ops", meaning: "error of each op", load: () => Promise.resolve({ default: Ops }),
    ahead: ({ id }) => askAhead(id, "diagnosis.activations", asked), isThere: (shown) => has(shown, "diagnosis"), hasOps: true },
  { id: "weights", title: "Weights", meaning: "error of each weight", load: () => Promise.resolve({ default: Weights }), isThere: (shown) => has(shown, "diagnosis"), hasOps: true },
  { id: "graph", title: "Graph", meaning: "the network, and the error that flows through it", load: graph,
    ahead: beginGraph, isThere: (shown) => has(shown, "graph"), hasOps: true },
  { id: "network", title: "Along the network", meaning: "SQNR of every op in the order of execution", load: () => import("../features/network/Network.svelte"),
    isThere: (shown) => has(shown, "diagnosis"), hasOps: true },
  { id: "costs", title: "Cost and harm", meaning: "what int8 gains in time against what it costs in error", load: () => import("../features/costs/Costs.svelte"),
    isThere: (shown) => has(shown, "diagnosis"), hasOps: true },
  { id: "floats", title: "Still float", meaning: "which ops stayed float, and why", load: () => import("../features/floats/Floats.svelte"), isThere: (shown) => has(shown, "plan"), hasOps: true },
  { id: "accuracy", title: "Accuracy", meaning: "both models over the same samples, and those whose answer changed", load: () => import("../features/accuracy/Accuracy.svelte"),
    isThere: (shown) => has(shown, "accuracy"), hasOps: false },
];

/** The files of a view that the address names arrive while its run is asked for; who shows the view is told where they do not. */
export function fetchView(id: string | null): void {
  views.find((view) => view.id === id)?.load().catch(() => undefined);
}

/** A graph that no errors colour says less than the tables, which come before it. */
export function viewsOf(shown: Schemas["ShownRun"]): View[] {
  const there = views.filter((view) => view.isThere(shown));
  const first = has(shown, "diagnosis") ? [] : shown.state === "failure" ? ["accuracy", "floats"] : ["accuracy"];
  const others = there.filter(({ id }) => !first.includes(id));
  const at = others.findIndex(({ id }) => id === "graph");
  if (at < 0) return there;
  return [...others.slice(0, at), ...first.flatMap((id) => there.filter((view) => view.id === id)), ...others.slice(at)];
}

/** The one of this id; the first one where there is none. */
export function viewOf(among: readonly View[], id: string | null): View | undefined {
  return among.find((view) => view.id === id) ?? among[0];
}
