// SPDX-License-Identifier: Apache-2.0
// Where a sequence repeats itself, as the layers of a network do whose names have no scopes.

export interface Rhythm {
  from: number;
  period: number;
  count: number; // of whole periods, two or more
}

/** The longest stretch in which what lies `period` apart is equal: its beginning and length. */
function stretchOf(kinds: Int32Array, from: number, to: number, period: number): { start: number; length: number } {
  let best = { start: from, length: 0 };
  let start = from;
  for (let at = from; at + period <= to; ++at) {
    if (at + period < to && kinds[at] === kinds[at + period]) continue;
    const length = at + period - start;
    if (length > best.length) best = { start, length };
    start = at + 1;
  }
  return best;
}

/** Begun where the least crosses its borders: a layer hands on one value. */
function placed(start: number, length: number, period: number, alive: Int32Array): Rhythm {
  let best = { from: start, period, count: 0 };
  let least = Infinity;
  for (let from = start; from < start + period && from + 2 * period <= start + length; ++from) {
    const count = Math.floor((start + length - from) / period);
    let crossing = 0;
    for (let border = 0; border <= count; ++border) crossing += alive[from + border * period]!;
    if (crossing / (count + 1) >= least) continue;
    least = crossing / (count + 1);
    best = { from, period, count };
  }
  return best;
}

const smallest = 8; // places that are a piece of their own

/** How many periods make a piece. */
function timesOf(period: number, length: number, wish: number, most: number): number {
  if (period >= smallest && length / period <= most) return 1;
  return Math.max(1, Math.min(Math.round(wish / period), Math.floor(most / period), Math.floor(length / period / 2)));
}

/** Lengths of pieces. */
export interface Lengths {
  wish: number;
  most: number;
}

type Range = readonly [from: number, to: number];

/** In a quarter of the range at least; null: there is none. */
export function rhythmOf(kinds: Int32Array, alive: Int32Array, range: Range, { wish, most }: Lengths): Rhythm | null {
  const [from, to] = range;
  let [best, found] = [{ start: from, length: 0 }, 0];
  for (let period = 1; period <= Math.min(most, (to - from) >> 1); ++period) {
    const stretch = stretchOf(kinds, from, to, period);
    if (stretch.length >= 2 * period && stretch.length > best.length + period) [best, found] = [stretch, period];
  }
  if (found === 0 || best.length < (to - from) / 4) return null;
  const period = found * timesOf(found, best.length, wish, most);
  if (period < Math.min(smallest, wish / 3)) return null;
  const rhythm = placed(best.start, best.length, period, alive);
  return rhythm.count >= 2 ? rhythm : null;
}
