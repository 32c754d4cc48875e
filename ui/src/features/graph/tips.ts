// SPDX-License-Identifier: Apache-2.0
// What people are told of what they point at, or have chosen by keys.
import { timeText } from "../../base/durations";
import { decibels, figure, percent } from "../../base/numbers";
import { isEnd, type OpGraph, type Value } from "../../graph/ops";
import type { Tree } from "../../graph/tree";
import type { Figures } from "./figures";
import type { Flow } from "./flow";
import { summed } from "./groups";
import { isScaled, type Quantity } from "./quantities";

export interface Told {
  name: string;
  kind: string;
  figures: (readonly [name: string, text: string])[];
  notes: string[]; // sentences below
}

const withUnit = (value: number) => `${decibels(value)} dB`;
const mostValues = 4;

function valueText({ dtype, shape }: Value): string {
  return [dtype, shape].filter((text) => text !== "?").join(" ") || "not known";
}

function edgesOf(ends: Int32Array, op: number): number[] {
  const found: number[] = [];
  ends.forEach((end, edge) => {
    if (end === op) found.push(edge);
  });
  return found;
}

/** Each value once. */
function valuesOf(graph: OpGraph, edges: readonly number[], title: string): (readonly [string, string])[] {
  const values = [...new Set(edges.map((edge) => graph.carries[edge]!))].map((value) => graph.values[value]!);
  const texts = values.slice(0, mostValues).map(valueText);
  if (values.length > mostValues) texts.push(`${values.length - mostValues} more`);
  return texts.map((text, index) => [values.length > 1 ? `${title} ${index + 1}` : title, text]);
}

function errorOf(figures: Figures): (readonly [string, string])[] {
  const { sqnr, drop, local, share, clip } = figures;
  const all: [string, number, (value: number) => string][] = [
    ["SQNR", sqnr, withUnit], ["SQNR drop", drop, withUnit], ["Local SQNR", local, withUnit], ["Output share", share, (value) => percent(value, 1)],
    ["Clipped", clip, (value) => percent(value, 2)],
  ];
  return all.flatMap(([name, value, show]) => (Number.isNaN(value) ? [] : [[name, show(value)] as const]));
}

/** Of an input or output of the network that of its value. */
export function nameOf(graph: OpGraph, op: number): string {
  if (!isEnd(graph, op)) return graph.names[op]!;
  const edge = graph.source.indexOf(op) >= 0 ? graph.source.indexOf(op) : graph.target.indexOf(op);
  return graph.values[graph.carries[edge] ?? -1]?.name ?? graph.names[op]!;
}

/** Where its value is read more than once. */
function readBy(graph: OpGraph, op: number): string {
  const readers = [...new Set(edgesOf(graph.source, op).map((edge) => graph.target[edge]!))].map((reader) => graph.names[reader]!);
  if (readers.length < 2) return "";
  return `Read by ${readers.slice(0, mostValues).join(", ")}${readers.length > mostValues ? ` and ${readers.length - mostValues} more` : ""}.`;
}

export function toldOfOp(graph: OpGraph, all: readonly Figures[], op: number, attributes: readonly (readonly [string, string])[] = []): Told {
  const own = all[op]!;
  const hanging = graph.types.filter((_, other) => graph.host[other] === op);
  const notes = [
    own.owner >= 0 && own.owner !== op ? `One with ${graph.names[own.owner]!}, whose figures these are.` : "",
    own.owner < 0 && !isEnd(graph, op) && all.some(({ owner }) => owner >= 0) ? "Not compared by itself." : "",
    own.reason === "" ? "" : `Not quantized: ${own.reason}.`,
    readBy(graph, op),
    hanging.length > 0 ? `Drawn with it: ${hanging.slice(0, 6).join(", ")}${hanging.length > 6 ? `, ${hanging.length - 6} more` : ""}.` : "",
  ];
  return {
    name: nameOf(graph, op),
    kind: graph.types[op]!,
    figures: [
      ...errorOf(own),
      ...(Number.isNaN(own.time) ? [] : [["Time", timeText(own.time)] as const]),
      ...(own.precision === "" ? [] : [["Precision", own.precision] as const]),
      ...valuesOf(graph, edgesOf(graph.target, op), "In"),
      ...valuesOf(graph, edgesOf(graph.source, op), "Out"),
      ...attributes,
    ],
    notes: notes.filter(Boolean),
  };
}

export function toldOfGroup(tree: Tree, node: number, quantity: Quantity, value: number, isOpen: boolean): Told {
  const count = summed(tree, () => 1)[node]!;
  const how = isScaled(quantity) && quantity.isSum ? "sum" : "worst";
  const alike = tree.alike.filter((number) => number >= 0 && number === tree.alike[node - tree.ops]).length;
  return {
    name: tree.paths[node - tree.ops]!,
    kind: `group of ${count} ops`,
    figures: isScaled(quantity) && !Number.isNaN(value) ? [[`${quantity.title}, ${how}`, quantity.show(value)]] : [],
    notes: [alike > 1 ? `${alike} groups are built like this one.` : "", isOpen ? "" : "Double click or Enter opens it."].filter(Boolean),
  };
}

/** Of a wire: the values on it, by its edges. */
export function toldOfWire(graph: OpGraph, flow: Flow | null, edges: readonly number[]): Told {
  const values = [...new Set(edges.map((edge) => graph.carries[edge]!))];
  const first = graph.values[values[0]!]!;
  const worst = flow ? edges.reduce((a, b) => (flow.sqnr[b]! < flow.sqnr[a]! || Number.isNaN(flow.sqnr[a]!) ? b : a)) : -1;
  const hasFigures = flow !== null && !Number.isNaN(flow.sqnr[worst]!);
  const error = hasFigures
    ? [[values.length > 1 ? "SQNR, worst" : "SQNR", withUnit(flow.sqnr[worst]!)] as const, ["MSE", figure(flow.mse[worst]!)] as const]
    : [];
  const [from, to] = [graph.source, graph.target].map((side) => graph.names[side[edges[0]!]!]!);
  const ends = edges.length === 1 ? [["From", from!] as const, ["To", to!] as const] : [];
  return {
    name: values.length === 1 ? first.name : `${values.length} values`,
    kind: values.length === 1 ? valueText(first) : "on one wire",
    figures: [...error, ...ends],
    notes: hasFigures && flow.isOwn[worst] === 0 ? ["Not compared: figures of the values before it."] : [],
  };
}

export function sentenceOf({ name, kind, figures, notes }: Told): string {
  const told = [`${name}, ${kind}`, ...figures.map(([title, text]) => `${title} ${text}`)].join("; ");
  return [`${told}.`, ...notes].join(" ");
}
