// SPDX-License-Identifier: Apache-2.0
// The tables of a profile. All times of a table are in one unit, those over all runs, too.
import { timeColumn } from "../../base/durations";
import { figure, percent } from "../../base/numbers";
import type { Field, Language } from "../../base/query";
import { languageOf, type Column } from "../../base/table";
import { opName, totalOf, type OpRow } from "./model";
import { clockOf, counted, shortType, times, type Clock } from "./said";
import type { NodeRow } from "./record";

const whole = (count: number): string => (Number.isFinite(count) ? count.toFixed(0) : figure(count));
const names = (ops: readonly { name: string }[]): string => ops.map((op) => op.name).join(", ");

function words<Row>(id: string, title: string, meaning: string, of: (row: Row) => string, width: number, isExtra = false): Column<Row> {
  return { id, title, meaning, of, show: (row) => of(row) || "–", first: "up", width, isExtra };
}

function reals<Row>(
  id: string, title: string, meaning: string, of: (row: Row) => number, show: (value: number) => string, width: number, isExtra = false,
): Column<Row> {
  return { id, title, meaning, of, show: (row) => show(of(row)), first: "down", width, isExtra };
}

/** A column of times in the unit of the table: sorted, asked and saved by the figures that it shows. */
type Timed<Row> = (id: string, title: string, meaning: string, of: (row: Row) => number, width: number) => Column<Row>;

function timed<Row>({ unit }: Clock, show: (us: number) => string): Timed<Row> {
  return (id, title, meaning, of, width) =>
    ({ ...reals<Row>(id, `${title} [${unit.name}]`, meaning, (row) => of(row) / unit.size, whole, width), show: (row) => show(of(row)) });
}

/** Over all runs: longer than what the table's figures are cut to. */
function timedOverall<Row>(clock: Clock, totals: readonly number[]): Timed<Row> {
  const most = totals.reduce((longest, us) => Math.max(longest, us || 0), 0);
  return timed(clock, timeColumn([most], clock.unit, 5));
}

export function nodeClock(nodes: readonly NodeRow[]): Clock {
  return clockOf(nodes.map((row) => row.mean));
}

export function nodeColumns(nodes: readonly NodeRow[], clock = nodeClock(nodes)): readonly Column<NodeRow>[] {
  const time = timed<NodeRow>(clock, clock.figure);
  const overall = timedOverall<NodeRow>(clock, nodes.map((row) => row.total));
  return [
    words("name", "Node", "name of the node in the runtime's graph", (row) => row.name, 230),
    time("mean", "Mean", "time of one run: mean of the middle half of the runs, less the timer's cost", (row) => row.mean, 108),
    reals("share", "Share", "mean over the time of one run", (row) => row.share, (value) => percent(value, 1), 88),
    {
      ...words<NodeRow>("type", "Type", "the runtime's operator; saved with its domain", (row) => row.type, 120),
      show: (row) => shortType(row.type) || "–",
    },
    words("role", "Role", "op: computes ops of the model; quantize, dequantize: conversions; reorder, transpose, cast: other layouts that the runtime put in",
      (row) => row.role, 100),
    overall("total", "Total time", "total execution time over all runs", (row) => row.total, 140),
    overall("accelerator", "Accelerator time", "accelerator execution time over all runs", (row) => row.accelerator, 190),
    overall("cpu", "CPU time", "CPU execution time over all runs", (row) => row.cpu, 136),
    reals("defined", "Op defined", "nodes that this row stands for", (row) => row.defined, whole, 112),
    reals("run", "Op run", "how often it ran", (row) => row.runs, whole, 88),
    time("median", "Median", "median of single runs", (row) => row.median, 124),
    time("p95", "P95", "95 % of the runs took no longer", (row) => row.p95, 100),
    reals("gops", "GOP/s", "arithmetic over time; a multiplication with its addition counts as two, so products have half as many GMAC/s",
      (row) => row.gigaops, figure, 80),
    reals("gbs", "GB/s", "inputs and outputs, each touched once, over time", (row) => row.gigabytes, figure, 72),
    words("bound", "Bound", "what the node keeps busy: compute or memory; else the cost of running a node at all", (row) => row.bound, 88),
    reals("scaling", "Scaling", "time with one thread over time with all", (row) => row.scaling, times, 84),
    words("ops", "Ops of the model", "what it computes; nothing: the runtime made it", (row) => names(row.ops) || "(made by the runtime)", 220, true),
    words("inputs", "Inputs", "type and shape of each", (row) => row.inputs.join(", "), 220, true),
    words("outputs", "Outputs", "type and shape of each", (row) => row.outputs.join(", "), 160, true),
    words("provider", "Provider", "execution provider", (row) => row.provider, 160, true),
    reals("operations", "Operations", "of one run", (row) => row.operations, figure, 92, true),
    reals("bytes", "Bytes", "read and written in one run", (row) => row.bytes, figure, 80, true),
    reals("position", "Position", "in the order of execution", (row) => row.position, whole, 80, true),
  ];
}

