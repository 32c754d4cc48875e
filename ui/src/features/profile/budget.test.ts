// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { budgetRows, shareColumns, slices, wallLines } from "./budget";
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

it("two models are called Float and Int8", () => {
  expect(budgetRows(timesOf({ reference: side(0), quantized: side(1) })).map((row) => row.label)).toEqual(["Float", "Int8"]);
});

it("the table says what is known", () => {
  const [row] = budgetRows(timesOf(side(4)));
  expect(shareColumns.map((column) => column.show(row!))).toEqual(["net.onnx", "20.0 us", "5.00 us", "3.00 us", "2.00 us", "4.00 us"]);
  expect(wallLines.map(([, of]) => of(row!.side))).toEqual(
    ["34.0 us", "29.0 us to 40.0 us", "–, –, –", "9, 2, 1", "1, 3.00 us", "0.060 us"],
  );
});
