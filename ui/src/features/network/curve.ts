// SPDX-License-Identifier: Apache-2.0
// Where things stand in the chart along the network, as SVG paths: one path for all that looks alike, so that 10,000 ops are
// a handful of elements.
import type { Step } from "./model";

export interface Box {
  left: number;
  right: number; // edges, in pixels
  top: number;
  bottom: number;
}

/** The steps in sight, both ends included. */
export interface Zoom {
  from: number;
  to: number;
}

export function zoomOf(held: string | undefined, count: number): Zoom {
  const whole = { from: 0, to: Math.max(0, count - 1) };
  const found = /^(\d{1,9})-(\d{1,9})$/.exec(held ?? "");
  if (!found) return whole;
  const [from, to] = [Number(found[1]), Math.min(Number(found[2]), count - 1)];
  return to - from >= 1 ? { from, to } : whole;
}

/** Null where it is all that there is. */
export function zoomText(zoom: Zoom, count: number): string | null {
  return zoom.from <= 0 && zoom.to >= count - 1 ? null : `${zoom.from}-${zoom.to}`;
}

/** Nearer by half, or farther, around a step; not below a handful of steps. */
export function zoomed(zoom: Zoom, around: number, factor: number, count: number): Zoom {
  const length = Math.min(count, Math.max(5, Math.round((zoom.to - zoom.from + 1) * factor)));
  const from = Math.max(0, Math.min(Math.round(around - length / 2), count - length));
  return { from, to: Math.min(count - 1, from + length - 1) };
}

/** Moved just so far that the step is in sight. */
export function withStep(zoom: Zoom, step: number): Zoom {
  const length = zoom.to - zoom.from;
  if (step < zoom.from) return { from: step, to: step + length };
  return step > zoom.to ? { from: step - length, to: step } : zoom;
}

export interface Range {
  low: number;
  high: number;
  isCut: boolean; // there are figures above it
}

const most = 60; // dB: more makes no difference, and drops are counted to here

/** Decibels in sight: whole tens around all figures. */
export function rangeOf(steps: readonly Step[]): Range {
  let [low, high, isCut] = [20, 30, false];
  for (const { sqnr, sqnrInterval, local } of steps) {
    for (const figure of [sqnr, local, sqnrInterval?.[0] ?? NaN, sqnrInterval?.[1] ?? NaN]) {
      if (Number.isNaN(figure)) continue;
      if (figure > most) isCut = true;
      low = Math.min(low, Math.max(figure, -20));
      high = Math.max(high, Math.min(figure, most));
    }
  }
  return { low: Math.floor(low / 10) * 10, high: Math.ceil(high / 10) * 10, isCut };
}

export class Scale {
  constructor(
    readonly box: Box,
    readonly zoom: Zoom,
    readonly range: Range,
  ) {}

  get step(): number {
    return (this.box.right - this.box.left) / (this.zoom.to - this.zoom.from + 1);
  }
  x(index: number): number {
    return this.box.left + (index - this.zoom.from + 0.5) * this.step;
  }
  y(decibels: number): number {
    const { low, high } = this.range;
    const share = (Math.min(high, Math.max(low, decibels)) - low) / (high - low);
    return this.box.bottom - share * (this.box.bottom - this.box.top);
  }
  /** The step whose column holds this x; of places beside the chart the nearest. */
  at(x: number): number {
    const index = this.zoom.from + Math.floor((x - this.box.left) / this.step);
    return Math.max(this.zoom.from, Math.min(this.zoom.to, index));
  }
  *inSight(): Generator<number> {
    for (let index = this.zoom.from; index <= this.zoom.to; ++index) yield index;
  }
}

const near = (x: number) => x.toFixed(1);

/** The accumulated SQNR, with gaps where a value has none. */
export function linePath(steps: readonly Step[], scale: Scale): string {
  let [path, isDrawing] = ["", false];
  for (const index of scale.inSight()) {
    const sqnr = steps[index]?.sqnr ?? NaN;
    if (Number.isNaN(sqnr)) isDrawing = false;
    else {
      path += `${isDrawing ? "L" : "M"}${near(scale.x(index))} ${near(scale.y(sqnr))}`;
      isDrawing = true;
    }
  }
  return path;
}

