// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { markText, timeColumn, timeFigure, timeText, unitOf, unitOfAll } from "./durations";

it("a time alone is in the unit in which it has three digits", () => {
  expect([0.5, 12.34, 812, 1240, 12_400, 2.3e6, -1500, 0, NaN].map((us) => timeText(us))).toEqual(
    ["0.500 µs", "12.3 µs", "812 µs", "1.24 ms", "12.4 ms", "2.30 s", "−1.50 ms", "0 µs", "–"],
  );
  expect([999.4, 999.6, 999_600].map((us) => timeText(us))).toEqual(["999 µs", "1.00 ms", "1.00 s"]);
});

it("times beside each other are in the unit of the longest", () => {
  const unit = unitOfAll([2783, 103, NaN, 51.04, -9]);
  expect(unit.name).toBe("ms");
  expect([2783, 103, 51.04, 0.2, -0.2].map((us) => timeText(us, unit))).toEqual(["2.78 ms", "0.103 ms", "0.051 ms", "0.000 ms", "0.000 ms"]);
  expect([0, 500, 1500, 20_000].map((us) => markText(us, unit))).toEqual(["0", "0.5 ms", "1.5 ms", "20 ms"]);
  expect(unitOfAll([]).name).toBe("µs");
  expect(unitOfAll([-4000]).name).toBe("ms");
});

it("has as many digits as are asked for", () => {
  expect(timeText(53.8163, unitOf(53.8163), 4)).toBe("53.82 µs");
  expect(timeText(64_362, undefined, 4)).toBe("64.36 ms");
  expect(timeFigure(43.578, unitOf(8000))).toBe("0.044");
  expect(timeFigure(NaN, unitOf(1))).toBe("–");
});

it("figures of a column have their points below each other", () => {
  const times = [53.816, 9.1, NaN];
  const show = timeColumn(times, unitOfAll(times));
  expect([53.816, 9.1, 0, -0.001, -8.32, NaN].map(show)).toEqual(["53.82", "9.10", "0.00", "0.00", "−8.32", "–"]);
  const ms = unitOf(8701);
  expect(timeColumn([8701, 43], ms)(43)).toBe("0.043");
  expect(timeColumn([299_989], ms)(5210)).toBe("5.2");
  expect(timeColumn([], unitOf(0))(0.5)).toBe("0.500");
});
