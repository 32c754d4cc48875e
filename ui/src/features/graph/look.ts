// SPDX-License-Identifier: Apache-2.0
// What boxes and wires look like, by what is known of their ops and values.
import { isEnd, type OpGraph } from "../../graph/ops";
import { steps } from "../../graph/paint-look";
import type { Shown } from "../../graph/shown";
import type { Tree } from "../../graph/tree";
import type { Figures } from "./figures";
import { flowBounds, type Flow } from "./flow";
import { greatest, summed } from "./groups";
import { isScaled, mostWords, stepOf, wordSteps, type Quantity, type Scaled, type Worded } from "./quantities";

export interface Coloured {
  values: Float64Array; // of each node; NaN: none. Of words: none
  steps: Uint8Array; // which fill
  strips: Float32Array;
}

type Words = ReadonlyMap<string, number>;
const fills = (quantity: Quantity) => (isScaled(quantity) ? 6 : mostWords + 1);

/** Words that have a colour, and which. */
export function wordsOf(quantity: Quantity, graph: OpGraph, all: readonly Figures[]): Words {
  return isScaled(quantity) ? new Map() : wordSteps(all.filter((_, op) => isCounted(graph, op)), quantity);
}

/** Not what hangs on others, nor the ends of the network. */
function isCounted(graph: OpGraph, op: number): boolean {
  return graph.host[op]! < 0 && !isEnd(graph, op);
}

export function hasUntold(quantity: Quantity, words: Words, graph: OpGraph, all: readonly Figures[]): boolean {
  return all.some((_, op) => isCounted(graph, op) && stepOfOp(quantity, words, all, op) === 0);
}

export function colouredBy(quantity: Quantity, words: Words, graph: OpGraph, tree: Tree, all: readonly Figures[]): Coloured {
  const values = isScaled(quantity) ? valuesBy(quantity, tree, all) : new Float64Array(tree.parent.length).fill(NaN);
  const steps = new Uint8Array(tree.parent.length);
  for (let op = 0; op < tree.ops; ++op) {
    if (isScaled(quantity) || !isEnd(graph, op)) steps[op] = stepOfOp(quantity, words, all, op);
  }
  const strips = stripsOf(graph, tree, steps, fills(quantity));
  for (let group = tree.ops; group < steps.length; ++group) {
    steps[group] = isScaled(quantity) ? stepOf(values[group]!, quantity) : wordOfAll(strips, group - tree.ops, fills(quantity));
  }
  return { values, steps, strips };
}

/** What is added up stands at the first op of a pattern alone, and colours all of it. */
function stepOfOp(quantity: Quantity, words: Words, all: readonly Figures[], op: number): number {
  const figures = all[op]!;
  if (!isScaled(quantity)) return words.get(quantity.word(figures)) ?? 0;
  const own = quantity.of(figures);
  return stepOf(Number.isNaN(own) && quantity.isSum && figures.owner >= 0 ? quantity.of(all[figures.owner]!) : own, quantity);
}

function valuesBy(quantity: Scaled, tree: Tree, all: readonly Figures[]): Float64Array {
  const of = (op: number) => quantity.of(all[op]!);
  if (quantity.isSum) {
    const [sums, counts] = [summed(tree, of), summed(tree, (op) => (Number.isNaN(of(op)) ? 0 : 1))];
    return sums.map((sum, node) => (counts[node] === 0 ? NaN : sum));
  }
  return quantity.isWorseLow ? greatest(tree, (op) => -of(op)).map((value) => -value) : greatest(tree, of);
}

