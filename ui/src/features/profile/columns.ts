// SPDX-License-Identifier: Apache-2.0
// The tables of a profile. Times that are over all runs are whole microseconds, as the predecessors have them.
import { figure, percent } from "../../base/numbers";
import type { Field } from "../../base/query";
import { languageOf, type Column } from "../../base/table";
import { opName, totalOf, type OpRow } from "./model";
import { counted, times } from "./said";
import type { NodeRow } from "./record";

const whole = (us: number): string => (Number.isFinite(us) ? us.toFixed(0) : figure(us));
const fine = (us: number): string => (Number.isFinite(us) ? us.toFixed(2).replace("-", "−") : figure(us));
const names = (ops: readonly { name: string }[]): string => ops.map((op) => op.name).join(", ");

function words<Row>(id: string, title: string, meaning: string, of: (row: Row) => string, width: number, isExtra = false): Column<Row> {
  return { id, title, meaning, of, show: (row) => of(row) || "–", first: "up", width, isExtra };
}

function reals<Row>(
  id: string, title: string, meaning: string, of: (row: Row) => number, show: (value: number) => string, width: number, isExtra = false,
): Column<Row> {
  return { id, title, meaning, of, show: (row) => show(of(row)), first: "down", width, isExtra };
}

export const nodeColumns: readonly Column<NodeRow>[] = [
  words("name", "Name", "the node in the runtime's graph", (row) => row.name, 250),
  reals("total", "Total time [us]", "Total execution time over all runs", (row) => row.total, whole, 140),
  reals("mean", "Mean [us]", "Time of one run: mean of the middle half of the runs, less the cost of the timer", (row) => row.mean, fine, 104),
  reals("share", "Share", "Mean over the time of one run", (row) => row.share, (value) => percent(value, 1), 88),
  {
    ...words<NodeRow>("type", "Type", "The runtime's operator; saved with its domain", (row) => row.type, 120),
    show: (row) => row.type.split(".").at(-1) || "–",
  },
  words("role", "Role", "op: computes ops of the model; quantize, dequantize: conversions; reorder, transpose, cast: other layouts that the runtime put in",
    (row) => row.role, 100),
  reals("accelerator", "Accelerator time [us]", "Accelerator execution time over all runs", (row) => row.accelerator, whole, 176),
  reals("cpu", "CPU time [us]", "CPU execution time over all runs", (row) => row.cpu, whole, 126),
  reals("defined", "Op defined", "Nodes that this row stands for", (row) => row.defined, whole, 104),
  reals("run", "Op run", "How often it ran", (row) => row.runs, whole, 88),
  reals("median", "Median [us]", "Median of single runs", (row) => row.median, fine, 110),
  reals("p95", "P95 [us]", "95 % of the runs took no longer", (row) => row.p95, fine, 100),
  reals("gops", "GOP/s", "Arithmetic over time; a multiplication with its addition counts as two, so products have half as many GMAC/s",
    (row) => row.gigaops, figure, 80),
  reals("gbs", "GB/s", "Inputs and outputs, each touched once, over time", (row) => row.gigabytes, figure, 72),
  words("bound", "Bound", "What the node keeps busy: compute or memory; else the cost of running a node at all", (row) => row.bound, 88),
  reals("scaling", "Scaling", "Time with one thread over time with all", (row) => row.scaling, times, 80),
  words("ops", "Ops of the model", "What it computes; of nothing: the runtime made it", (row) => names(row.ops) || "(made by the runtime)", 220, true),
  words("inputs", "Inputs", "Type and shape of each", (row) => row.inputs.join(", "), 220, true),
  words("outputs", "Outputs", "Type and shape of each", (row) => row.outputs.join(", "), 160, true),
  words("provider", "Provider", "Execution provider", (row) => row.provider, 160, true),
  reals("operations", "Operations", "Of one run", (row) => row.operations, figure, 92, true),
  reals("bytes", "Bytes", "Read and written in one run", (row) => row.bytes, figure, 80, true),
  reals("position", "Position", "In the order of execution", (row) => row.position, whole, 80, true),
];

const nodeTexts: readonly Field<NodeRow>[] = [
  { names: ["type", "kind"], meaning: "the runtime's operator", text: (row) => row.type },
  { names: ["role"], meaning: "what the node is there for", text: (row) => row.role },
  { names: ["bound"], meaning: "what it keeps busy", text: (row) => row.bound },
  { names: ["ops"], meaning: "ops of the model that it computes", text: (row) => names(row.ops) },
  { names: ["provider"], meaning: "execution provider", text: (row) => row.provider },
  { names: ["inputs"], meaning: "types and shapes", text: (row) => row.inputs.join(" ") },
  { names: ["outputs"], meaning: "types and shapes", text: (row) => row.outputs.join(" ") },
];

