// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { rowsOf } from "./model";
import { ownerOf, plannedOf, tensorsOf } from "./tensors";

describe("tensors", () => {
  const nothing = { ranges: new Map(), bits: new Map<string, number>(), recipe: null };
  const op = { id: "y", name: "Conv_1" };
  const rows = rowsOf({
    activations: [{ op, type: "Conv", value: "y", quantized: "yq", min: -2, max: 3, clip_rate: 0.002, clip_rate_interval: [0.001, 0.003] }],
    pairs: [{ reference: "y", quantized: "yq", scheme: { dtype: "uint8", symmetric: false, axis: null, bits: 8 },
      params: { scale: 0.01, zero_point: 100 }, channel_params: [], same_as: 4 }],
    weights: [{ op, type: "Conv", weight: "w", quantized: "wq", dtype: "int8", granularity: "per_channel", sqnr_db: "inf", channels: 2,
      worst_channel: 1, worst_channel_sqnr_db: 20, channel_spread: 3, reference: { min: -1, max: 1 } }],
    weight_pairs: [{ quantized: "wq", scheme: { dtype: "int8", symmetric: true, axis: 0, bits: 8 }, params: { scale: [0.1, 0.2], zero_point: 0 } }],
  });
  const ranges = new Map([["y", { min: -1, max: 1.55, by: "mse" }]]);
  const made = tensorsOf(rows, rows.activations[0], { ranges, bits: new Map([["w", 7]]), recipe: {} });
  it("are the activation and each weight", () => {
    expect(made.map((one) => [one.id, one.title, one.sameAs])).toEqual([["activation", "Activation", 4], ["weight 0", "Weight", null]]);
  });
  it("say what their codes are", () => {
    const facts = Object.fromEntries(made[0]!.facts);
    expect(facts).toMatchObject({ Codes: "uint8, asymmetric", Granularity: "per tensor", "Range by": "mse", Scale: "0.01", "Zero point": "100",
      Clipped: "0.2 % (0.1 to 0.3 %)" });
    expect(Object.fromEntries(made[1]!.facts)).toMatchObject({ Codes: "int8, symmetric, 7 bits in use",
      Granularity: "per channel, axis 0", "Range by": "minmax", Scale: "2 scales from 0.1 to 0.2", SQNR: "∞ dB of its rounding" });
  });
  it("that are moved have the range of their source", () => {
    const [moved] = tensorsOf(rows, rows.activations[0], nothing);
    expect(Object.fromEntries(moved!.facts)["Range by"]).toBe("that of its source, which it only moves");
  });
  it("have a reach where they have one scale", () => {
    expect(made[0]!.reach).toEqual([-1, 1.55]);
    expect(made[1]!.reach).toBeNull();
    expect(made[1]!.data).toEqual([-1, 1]);
  });
  it("of an old record lack what it lacks", () => {
    const bare = rowsOf({ activations: [{ op, type: "Conv", value: "y", quantized: "" }],
      weights: [{ type: "Conv", weight: "w", quantized: "wq" }] });
    const [first, second] = tensorsOf(bare, bare.activations[0], nothing);
    expect(first?.facts).toEqual([["Codes", "none: what is compared are floats"]]);
    expect(second?.scheme).toBeNull();
    expect(tensorsOf(rowsOf({}), undefined, nothing)).toEqual([]);
  });
});

describe("tensors that were not compared", () => {
  const op = { id: "y", name: "Conv_1" };
  const known = { ranges: new Map([["relu", { min: 0, max: 1, by: "mse" }]]), bits: new Map<string, number>(), recipe: {} };
  const scheme = (dtype: string, axis: number | null) => ({ dtype, symmetric: axis !== null, axis, bits: 8 });
  const planned = {
    activations: { columns: { value: ["x", "relu"], scheme: [scheme("uint8", null), scheme("uint8", null)],
      params: [{ scale: 1, zero_point: 0 }, { scale: 0.01, zero_point: 100 }] } },
    weights: { columns: { weight: ["w", "b", "other"], scheme: [scheme("int8", 0), scheme("int32", 0), scheme("int8", 0)],
      params: [{ scale: [0.1, 0.2], zero_point: 0 }, [], { scale: [1, 2], zero_point: 0 }],
      uses: [[{ op: "y", input: 1 }], [{ op: "y", input: 2 }], [{ op: "z", input: 1 }]] } },
    ops: { columns: { "op.id": ["y", "relu", "z"], "op.name": ["Conv_1", "Relu_1", "Conv_2"], members: [["y", "relu"], [], ["z"]] } },
  };
  it("may have the figures of the op that they are computed as one with", () => {
    expect(ownerOf("relu", planned)).toEqual({ id: "y", name: "Conv_1", value: "relu" });
    for (const other of ["y", "z", "gone"]) expect(ownerOf(other, planned)).toBeNull();
    expect(ownerOf("relu", { ...planned, ops: null })).toBeNull();
  });
  it("have codes where they are planned", () => {
    const made = plannedOf(rowsOf({ plan: [{ op, type: "Conv", members: ["y", "relu"] }] }), planned, known);
    expect(made.map((one) => [one.title, one.name])).toEqual([["Activation", "relu"], ["Weight", "w"]]);
    expect(Object.fromEntries(made[0]!.facts)).toMatchObject({ "Codes reach": "−1 to 1.55", "Range by": "mse" });
    expect(Object.fromEntries(made[1]!.facts)).toMatchObject({ Scale: "2 scales from 0.1 to 0.2", "Range by": "minmax" });
  });
  it("are shown once where a plan has a value twice", () => {
    const { value, scheme: schemes, params } = planned.activations.columns;
    const twice = { columns: { value: [...value, ...value], scheme: [...schemes, ...schemes], params: [...params, ...params] } };
    const made = plannedOf(rowsOf({ plan: [{ op, type: "Conv", members: ["y", "relu"] }] }), { ...planned, activations: twice }, known);
    expect(made.map((one) => one.id)).toEqual(["activation", "weight 1"]);
  });
  it("alone have that of their result", () => {
    const made = plannedOf(rowsOf({ plan: [{ op, type: "Conv", members: [] }], graph: [{ outputs: ["x"] }] }), planned, known);
    expect(made[0]?.name).toBe("x");
  });
  it("have none where no plan says it", () => {
    expect(plannedOf(rowsOf({}), planned, known)).toEqual([]);
    expect(plannedOf(rowsOf({ plan: [{ op, type: "Conv" }] }), { activations: null, weights: {}, ops: null }, known)).toEqual([]);
  });
});
