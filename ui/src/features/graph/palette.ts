// SPDX-License-Identifier: Apache-2.0
// Colours of boxes and wires, mixed from those of the theme. Steps differ in lightness, words in hue and lightness (the colours of
// Okabe and Ito), so that they are told apart by everyone.
import type { Palette } from "../../graph/paint-look";
import { mostWords } from "./quantities";

export type Rgb = readonly [number, number, number];

const enough = 4.5; // contrast that words need (WCAG AA)
const others: readonly Rgb[] = [[255, 255, 255], [0, 0, 0]]; // of which one is read on any colour

/** Of "rgb(1, 2, 3)", as browsers compute colours. */
export function rgbOf(text: string): Rgb {
  const [red, green, blue] = (text.match(/[\d.]+/g) ?? []).map(Number);
  const scale = text.startsWith("color(") ? 255 : 1; // color(srgb 0.1 0.2 0.3)
  return [(red ?? 0) * scale, (green ?? 0) * scale, (blue ?? 0) * scale];
}

export function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  return [0, 1, 2].map((part) => from[part]! + (to[part]! - from[part]!) * share) as unknown as Rgb;
}

function text(colour: Rgb): string {
  return `rgb(${colour.map(Math.round).join(",")})`;
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** As WCAG has it. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** In the page's ink where that is read. */
function on(colour: Rgb, ink: Rgb): { fill: string; ink: string } {
  return { fill: text(colour), ink: text([ink, ...others].find((one) => contrast(colour, one) >= enough) ?? ink) };
}

const words: readonly Rgb[] = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [240, 228, 66]];
const shares = [0.08, 0.24, 0.42, 0.64, 0.9]; // of the worst colour, in each step
const flowShares = [0, 0.3, 0.55, 0.8, 1];
const flowWidths = [1.2, 1.8, 2.6, 3.8, 5.2]; // units

const names = ["panel", "text", "muted", "line", "faint", "accent", "good", "bad"] as const;
export type Theme = Record<(typeof names)[number], Rgb>;

/** `colour`: of a name of the theme. */
export function themeOf(colour: (name: string) => string): Theme {
  return Object.fromEntries(names.map((name) => [name, rgbOf(colour(`--${name}`))])) as Theme;
}

/** `hasWords`: words are told apart, not steps. Fill 0: nothing is known. */
export function paletteOf({ panel, text: ink, muted, line, faint, accent, good, bad }: Theme, hasWords: boolean): Palette {
  const none = mixed(panel, faint, 0.7);
  const known = hasWords
    ? words.slice(0, mostWords).map((word) => mixed(word, panel, 0.35))
    : shares.map((share) => mixed(faint, bad, share));
  const wire = mixed(panel, muted, 0.62);
  const flows = (isDashed: boolean) =>
    flowShares.map((share, step) => ({ colour: text(mixed(wire, bad, share)), width: flowWidths[step]!, isDashed }));
  return {
    panel: text(panel),
    text: text(ink),
    muted: text(muted),
    line: text(mixed(line, muted, 0.35)),
    accent: text(accent),
    focus: text(good),
    bad: text(bad),
    fills: [none, ...known].map((fill) => on(fill, ink)),
    strokes: [{ colour: text(wire), width: 1.2, isDashed: false }, ...flows(false), ...flows(true)],
  };
}