export const nodeLanguage = languageOf<NodeRow>(opName, nodeTexts, nodeColumns);

/** In what an op is computed: "int8", "float", or "float, lost" where the file asks for int8. */
export function precision(row: Pick<OpRow, "isInt8" | "isWrapped">): string {
  if (row.isInt8) return "int8";
  return row.isWrapped ? "float, lost" : "float";
}

const speed = (operations: number, us: number): number => (us > 0 ? operations / us / 1e3 : NaN);
const shareText = (value: number): string => percent(value, 1);

/** Of both models. `wall`: of one run of the quantized model, in microseconds. */
export function opColumns(wall: number): readonly Column<OpRow>[] {
  return [
    words("name", "Name", "Op of the float model; +1: and one that is computed with it", (row) => row.name, 200),
    words("type", "Type", "Of the op that takes longest", (row) => row.type, 80),
    reals("float", "Float [us]", "In one run of the float model", (row) => row.float, fine, 94),
    reals("int8", "Int8 [us]", "In one run of the quantized model: kernels, conversions and other layouts", totalOf, fine, 96),
    reals("speedup", "Speed-up", "Time in float over time in the quantized model", (row) => row.float / totalOf(row), times, 92),
    reals("gain", "Gain [us]", "Float less int8; below 0 it is slower", (row) => row.gain, fine, 104),
    reals("share", "Share of int8", "Of one run of the quantized model", (row) => totalOf(row) / wall, shareText, 126),
    words("precision", "Computed in", "lost: the file has it between quantizers, and the runtime computes it in float", precision, 116),
    reals("kernels", "Kernels [us]", "Of that, nodes that compute", (row) => row.kernels, fine, 110),
    reals("conversions", "Conversions [us]", "Of that, quantizers and dequantizers that it causes", (row) => row.conversions, fine, 146),
    reals("layouts", "Layouts [us]", "Of that, reorders, transposes and casts that the runtime put in", (row) => row.layouts, fine, 112),
    words("floatNodes", "Float nodes", "Types of the nodes that compute it", (row) => counted(row.floatNodes), 150),
    words("int8Nodes", "Int8 nodes", "Types of the nodes that compute it", (row) => counted(row.int8Nodes), 170),
    reals("gops", "Float GOP/s", "Arithmetic of the float model over its time; a multiplication with its addition counts as two",
      (row) => speed(row.nodes.operations, row.float), figure, 112),
    reals("gops8", "Int8 GOP/s", "The same arithmetic over the time of the quantized model's kernels; products have half as many GMAC/s",
      (row) => speed(row.nodes.operations, row.kernels), figure, 108),
    reals("total", "Total time [us]", "Total execution time of the float model's nodes over all runs", (row) => row.nodes.total, whole, 140),
    reals("accelerator", "Accelerator time [us]", "Accelerator execution time, likewise", (row) => row.nodes.accelerator, whole, 176),
    reals("cpu", "CPU time [us]", "CPU execution time, likewise", (row) => row.nodes.cpu, whole, 126),
    reals("defined", "Op defined", "Nodes of the float model that compute it", (row) => row.nodes.defined, whole, 104),
    reals("run", "Op run", "How often the float model's nodes ran", (row) => row.nodes.runs, whole, 88),
    reals("ops", "Ops", "Ops of the model in this row", (row) => row.ops.length, whole, 60, true),
    words("names", "Op names", "All ops of this row", (row) => names(row.ops), 260, true),
  ];
}

const opTexts: readonly Field<OpRow>[] = [
  { names: ["type", "kind"], meaning: "of the op that takes longest", text: (row) => row.type },
  { names: ["precision"], meaning: "int8, float or lost", text: precision },
  { names: ["floatNodes"], meaning: "types of nodes", text: (row) => row.floatNodes.join(" ") },
  { names: ["int8Nodes", "nodes"], meaning: "types of nodes", text: (row) => row.int8Nodes.join(" ") },
  { names: ["names", "ops"], meaning: "all ops of a row", text: (row) => names(row.ops) },
];

export const opLanguage = (wall: number) => languageOf<OpRow>((row) => row.ops.map((op) => op.name).join(" ") || row.name, opTexts, opColumns(wall));
