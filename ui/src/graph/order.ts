// SPDX-License-Identifier: Apache-2.0
// The order within each row, by median sweeps: that with the fewest crossings is kept.
import { bucketsOf, sortedBy, upTo, type Buckets } from "./buckets";
import type { Net } from "./chains";

const mostSweeps = 8;
const mostStale = 2; // sweeps in turn that are no better

/** Things and bends row by row, from left to right: those of row r from starts[r] on. */
export interface Rows {
  starts: Int32Array;
  items: Int32Array;
}

/** At first as the file has them; a bend stands beside the thing that its line begins at. */
function firstRows(net: Net): Rows {
  const all = upTo(net.count);
  const beside = all.map((one) => (one < net.things ? one : net.begins[net.owner[one - net.things]!]!));
  const order = sortedBy(all, beside, net.things);
  const { starts, items } = bucketsOf(order.map((one) => net.row[one]!), net.rows);
  return { starts, items: items.map((index) => order[index]!) };
}

/** Of each thing and bend: its place in its row. */
export function placesOf({ starts, items }: Rows, count: number): Int32Array {
  const places = new Int32Array(count);
  for (let row = 0; row + 1 < starts.length; ++row) {
    for (let at = starts[row]!; at < starts[row + 1]!; ++at) places[items[at]!] = at - starts[row]!;
  }
  return places;
}

/** Counts pairs of segments that cross, with a Fenwick tree for each row. */
export function crossingsOf({ starts, items }: Rows, places: Int32Array, down: Buckets, lower: Int32Array): number {
  let crossings = 0;
  for (let row = 0; row + 2 < starts.length; ++row) {
    const size = starts[row + 2]! - starts[row + 1]!;
    if (size < 2 || starts[row + 1]! - starts[row]! < 2) continue;
    const sums = new Int32Array(size + 1);
    let seen = 0;
    for (let at = starts[row]!; at < starts[row + 1]!; ++at) {
      const [first, end] = [down.starts[items[at]!]!, down.starts[items[at]! + 1]!];
      for (let index = first; index < end; ++index) {
        let before = 0;
        for (let slot = places[lower[down.items[index]!]!]! + 1; slot > 0; slot -= slot & -slot) before += sums[slot]!;
        crossings += seen - before;
      }
      for (let index = first; index < end; ++index) {
        for (let slot = places[lower[down.items[index]!]!]! + 1; slot <= size; slot += slot & -slot) ++sums[slot]!;
      }
      seen += end - first;
    }
  }
  return crossings;
}

/** Of the places of neighbours; what has none stays where it is. */
function medianOf(one: number, side: Buckets, ends: Int32Array, places: Int32Array): number {
  const [first, end] = [side.starts[one]!, side.starts[one + 1]!];
  if (first === end) return places[one]!;
  if (end - first === 1) return places[ends[side.items[first]!]!]!;
  const near = side.items.subarray(first, end).map((segment) => places[ends[segment]!]!).sort();
  const middle = near.length >> 1;
  return near.length % 2 === 1 ? near[middle]! : (near[middle - 1]! + near[middle]!) / 2;
}

/** Towards the last row or the first one. */
interface Side {
  isDown: boolean;
  segments: Buckets; // of each thing and bend, to the row before
  ends: Int32Array; // of each segment, in the row before
}

function sweep({ starts, items }: Rows, places: Int32Array, keys: Float64Array, side: Side): void {
  const { isDown, segments, ends } = side;
  const rows = starts.length - 1;
  for (let step = 1; step < rows; ++step) {
    const row = isDown ? step : rows - 1 - step;
    const own = items.subarray(starts[row]!, starts[row + 1]!);
    if (own.length < 2) continue;
    for (const one of own) keys[one] = medianOf(one, segments, ends, places);
    own.sort((a, b) => keys[a]! - keys[b]! || places[a]! - places[b]!);
    own.forEach((one, place) => (places[one] = place));
  }
}

export function rowsOf(net: Net): Rows {
  const rows = firstRows(net);
  const places = placesOf(rows, net.count);
  const [up, down] = [bucketsOf(net.lower, net.count), bucketsOf(net.upper, net.count)];
  const keys = new Float64Array(net.count);
  const sides = [{ isDown: true, segments: up, ends: net.upper }, { isDown: false, segments: down, ends: net.lower }];
  let best = { crossings: crossingsOf(rows, places, down, net.lower), items: rows.items.slice() };
  for (let [round, stale] = [0, 0]; round < mostSweeps && stale < mostStale && best.crossings > 0; ++round) {
    sweep(rows, places, keys, sides[round % 2]!);
    const crossings = crossingsOf(rows, places, down, net.lower);
    stale = crossings < best.crossings ? 0 : stale + 1;
    if (stale === 0) best = { crossings, items: rows.items.slice() };
  }
  return { starts: rows.starts, items: best.items };
}
