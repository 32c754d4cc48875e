// SPDX-License-Identifier: Apache-2.0
// Long sequences are cut where they repeat themselves, and elsewhere at waists, where few values are alive.
import { rhythmOf } from "./rhythm";

export interface Sequence {
  kinds: Int32Array; // equal ones may be equal pieces of a rhythm
  from: Int32Array; // of each edge: a place in the sequence
  to: Int32Array;
}

const longest = 60; // places that a value lives; masks and positions live longer, and say nothing of waists
const smallest = 8; // of pieces

/** Before each place: how many values lie across its border. */
export function aliveOf({ kinds, from, to }: Sequence): Int32Array {
  const last = new Int32Array(kinds.length).fill(-1);
  for (let edge = 0; edge < from.length; ++edge) last[from[edge]!] = Math.max(last[from[edge]!]!, to[edge]!);
  const alive = new Int32Array(kinds.length + 1);
  last.forEach((end, place) => {
    if (end <= place || end - place > longest) return;
    ++alive[place + 1]!;
    --alive[end + 1]!;
  });
  for (let place = 1; place <= kinds.length; ++place) alive[place]! += alive[place - 1]!;
  return alive;
}

/** The best border behind `from` for a piece of about `wish`. */
function waistOf(alive: Int32Array, from: number, to: number, wish: number, most: number): number {
  if (to - from <= wish * 1.5 && to - from <= most) return to;
  let [best, least] = [to, Infinity];
  const last = Math.min(to - (wish >> 2), from + Math.min(most, wish + (wish >> 1)));
  for (let border = from + (wish >> 1); border <= last; ++border) {
    const cost = alive[border]! * wish * 2 + Math.abs(border - from - wish);
    if (cost < least) [best, least] = [border, cost];
  }
  return best;
}

function cutAtWaists(alive: Int32Array, [from, to]: [number, number], wish: number, most: number): number[] {
  const borders: number[] = [];
  for (let at = from; at < to; ) borders.push((at = waistOf(alive, at, to, wish, most)));
  return borders;
}

/** Where pieces of at most `most` end. */
export function cutsOf(sequence: Sequence, most: number): number[] {
  const count = sequence.kinds.length;
  const alive = aliveOf(sequence);
  const wish = Math.min(most, Math.max(smallest, Math.ceil(Math.sqrt(count))));
  const borders: number[] = [];
  const waiting: [number, number][] = [[0, count]];
  for (let range = waiting.pop(); range; range = waiting.pop()) {
    const rhythm = range[1] - range[0] > 2 * wish ? rhythmOf(sequence.kinds, alive, range, { wish, most }) : null;
    if (rhythm) {
      const { from, period, count: times } = rhythm;
      for (let border = 0; border <= times; ++border) borders.push(from + border * period);
      waiting.push([range[0], from], [from + times * period, range[1]]);
    } else borders.push(...cutAtWaists(alive, range, wish, most));
  }
  return [...new Set(borders)].filter((border) => border > 0).sort((a, b) => a - b);
}
