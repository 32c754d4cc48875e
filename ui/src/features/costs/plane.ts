// SPDX-License-Identifier: Apache-2.0
// The plane of gain and harm: both are spread over powers of ten on either side of nothing, so axes are logarithmic with a
// linear middle.
import { harmOf, type Harm, type Point } from "./model";

/** Linear around 0 within +-`middle`, logarithmic beyond. */
export class Axis {
  private readonly low: number;
  private readonly high: number;

  constructor(
    readonly middle: number, // 0: linear all along
    low: number,
    high: number,
    readonly from: number, // pixels
    readonly to: number,
  ) {
    [this.low, this.high] = [this.bent(low), this.bent(high)];
  }
  private bent(value: number): number {
    return this.middle > 0 ? Math.asinh(value / this.middle) : value;
  }
  at(value: number): number {
    if (this.high === this.low) return (this.from + this.to) / 2;
    const share = (this.bent(value) - this.low) / (this.high - this.low);
    return this.from + Math.min(1, Math.max(0, share)) * (this.to - this.from);
  }
  /** Round numbers that stand at least `apart` pixels from each other, 0 first of all. */
  ticks(apart: number): number[] {
    const unbent = (value: number) => (this.middle > 0 ? Math.sinh(value) * this.middle : value);
    const [low, high] = [unbent(this.low), unbent(this.high)].sort((a, b) => a - b) as [number, number];
    const wanted = this.middle > 0 ? powers(low, high, this.middle) : tens(low, high);
    const kept: number[] = [];
    for (const value of wanted) {
      if (value < low - 1e-12 || value > high + 1e-12) continue;
      if (kept.every((one) => Math.abs(this.at(one) - this.at(value)) >= apart)) kept.push(value);
    }
    return kept.sort((a, b) => a - b);
  }
}

function powers(low: number, high: number, middle: number): number[] {
  if (![low, high, middle].every(Number.isFinite)) return [];
  const found = [0];
  const last = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high), middle)) + 1e-9); // the end itself is one
  const first = Math.floor(Math.log10(middle));
  for (const digit of [1, 3]) for (let power = last; power >= first; --power) found.push(digit * 10 ** power, -digit * 10 ** power);
  return found.map((value) => Number(value.toPrecision(3)));
}