/** Its interval, as closed shapes over runs of neighbours that have one. */
export function bandPath(steps: readonly Step[], scale: Scale): string {
  let path = "";
  let [lows, highs]: [string[], string[]] = [[], []];
  const close = () => {
    if (lows.length > 0) path += `M${[...highs, ...lows.reverse()].join("L")}Z`;
    [lows, highs] = [[], []];
  };
  for (const index of scale.inSight()) {
    const span = steps[index]?.sqnrInterval;
    if (!span) close();
    else {
      const ends = lows.length === 0 && !steps[index + 1]?.sqnrInterval ? [-scale.step / 2, scale.step / 2] : [0];
      for (const by of ends) {
        lows.push(`${near(scale.x(index) + by)} ${near(scale.y(span[0]))}`);
        highs.push(`${near(scale.x(index) + by)} ${near(scale.y(span[1]))}`);
      }
    }
  }
  close();
  return path;
}

/** Dots of no length: a round line end draws them. */
export function dotsPath(steps: readonly Step[], scale: Scale, of: (step: Step, index: number) => number): string {
  let path = "";
  for (const index of scale.inSight()) {
    const value = steps[index] ? of(steps[index], index) : NaN;
    if (!Number.isNaN(value)) path += `M${near(scale.x(index))} ${near(scale.y(value))}h0`;
  }
  return path;
}

/** From the SQNR of the worst input down to the op's own, where that is a fall of some size. */
export function dropsPath(steps: readonly Step[], scale: Scale, least: number): string {
  let path = "";
  for (const index of scale.inSight()) {
    const step = steps[index];
    if (!step || !(step.drop >= least)) continue;
    const [x, from, to] = [scale.x(index), scale.y(step.sqnr + step.drop), scale.y(step.sqnr)];
    path += `M${near(x)} ${near(from)}V${near(to)}`;
  }
  return path;
}

export type Shape = "triangle" | "diamond";

export function shape(kind: Shape, x: number, y: number, size: number): string {
  const [left, right] = [near(x - size), near(x + size)];
  return kind === "triangle"
    ? `M${left} ${near(y - size)}H${right}L${near(x)} ${near(y + size)}Z`
    : `M${left} ${near(y)}L${near(x)} ${near(y - size)}L${right} ${near(y)}L${near(x)} ${near(y + size)}Z`;
}

/** Marks of all steps of one part, a little above the line where the error is born. */
export function marksPath(steps: readonly Step[], scale: Scale, part: Step["part"], kind: Shape): string {
  let path = "";
  for (const index of scale.inSight()) {
    const step = steps[index];
    if (step?.part !== part || Number.isNaN(step.sqnr)) continue;
    const size = kind === "triangle" ? 5 : Math.min(4, Math.max(2.5, scale.step)); // diamonds stand side by side
    path += shape(kind, scale.x(index), scale.y(step.sqnr) - (kind === "triangle" ? 9 : 0), size);
  }
  return path;
}

/** Ticks at the lower edge for all steps that a query holds for. */
export function ticksPath(holds: readonly boolean[], scale: Scale): string {
  let path = "";
  for (const index of scale.inSight()) if (holds[index]) path += `M${near(scale.x(index))} ${near(scale.box.bottom - 7)}v7`;
  return path;
}

/** Round numbers, some `wanted` of them. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const raw = (high - low) / Math.max(1, wanted);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const size = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) ?? raw;
  const found: number[] = [];
  for (let at = Math.ceil(low / size) * size; at <= high + size / 1e6; at += size) found.push(Number(at.toPrecision(9)));
  return found;
}

/** Where a key leads: arrows up and down from one birth of error to the next; undefined: it is no such key. */
export function stepped(steps: readonly Step[], now: number, key: string): number | undefined {
  const isBorn = (step: Step) => step.part === "born";
  if (key === "ArrowDown" || key === "ArrowUp") {
    const found = key === "ArrowDown" ? steps.findIndex((step, index) => index > now && isBorn(step)) : steps.slice(0, now).findLastIndex(isBorn);
    return found < 0 ? now : found;
  }
  const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -steps.length, End: steps.length }[key];
  return by === undefined ? undefined : Math.max(0, Math.min(steps.length - 1, now + by));
}
