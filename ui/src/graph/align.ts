// SPDX-License-Identifier: Apache-2.0
// Brandes and Koepf: each thing stands in line with its median neighbour in the row before, where nothing crosses that
// line.
import { upTo } from "./buckets";
import type { Live } from "./live";

const mostAside = 64; // units: groups whose ports are further apart stand in line themselves, not as a stair

/** In one of four ways: from the first row or the last one, from the left or the right. */
export interface Way {
  isDown: boolean;
  isMirrored: boolean;
}

export interface Alignment {
  roots: Int32Array; // of each thing and bend: the first one of its line
  shifts: Float64Array; // how far it stands from where the first one does, so that ports are in line
}

/** Segments that cross one between two bends: long wires stay straight rather than these. */
export function crossingLong({ rows: { starts, items }, places, things, upper, up }: Live): Uint8Array {
  const marked = new Uint8Array(upper.length);
  for (let row = 1; row + 1 < starts.length; ++row) {
    let [left, scanned] = [0, starts[row]!];
    for (let at = starts[row]!; at < starts[row + 1]!; ++at) {
      const above = longAbove(items[at]!, things, upper, up);
      const isLast = at + 1 === starts[row + 1]!;
      if (above < 0 && !isLast) continue;
      const right = above < 0 ? starts[row]! - starts[row - 1]! : places[above]!;
      for (; scanned <= at; ++scanned) markOutside(items[scanned]!, left, right);
      left = right;
    }
  }
  return marked;

  function markOutside(one: number, left: number, right: number): void {
    for (let index = up.starts[one]!; index < up.starts[one + 1]!; ++index) {
      const segment = up.items[index]!;
      const place = places[upper[segment]!]!;
      const isLong = one >= things && upper[segment]! >= things;
      if (!isLong && (place < left || place > right)) marked[segment] = 1;
    }
  }
}

/** The bend above a bend; -1: there is none. */
function longAbove(one: number, things: number, upper: Int32Array, up: Live["up"]): number {
  if (one < things || up.starts[one] === up.starts[one + 1]) return -1;
  const above = upper[up.items[up.starts[one]!]!]!;
  return above >= things ? above : -1;
}

export function align(live: Live, marked: Uint8Array, { isDown, isMirrored }: Way): Alignment {
  const { starts, items } = live.rows;
  const rows = starts.length - 1;
  const roots = upTo(live.count);
  const shifts = new Float64Array(live.count);
  const [side, ends] = isDown ? [live.up, live.upper] : [live.down, live.lower];
  const [nearOffset, farOffset] = isDown ? [live.lowerOffset, live.upperOffset] : [live.upperOffset, live.lowerOffset];
  const sign = isMirrored ? -1 : 1;
  for (let step = 1; step < rows; ++step) {
    const row = isDown ? step : rows - 1 - step;
    let taken = isMirrored ? Infinity : -1; // place in the row before, up to which lines may not be crossed
    for (let index = 0; index < starts[row + 1]! - starts[row]!; ++index) {
      const one = items[isMirrored ? starts[row + 1]! - 1 - index : starts[row]! + index]!;
      taken = alignOne(one, taken);
    }
  }
  return { roots, shifts };

  function alignOne(one: number, taken: number): number {
    const [first, end] = [side.starts[one]!, side.starts[one + 1]!];
    if (first === end) return taken;
    const [low, high] = [first + ((end - first - 1) >> 1), first + ((end - first) >> 1)];
    for (const at of isMirrored ? [high, low] : [low, high]) {
      const segment = side.items[at]!;
      const other = ends[segment]!;
      const place = live.places[other]!;
      if (marked[segment] || (isMirrored ? taken <= place : taken >= place)) continue;
      roots[one] = roots[other]!;
      const aside = farOffset[segment]! - nearOffset[segment]!;
      const isStair = Math.abs(aside) > mostAside && one < live.things && other < live.things;
      shifts[one] = shifts[other]! + (isStair ? 0 : sign * aside);
      return place;
    }
    return taken;
  }
}