const nodeTexts: readonly Field<NodeRow>[] = [
  { names: ["type", "kind"], meaning: "the runtime's operator", text: (row) => row.type },
  { names: ["role"], meaning: "what the node is there for", text: (row) => row.role },
  { names: ["bound"], meaning: "what it keeps busy", text: (row) => row.bound },
  { names: ["ops"], meaning: "ops of the model that it computes", text: (row) => names(row.ops) },
  { names: ["provider"], meaning: "execution provider", text: (row) => row.provider },
  { names: ["inputs"], meaning: "types and shapes", text: (row) => row.inputs.join(" ") },
  { names: ["outputs"], meaning: "types and shapes", text: (row) => row.outputs.join(" ") },
];

export function nodeLanguage(columns: readonly Column<NodeRow>[]): Language<NodeRow> {
  return languageOf<NodeRow>(opName, nodeTexts, columns);
}

/** In what an op is computed: "int8", "float", or "float, lost" where the file asks for int8. */
export function precision(row: Pick<OpRow, "isInt8" | "isWrapped">): string {
  if (row.isInt8) return "int8";
  return row.isWrapped ? "float, lost" : "float";
}

const speed = (operations: number, us: number): number => (us > 0 ? operations / us / 1e3 : NaN);
const shareText = (value: number): string => percent(value, 1);

export function opClock(rows: readonly OpRow[]): Clock {
  return clockOf(rows.flatMap((row) => [row.float, totalOf(row)]));
}

/** Of both models. `wall`: of one run of the quantized model, in microseconds. */
export function opColumns(rows: readonly OpRow[], wall: number, clock = opClock(rows)): readonly Column<OpRow>[] {
  const time = timed<OpRow>(clock, clock.figure);
  const overall = timedOverall<OpRow>(clock, rows.map((row) => row.nodes.total));
  return [
    words("name", "Op", "name of the op; +1: and one that is computed with it", (row) => row.name, 210),
    words("type", "Type", "of the op that takes longest", (row) => row.type, 80),
    time("float", "FP32", "in one run of the float model", (row) => row.float, 104),
    time("int8", "INT8", "in one run of the quantized model: kernels, conversions and other layouts", totalOf, 104),
    reals("speedup", "Speed-up", "time in float over time in the quantized model", (row) => row.float / totalOf(row), times, 99),
    time("gain", "Gain", "what int8 gains there, conversions and layouts included; below 0 it is slower", (row) => row.gain, 104),
    reals("share", "Share of INT8", "of one run of the quantized model", (row) => totalOf(row) / wall, shareText, 130),
    words("precision", "Runs in", "what the runtime computes it in; lost: in float, though the file has it between quantizers", precision, 100),
    time("kernels", "Kernels", "of that, nodes that compute", (row) => row.kernels, 124),
    time("conversions", "Conversions", "of that, quantizers and dequantizers that it causes", (row) => row.conversions, 156),
    time("layouts", "Layouts", "of that, reorders, transposes and casts that the runtime put in", (row) => row.layouts, 124),
    words("floatNodes", "FP32 nodes", "types of the nodes that compute it", (row) => counted(row.floatNodes), 150),
    words("int8Nodes", "INT8 nodes", "types of the nodes that compute it", (row) => counted(row.int8Nodes), 170),
    reals("gops", "FP32 GOP/s", "arithmetic of the float model over its time; a multiplication with its addition counts as two",
      (row) => speed(row.nodes.operations, row.float), figure, 114),
    reals("gops8", "INT8 GOP/s", "the same arithmetic over the time of the quantized model's kernels; products have half as many GMAC/s",
      (row) => speed(row.nodes.operations, row.kernels), figure, 112),
    overall("total", "Total time", "total execution time of the float model's nodes over all runs", (row) => row.nodes.total, 140),
    overall("accelerator", "Accelerator time", "accelerator execution time, likewise", (row) => row.nodes.accelerator, 190),
    overall("cpu", "CPU time", "CPU execution time, likewise", (row) => row.nodes.cpu, 136),
    reals("defined", "Op defined", "nodes of the float model that compute it", (row) => row.nodes.defined, whole, 112),
    reals("run", "Op run", "how often the float model's nodes ran", (row) => row.nodes.runs, whole, 88),
    reals("ops", "Ops", "ops of the model in this row", (row) => row.ops.length, whole, 60, true),
    words("names", "Op names", "all ops of this row", (row) => names(row.ops), 260, true),
  ];
}

/** Of sums of a type, which a row is named after. */
export function ofTypes<Row>(columns: readonly Column<Row>[]): Column<Row>[] {
  return columns
    .filter((column) => column.id !== "type")
    .map((column) => (column.id === "name" ? { ...column, title: "Type", meaning: "the operator" } : column));
}

const opTexts: readonly Field<OpRow>[] = [
  { names: ["type", "kind"], meaning: "of the op that takes longest", text: (row) => row.type },
  { names: ["precision"], meaning: "int8, float or lost", text: precision },
  { names: ["floatNodes"], meaning: "types of nodes", text: (row) => row.floatNodes.join(" ") },
  { names: ["int8Nodes", "nodes"], meaning: "types of nodes", text: (row) => row.int8Nodes.join(" ") },
  { names: ["names", "ops"], meaning: "all ops of a row", text: (row) => names(row.ops) },
];

export function opLanguage(columns: readonly Column<OpRow>[]): Language<OpRow> {
  return languageOf<OpRow>((row) => row.ops.map((op) => op.name).join(" ") || row.name, opTexts, columns);
}
