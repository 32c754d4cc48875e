// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { csv } from "../../base/table";
import { budgetRows, runColumns, runTable, slices } from "./budget";
import { timesOf } from "./record";

const node = (role: string, mean: number, ops: unknown[] = [{ id: "a", name: "a" }]) => ({ name: role, type: role, role, ops, mean_us: mean });
const side = (rest: number) => ({ model: "/m/net.onnx", source: "quantlens", wall: { runs: 9, median_us: 30 + rest, median_interval: [29, 40] },
  outside_us: 2, event_us: 0.06, threads: 2, batch_size: 1, nodes: [node("op", 20), node("quantize", 5), node("cast", 3, [])] });

it("a run is made of slices one behind the other", () => {
  const [row] = budgetRows(timesOf(side(4)));
  expect(slices(row!).map((slice) => [slice.kind, slice.from, slice.us])).toEqual(
    [["kernels", 0, 20], ["conversions", 20, 5], ["layouts", 25, 3], ["outside", 28, 2], ["rest", 30, 4]],
  );
  expect(slices(budgetRows(timesOf(side(-4)))[0]!).at(-1)?.kind).toBe("outside");
  expect(slices(budgetRows(timesOf(null))[0]!)).toEqual([]);
});

it("two models are called as everywhere, one has no name", () => {
  expect(budgetRows(timesOf({ reference: side(0), quantized: side(1) })).map((row) => row.label)).toEqual(["FP32", "INT8"]);
  expect(budgetRows(timesOf(side(0)))[0]?.label).toBe("");
});

it("the table has parts with their shares, and how runs were timed, in one unit", () => {
  const rows = budgetRows(timesOf(side(4)));
  const { clock, parts, more } = runTable(rows);
  expect(clock.unit.name).toBe("µs");
  expect(parts.map((line) => [line.title, line.show(rows[0]!), line.share!(rows[0]!)])).toEqual([
    ["Kernels of ops", "20.00", "58.8 %"], ["Conversions", "5.00", "14.7 %"], ["Other layouts", "3.00", "8.8 %"],
    ["Entering and leaving", "2.00", "5.9 %"], ["Not accounted for", "4.00", "11.8 %"], ["One run", "34.00", "100.0 %"],
  ]);
  expect(more.map((line) => line.show(rows[0]!))).toEqual(["29.00 to 40.00", "–, –, –", "9, 2, 1", "1, 3.00", "0.060 µs"]);
  const others = runTable(budgetRows(timesOf({ ...side(4), source: "onnxruntime" })));
  expect(others.parts.at(-1)?.meaning).toBe("mean of single runs");
  expect(others.more.at(-1)?.show(rows[0]!)).toBe("0.060 µs");
});

it("all of it is saved", () => {
  const [head, line] = csv(budgetRows(timesOf(side(4))), runColumns).split("\r\n");
  expect(head).toMatch(/^Model,Kernels of ops \[us\],.*,Not accounted for \[us\],Median \[us\],95 % from \[us\],/);
  expect(line).toMatch(/^net\.onnx,20,5,3,2,4,34,29,40,/);
});
