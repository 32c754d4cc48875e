// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { channelsCsv, channelsOf, channelText, firstOf, heatRows, shadeOf } from "./channels";

const answer = {
  channels: [0, 1, 2, 3], histograms: [1, 3], min: [-1, -4, "nan", 0], max: [1, 4, "nan", 0], mean: null, standard_deviation: [0.5, 2, "nan", 0],
  sqnr_db: [30, 10, "nan", "inf"], mse: [1, 2, "inf", 0],
};
const channels = channelsOf(answer)!;
const row = (field: string) => heatRows.find((one) => one.field === field)!;

describe("channels", () => {
  it("come worst first, without a figure last", () => expect(channels.all.map((one) => one.channel)).toEqual([1, 0, 3, 2]));
  it("say which figures are stored", () => {
    expect(channels.has.has("mean")).toBe(false);
    expect(channels.has.has("sqnr")).toBe(true);
    expect([...channels.counted]).toEqual([1, 3]);
    expect(channels.total).toBe(4);
    expect(channelsOf({ ...answer, total: 90_000 })?.total).toBe(90_000);
  });
  it("are ordered by MSE where there is no SQNR, and by number without either", () => {
    expect(channelsOf({ channels: [0, 1], mse: [1, 2], sqnr_db: null })?.all.map((one) => one.channel)).toEqual([1, 0]);
    expect(channelsOf({ channels: [0, 1] })?.all.map((one) => one.channel)).toEqual([0, 1]);
  });
  it("are none where nothing is stored by channel", () => {
    for (const nothing of [null, undefined, {}, { channels: [] }, { channels: null }, "x"]) expect(channelsOf(nothing)).toBeNull();
  });
  it("leave out lists of another length", () => expect(channelsOf({ channels: [0, 1], min: [1] })?.has.size).toBe(0));
});

describe("shades", () => {
  it("of figures grow with their size, by the square root", () => {
    const shade = shadeOf(channels.all, row("max"));
    expect(channels.all.map(shade)).toEqual([1, 0.5, 0, NaN]);
  });
  it("of SQNR are dark where it is low", () => {
    const shade = shadeOf(channels.all, row("sqnr"));
    expect(channels.all.map(shade)).toEqual([1, 0, 0, NaN]);
  });
  it("are light where all are alike", () => {
    const alike = channelsOf({ channels: [0, 1], sqnr_db: [20, 20], max: [0, 0] })!.all;
    expect(alike.map(shadeOf(alike, row("sqnr")))).toEqual([0, 0]);
    expect(alike.map(shadeOf(alike, row("max")))).toEqual([0, 0]);
    expect(alike.map(shadeOf(alike, row("mean")))).toEqual([NaN, NaN]);
  });
});

it("a channel is told in words", () => {
  expect(channelText(channels.all[0]!)).toBe("Channel 1: SQNR 10.0 dB, MSE 2, min −4, max 4, std 2");
  expect(channelText({ channel: 5, min: NaN, max: NaN, mean: NaN, deviation: NaN, sqnr: NaN, mse: NaN })).toBe("Channel 5: no finite element");
});

it("channels are saved", () => expect(channelsCsv(channels.all).split("\r\n")[1]).toBe("1,-4,4,NaN,2,10,2"));

it("the first ones that are drawn are the worst that were counted", () => {
  expect(firstOf([1, 3], channels, 1)).toEqual([1]);
  expect(firstOf([0, 3, 1], channels, 2)).toEqual([1, 0]);
  expect(firstOf([4, 5, 6], null, 2)).toEqual([4, 5]);
  expect(firstOf([], channels, 2)).toEqual([]);
});
