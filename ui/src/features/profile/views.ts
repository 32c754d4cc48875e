// SPDX-License-Identifier: Apache-2.0
// Which picture of a profile is shown, of which model, as the address holds it.
import type { Times } from "./record";

export type Mode = "ops" | "types" | "scopes" | "flame" | "run" | "findings";
export type Of = "both" | "float" | "int8";

export interface Choice<Id extends string> {
  id: Id;
  title: string;
  meaning: string;
}

export function modesOf(times: Times, of: Of = sideOf(undefined, times)): Choice<Mode>[] {
  const isPair = times.pair !== null;
  const modes: Choice<Mode>[] = [
    of === "both" ? { id: "ops", title: "Ops", meaning: "each op of the float model, in both models" }
      : { id: "ops", title: "Nodes", meaning: "each node of the runtime's graph" },
    { id: "types", title: "By type", meaning: "sums of each type" },
    { id: "scopes", title: "By scope", meaning: "sums of each part of the network, as the ops' names tell it" },
    { id: "flame", title: "Flame", meaning: "scopes inside each other, as wide as their time" },
    { id: "run", title: "Whole run", meaning: "what one run is made of, and how it was timed" },
  ];
  const findings = times.pair?.findings.length ?? 0;
  if (isPair) modes.push({ id: "findings", title: `Remedies (${findings})`, meaning: "what is no faster in int8, and what was tried against it" });
  return modes;
}

export function modeOf(text: string | undefined, times: Times): Mode {
  return modesOf(times).find((mode) => mode.id === text)?.id ?? "ops";
}

/** Tables can be of one of two models: of the nodes of its runtime's graph. */
export const sides: readonly Choice<Of>[] = [
  { id: "both", title: "Both", meaning: "ops of the float model, joined with those of the quantized one" },
  { id: "float", title: "FP32 nodes", meaning: "nodes of the runtime's graph of the float model" },
  { id: "int8", title: "INT8 nodes", meaning: "nodes of the runtime's graph of the quantized model" },
];

export function sideOf(text: string | undefined, times: Times): Of {
  if (!times.pair) return "float";
  return text === "float" || text === "int8" ? text : "both";
}
