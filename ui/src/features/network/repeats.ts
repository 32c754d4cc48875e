// SPDX-License-Identifier: Apache-2.0
// Equal sequences of op types, one behind the other, for networks whose names say nothing of their blocks.
import type { GraphOp } from "./model";

export interface Repeat {
  start: number; // in the list that was looked through
  period: number;
  count: number;
}

const sizes = [2, 4, 8, 16, 32, 64]; // of the pieces whose next equal ones give candidates
const mostCandidates = 24;

/** Distances at which equal pieces follow each other, the most frequent first. */
function candidates(types: readonly number[], from: number, to: number): number[] {
  const found = new Map<number, number>();
  for (const size of sizes) {
    const last = new Map<number, number>();
    const counts = new Map<number, number>();
    let hash = 0;
    let out = 1; // what the type that leaves the piece was multiplied by
    for (let i = 1; i < size; ++i) out = Math.imul(out, 31);
    for (let at = from; at < to; ++at) {
      if (at - from >= size) hash = (hash - Math.imul(types[at - size]!, out)) | 0;
      hash = (Math.imul(hash, 31) + types[at]!) | 0;
      if (at - from < size - 1) continue;
      const before = last.get(hash);
      if (before !== undefined) counts.set(at - before, (counts.get(at - before) ?? 0) + 1);
      last.set(hash, at);
    }
    for (const [distance, count] of counts) found.set(distance, Math.max(found.get(distance) ?? 0, count * distance));
  }
  const best = [...found].sort((a, b) => b[1] - a[1]).slice(0, mostCandidates).map(([distance]) => distance);
  return [...new Set(best.flatMap((distance) => [distance, distance < 4 ? distance * 2 : distance]))].filter((distance) => distance >= 2);
}

interface Run extends Repeat {
  rest: number; // ops behind the last whole block that go on like it
}

function longestRun(types: readonly number[], from: number, to: number, period: number): Run | null {
  let best: Run | null = null;
  let start = from;
  for (let at = from; at + period <= to; ++at) {
    if (at + period < to && types[at] === types[at + period]) continue;
    const length = at + period - start;
    const count = Math.floor(length / period);
    if (count >= 2 && (!best || count * period > best.count * best.period)) best = { start, period, count, rest: length % period };
    start = at + 1;
  }
  return best;
}

function hasVariety(types: readonly number[], { start, period }: Repeat): boolean {
  return new Set(types.slice(start, start + period)).size > 1;
}

/** The sequence whose repetitions cover most; of those that cover nearly as much the shortest, of four ops at least where possible. */
export function findRepeat(types: readonly number[], from: number, to: number): Run | null {
  const runs = candidates(types, from, to)
    .map((period) => longestRun(types, from, to, period))
    .filter((run): run is Run => run !== null && hasVariety(types, run) && (run.period >= 4 || run.count >= 3));
  const covered = (run: Run) => run.period * run.count;
  const most = Math.max(0, ...runs.map(covered));
  const good = runs.filter((run) => covered(run) >= 0.9 * most).sort((a, b) => a.period - b.period);
  return good.find((run) => run.period >= 4) ?? good[0] ?? null;
}

/** How many values lie across the border before each op: made before it, read behind. */
export function crossings(ops: readonly GraphOp[]): number[] {
  const maker = new Map<string, number>();
  const last = new Map<string, number>();
  ops.forEach((op, index) => {
    for (const value of op.inputs) if (maker.has(value)) last.set(value, index);
    for (const value of op.outputs) maker.set(value, index);
  });
  const change = new Array<number>(ops.length + 1).fill(0);
  for (const [value, end] of last) {
    change[maker.get(value)! + 1]! += 1;
    change[end + 1]! -= 1;
  }
  let crossing = 0;
  return ops.map((_, index) => (crossing += change[index]!));
}

/** Moved within its run to where least crosses from block to block: a block of a network hands on one value. */
function placed(run: Run, crossing: readonly number[]): Repeat {
  let [best, least] = [0, Infinity];
  for (let by = 0; by <= run.rest; ++by) {
    let sum = 0;
    for (let border = 0; border <= run.count; ++border) sum += crossing[run.start + by + border * run.period] ?? 0;
    if (sum < least) [best, least] = [by, sum];
  }
  return { start: run.start + best, period: run.period, count: run.count };
}

/** All of them, in order; none overlaps another. */
export function repeatsOf(ops: readonly GraphOp[], most: number): Repeat[] {
  const number = new Map<string, number>();
  const types = ops.map((op) => {
    if (!number.has(op.type)) number.set(op.type, number.size + 1);
    return number.get(op.type)!;
  });
  const crossing = crossings(ops);
  const found: Repeat[] = [];
  const waiting: [number, number][] = [[0, ops.length]];
  while (waiting.length > 0 && found.length < most) {
    const [from, to] = waiting.shift()!;
    const run = to - from >= 6 ? findRepeat(types, from, to) : null;
    if (!run) continue;
    const repeat = placed(run, crossing);
    found.push(repeat);
    waiting.push([from, repeat.start], [repeat.start + repeat.count * repeat.period, to]);
  }
  return found.sort((a, b) => a.start - b.start);
}