/** Of each group, of each fill, the part of its boxes that have it. */
function stripsOf(graph: OpGraph, tree: Tree, steps: Uint8Array, count: number): Float32Array {
  const strips = new Float32Array((tree.parent.length - tree.ops) * count);
  const all = new Float32Array(tree.parent.length - tree.ops);
  for (let op = 0; op < tree.ops; ++op) {
    if (!isCounted(graph, op)) continue;
    const group = tree.parent[op]! - tree.ops;
    strips[group * count + steps[op]!]! += 1;
    all[group]! += 1;
  }
  for (let group = all.length - 1; group > 0; --group) {
    const above = tree.parent[tree.ops + group]! - tree.ops;
    all[above]! += all[group]!;
    for (let step = 0; step < count; ++step) strips[above * count + step]! += strips[group * count + step]!;
  }
  return strips.map((own, index) => own / Math.max(1, all[Math.floor(index / count)]!));
}

/** A group has a word's colour where all of it has. */
function wordOfAll(strips: Float32Array, index: number, count: number): number {
  const only = strips.subarray(index * count, (index + 1) * count).findIndex((part) => part === 1);
  return Math.max(0, only);
}

/** The second lines: the figure, of ops without one what they are part of; of groups how many ops there are. */
export function detailsOf(quantity: Quantity, coloured: Coloured, graph: OpGraph, tree: Tree, all: readonly Figures[]): string[] {
  const counts = summed(tree, (op) => (isEnd(graph, op) ? 0 : 1));
  return Array.from({ length: tree.parent.length }, (_, node) => {
    const figure = isScaled(quantity) ? shownFigure(quantity, coloured.values[node]!) : "";
    if (node >= tree.ops) return [countText(counts[node]!), figure].filter(Boolean).join(" · ");
    return isEnd(graph, node) ? figure : detailOf(quantity, figure, node, all);
  });
}

const countText = (count: number) => `${count} op${count === 1 ? "" : "s"}`;
const shownFigure = (quantity: Scaled, value: number) => (Number.isNaN(value) ? "" : quantity.show(value));

function detailOf(quantity: Quantity, figure: string, op: number, all: readonly Figures[]): string {
  if (!isScaled(quantity)) return secondWord(quantity, all[op]!);
  const { owner } = all[op]!;
  return owner >= 0 && owner !== op ? `with ${all[owner]!.type}` : figure;
}

/** Types are the titles. */
function secondWord(quantity: Worded, figures: Figures): string {
  return quantity.id === "type" ? figures.precision : quantity.word(figures);
}

/** Of each node whether one of these ops is in it; null: there are none. */
export function litNodes(tree: Tree, ops: Uint8Array | null): Uint8Array | null {
  return ops && Uint8Array.from(summed(tree, (op) => ops[op]!), (count) => (count > 0 ? 1 : 0));
}

/** Of each edge: those of compared values, then those of values that have the figures of what is before them; 0: not known. */
export function strokesOf({ sqnr, isOwn }: Flow): Uint8Array {
  return Uint8Array.from(sqnr, (value, edge) => {
    const step = stepOf(value, { bounds: flowBounds, isWorseLow: true });
    return step > 0 && isOwn[edge] === 0 ? step + steps : step;
  });
}

/** Wires that begin at an op, or all that begin or end there. */
export function wiresOf(shown: Shown, op: number, which: "made" | "all"): Set<number> {
  const { graph } = shown;
  const isOwn = (other: number) => other === op || graph.host[other] === op;
  return wiresWhere(shown, (edge) => isOwn(graph.source[edge]!) || (which === "all" && isOwn(graph.target[edge]!)));
}

/** All pieces of the way of which a wire is one: it may pass borders of groups. */
export function wiresWith(shown: Shown, wire: number): Set<number> {
  const { edges, edgeStarts } = shown.scene;
  const own = new Set(edges.subarray(edgeStarts[wire]!, edgeStarts[wire + 1]!));
  return wiresWhere(shown, (edge) => own.has(edge));
}

function wiresWhere({ scene }: Shown, holds: (edge: number) => boolean): Set<number> {
  const found = new Set<number>();
  for (let wire = 0; wire + 1 < scene.edgeStarts.length; ++wire) {
    if (scene.edges.subarray(scene.edgeStarts[wire]!, scene.edgeStarts[wire + 1]!).some(holds)) found.add(wire);
  }
  return found;
}