function tens(low: number, high: number): number[] {
  const step = Math.max(high - low > 80 ? 20 : 10, Math.ceil((high - low) / 1000) * 10);
  const found: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

export interface Plane {
  x: Axis;
  y: Axis;
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const mostDecibels = 60;

const [above, below] = [30, 20]; // all points: for the names of quadrants, above also clear of the names of points

/** The next of 10, 30, 100 %, ...: the axis ends at a tick. */
function shareEnd(worst: number): number {
  if (!(worst > 0.1) || !Number.isFinite(worst)) return 0.1;
  const power = 10 ** Math.floor(Math.log10(worst) + 1e-9);
  return Number([1, 3, 10].map((digit) => digit * power).find((end) => end >= worst - 1e-9)!.toPrecision(3));
}

/** Axes that hold all points and the borders of the quadrants. */
export function planeOf(points: readonly Point[], harm: Harm, borders: { gain: number; harm: number }, total: number, box: Box): Plane {
  let [low, high, worst, best] = [0, borders.gain * 10, borders.harm, borders.harm]; // the right quadrants have room for their names
  for (const point of points) {
    if (Number.isFinite(point.gain)) [low, high] = [Math.min(low, point.gain), Math.max(high, point.gain)];
    const bad = harmOf(point, harm);
    if (Number.isFinite(bad)) [worst, best] = [Math.max(worst, bad), Math.min(best, bad)];
  }
  const middle = total > 0 ? total / 1000 : Math.max(Math.abs(low), high) / 1000;
  const x = new Axis(middle, low, high, box.left + 8, box.right - 8);
  const [from, to] = [box.bottom - below, box.top + above];
  if (harm === "share") return { x, y: new Axis(0.001, 0, shareEnd(worst), from, to) };
  const [least, greatest] = [Math.floor(Math.min(best, borders.harm - 10) / 5) * 5, Math.min(mostDecibels, Math.max(worst, borders.harm + 10))];
  return { x, y: new Axis(0, greatest, least, from, to) };
}

/** Pixels of all points, two numbers each; NaN where one has no place. */
export function placesOf(points: readonly Point[], plane: Plane, harm: Harm): Float64Array {
  const places = new Float64Array(points.length * 2).fill(NaN);
  points.forEach((point, index) => {
    const bad = harmOf(point, harm);
    if (Number.isNaN(point.gain) || Number.isNaN(bad)) return;
    places[2 * index] = plane.x.at(point.gain);
    places[2 * index + 1] = plane.y.at(bad);
  });
  return places;
}

/** The nearest point within so many pixels; -1: none. */
export function nearest(places: Float64Array, x: number, y: number, most: number): number {
  let best = -1;
  let distance = most * most;
  for (let index = 0; index < places.length / 2; ++index) {
    const dx = places[2 * index]! - x;
    const dy = places[2 * index + 1]! - y;
    const now = dx * dx + dy * dy;
    if (now > distance || Number.isNaN(now)) continue;
    best = index; // of points in one place the last, which lies on top
    distance = now;
  }
  return best;
}

/** Points within the polygon, which closes itself. */
export function inside(places: Float64Array, polygon: readonly (readonly [number, number])[]): number[] {
  const found: number[] = [];
  if (polygon.length < 3) return found;
  const xs = Float64Array.from(polygon, (corner) => corner[0]);
  const ys = Float64Array.from(polygon, (corner) => corner[1]);
  const isIn = (x: number, y: number) => {
    let crossings = 0;
    for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
      if (ys[i]! > y !== ys[j]! > y && x < ((xs[j]! - xs[i]!) * (y - ys[i]!)) / (ys[j]! - ys[i]!) + xs[i]!) ++crossings;
    }
    return crossings % 2 === 1;
  };
  for (let index = 0; index < places.length / 2; ++index) if (isIn(places[2 * index]!, places[2 * index + 1]!)) found.push(index);
  return found;
}

/** Dots of no length, which a round line end draws. */
export function dots(places: Float64Array, wanted: (index: number) => boolean): string {
  let path = "";
  for (let index = 0; index < places.length / 2; ++index) {
    const [x, y] = [places[2 * index]!, places[2 * index + 1]!];
    if (!Number.isNaN(x) && wanted(index)) path += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
  }
  return path;
}

/** The next point in the direction of a key, by the order of that axis. */
export function stepped(places: Float64Array, from: number, key: string): number {
  const axis = key === "ArrowLeft" || key === "ArrowRight" ? 0 : 1;
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const order = Array.from({ length: places.length / 2 }, (_, index) => index)
    .filter((index) => !Number.isNaN(places[2 * index]))
    .sort((a, b) => sign * (places[2 * a + axis]! - places[2 * b + axis]!) || a - b);
  const at = order.indexOf(from);
  return at < 0 ? (order[0] ?? -1) : (order[at + 1] ?? from);
}

export interface Label {
  index: number;
  text: string;
  x: number;
  y: number;
  isLeft: boolean; // of its point
}

const mostTried = 40;

/** Names beside points in this order, as many as lie clear of each other and of other points. */
export function labelled(points: readonly Point[], places: Float64Array, order: readonly number[], box: Box, most: number): Label[] {
  const found: (Label & { from: number; to: number })[] = [];
  const isFree = (self: number, from: number, to: number, y: number) => {
    for (let other = 0; other < places.length / 2; ++other) {
      if (other === self || Math.abs(places[2 * other + 1]! - y) > 9) continue;
      if (places[2 * other]! > from && places[2 * other]! < to) return false;
    }
    return found.every((one) => Math.abs(one.y - y) >= 13 || from >= one.to || to <= one.from);
  };
  for (const index of order.slice(0, mostTried)) {
    if (found.length >= most) break;
    const [x, y] = [places[2 * index]!, places[2 * index + 1]!];
    if (Number.isNaN(x)) continue;
    const name = points[index]!.name;
    const text = name.length > 28 ? `…${name.slice(-27)}` : name;
    const width = text.length * 6 + 13;
    for (const isLeft of [false, true]) {
      const [from, to] = isLeft ? [x - width, x] : [x, x + width];
      if (from < box.left || to > box.right || !isFree(index, from, to, y)) continue;
      found.push({ index, text, x, y, isLeft, from, to });
      break;
    }
  }
  return found.map(({ index, text, x, y, isLeft }) => ({ index, text, x, y, isLeft }));
}
