// SPDX-License-Identifier: Apache-2.0
// Brandes and Koepf: of four extreme assignments, towards up and down, left and right, each thing takes the mean of the
// two middle ones.
import { align, crossingLong, type Way } from "./align";
import { compact } from "./compact";
import { sidesOf } from "./grid";
import type { Live } from "./live";

const ways: readonly Way[] = [
  { isDown: true, isMirrored: false },
  { isDown: true, isMirrored: true },
  { isDown: false, isMirrored: false },
  { isDown: false, isMirrored: true },
];

interface Extreme {
  x: Float64Array;
  left: number;
  right: number;
}

function extremeOf(live: Live, x: Float64Array): Extreme {
  const { lefts, rights } = sidesOf(live, x, 1, () => 0);
  return { x, left: lefts[0]!, right: rights[0]! };
}

/** Of the middle of each thing and bend. Those of different columns, of `columns`, need not be in line. */
export function coordinatesOf(live: Live, columns: Int32Array): Float64Array {
  const x = new Float64Array(live.count);
  if (live.rows.items.length === 0) return x;
  const marked = crossingLong(live);
  for (let segment = 0; segment < marked.length; ++segment) {
    if (columns[live.upper[segment]!] !== columns[live.lower[segment]!]) marked[segment] = 1;
  }
  const all = ways.map((way) => extremeOf(live, compact(live, align(live, marked, way), way)));
  const narrow = all.reduce((best, one) => (one.right - one.left < best.right - best.left ? one : best));
  const shifts = all.map((one, index) => (ways[index]!.isMirrored ? narrow.right - one.right : narrow.left - one.left));
  const four = new Float64Array(4);
  for (const one of live.rows.items) {
    for (let way = 0; way < 4; ++way) four[way] = all[way]!.x[one]! + shifts[way]!;
    four.sort();
    x[one] = (four[1]! + four[2]!) / 2;
  }
  return x;
}
