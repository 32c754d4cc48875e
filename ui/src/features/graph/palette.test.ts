// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { contrast, mixed, paletteOf, rgbOf, themeOf, type Rgb } from "./palette";

const light: Record<string, string> = {
  "--panel": "rgb(255, 255, 255)", "--text": "rgb(27, 31, 36)", "--muted": "rgb(91, 100, 112)",
  "--line": "rgb(213, 217, 222)", "--faint": "rgb(236, 238, 241)", "--accent": "rgb(185, 138, 0)", "--good": "rgb(0, 114, 178)", "--bad": "rgb(179, 38, 30)",
};
const dark: Record<string, string> = {
  "--panel": "rgb(29, 32, 36)", "--text": "rgb(230, 232, 235)", "--muted": "rgb(154, 163, 174)",
  "--line": "rgb(53, 58, 65)", "--faint": "rgb(40, 44, 50)", "--accent": "rgb(254, 201, 27)", "--good": "rgb(86, 180, 233)", "--bad": "rgb(255, 138, 128)",
};

/** As someone without the cones for red light, or for green light, sees a colour (Vienot, Brettel and Mollon 1999). */
function seenWithout(cone: "red" | "green", [red, green, blue]: Rgb): Rgb {
  const [r, g, b] = [red, green, blue].map((part) => (part / 255) ** 2.2) as unknown as Rgb;
  const yellow = cone === "red" ? 0.11238 * r + 0.88762 * g : 0.29275 * r + 0.70725 * g;
  const blueish = cone === "red" ? 0.00401 * r - 0.00401 * g + b : -0.02234 * r + 0.02234 * g + b;
  return [yellow, yellow, blueish].map((part) => 255 * Math.max(0, part) ** (1 / 2.2)) as unknown as Rgb;
}

const distance = (one: Rgb, other: Rgb) => Math.hypot(...one.map((part, index) => part - other[index]!));

it("colours are read as browsers compute them", () => {
  expect(rgbOf("rgb(1, 2, 3)")).toEqual([1, 2, 3]);
  expect(rgbOf("rgba(1, 2, 3, 0.5)").slice(0, 3)).toEqual([1, 2, 3]);
  expect(rgbOf("color(srgb 0.2 0.4 1)")).toEqual([51, 102, 255]);
  expect(mixed([0, 0, 0], [100, 200, 50], 0.5)).toEqual([50, 100, 25]);
  expect(contrast([0, 0, 0], [255, 255, 255])).toBe(21);
});

describe.each([["light", light], ["dark", dark]])("a palette, %s", (_, colours) => {
  const theme = themeOf((name) => colours[name]!);

  it.each([true, false])("has words that can be read on every box (words: %s)", (hasWords) => {
    for (const { fill, ink } of paletteOf(theme, hasWords).fills) expect(contrast(rgbOf(fill), rgbOf(ink))).toBeGreaterThanOrEqual(4.5);
  });

  it("goes in lightness from good to bad, also without red or green cones", () => {
    const fills = paletteOf(theme, false).fills.slice(1).map(({ fill }) => rgbOf(fill));
    for (const see of [(colour: Rgb) => colour, (colour: Rgb) => seenWithout("red", colour), (colour: Rgb) => seenWithout("green", colour)]) {
      const against = fills.map((fill) => contrast(see(fill), theme.panel));
      expect(against).toEqual([...against].sort((one, other) => one - other));
      fills.slice(1).forEach((fill, step) => expect(distance(see(fill), see(fills[step]!))).toBeGreaterThan(20));
    }
  });

  it("has words of which each looks unlike the others, also without red or green cones", () => {
    const fills = paletteOf(theme, true).fills.slice(1).map(({ fill }) => rgbOf(fill));
    for (const cone of ["red", "green"] as const) {
      fills.forEach((one, index) => fills.slice(index + 1).forEach((other) =>
        expect(distance(seenWithout(cone, one), seenWithout(cone, other))).toBeGreaterThan(15)));
    }
  });

  it("has wires that are wider the more error they carry", () => {
    const { strokes } = paletteOf(theme, false);
    expect(strokes).toHaveLength(11);
    const widths = strokes.slice(1, 6).map(({ width }) => width);
    expect(widths).toEqual([...widths].sort((one, other) => one - other));
    expect(strokes.slice(6).map(({ width }) => width)).toEqual(widths);
    expect(strokes.map(({ isDashed }) => isDashed)).toEqual([...Array(6).fill(false), ...Array(5).fill(true)]);
  });
});
