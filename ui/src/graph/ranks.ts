// SPDX-License-Identifier: Apache-2.0
// Rows of a level: each thing stands below what it reads. Edges against that order, of groups that read each other, run
// back up.
import { bucketsOf, type Buckets } from "./buckets";

export interface Links {
  entries: number; // the first so many things are at the top
  exits: number; // the last so many at the bottom
  count: number;
  from: Int32Array;
  to: Int32Array;
}

export interface Ranks {
  ranks: Int32Array;
  count: number;
  isBack: Uint8Array; // of each edge
}

/** Eades, Lin and Smyth: what is read comes before what reads it, but for few edges of circles. */
class Order {
  readonly things: Int32Array;
  private readonly reads: Int32Array; // of each thing: edges that come from what has no place yet
  private readonly gives: Int32Array; // edges that go to such
  private readonly isFed: Uint8Array; // something that it reads has its place
  private readonly isPlaced: Uint8Array;
  private readonly sources: number[] = [];
  private readonly sinks: number[] = [];
  private front = 0;
  private back: number;

  constructor(
    private readonly links: Links,
    private readonly out: Buckets,
    private readonly into: Buckets,
  ) {
    const { count } = links;
    this.things = new Int32Array(count);
    [this.isFed, this.isPlaced] = [new Uint8Array(count), new Uint8Array(count)];
    this.reads = this.things.map((_, thing) => into.starts[thing + 1]! - into.starts[thing]!);
    this.gives = this.things.map((_, thing) => out.starts[thing + 1]! - out.starts[thing]!);
    this.back = count;
    for (let thing = 0; thing < count; ++thing) if (this.reads[thing] === 0) this.sources.push(thing);
    for (let thing = 0; thing < count; ++thing) if (this.gives[thing] === 0) this.sinks.push(thing);
    for (let at = 0; this.front < this.back; ) {
      if (at < this.sources.length) this.place(this.sources[at++]!, true);
      else if (this.sinks.length > 0) this.place(this.sinks.pop()!, false);
      else this.place(this.leastBound(), true);
    }
  }

  private place(thing: number, isFirst: boolean): void {
    if (this.isPlaced[thing]) return;
    this.isPlaced[thing] = 1;
    this.things[isFirst ? this.front++ : --this.back] = thing;
    const { out, into, links } = this;
    for (let at = out.starts[thing]!; at < out.starts[thing + 1]!; ++at) {
      const reader = links.to[out.items[at]!]!;
      if (isFirst) this.isFed[reader] = 1;
      if (--this.reads[reader]! === 0) this.sources.push(reader);
    }
    for (let at = into.starts[thing]!; at < into.starts[thing + 1]!; ++at) {
      const maker = links.from[into.items[at]!]!;
      if (--this.gives[maker]! === 0) this.sinks.push(maker);
    }
  }

  /** In a circle: where it is entered, and there what gives more than it reads. */
  private leastBound(): number {
    let [best, least] = [-1, Infinity];
    for (let thing = 0; thing < this.things.length; ++thing) {
      if (this.isPlaced[thing]) continue;
      const bound = this.reads[thing]! - this.gives[thing]! - (this.isFed[thing] ? this.links.from.length : 0);
      if (bound < least) [best, least] = [thing, bound];
    }
    return best;
  }
}

/** Things without edges stand in rows of their own making, not all in one. */
function spread(links: Links, ranks: Int32Array, first: number): void {
  const isTied = new Uint8Array(links.count);
  for (let edge = 0; edge < links.from.length; ++edge) isTied[links.from[edge]!] = isTied[links.to[edge]!] = 1;
  const loose: number[] = [];
  for (let thing = links.entries; thing < links.count - links.exits; ++thing) if (!isTied[thing]) loose.push(thing);
  const inRow = Math.max(1, Math.ceil(Math.sqrt(loose.length / 2)));
  loose.forEach((thing, index) => (ranks[thing] = first + Math.floor(index / inRow)));
}

/** What reads nothing stands just above its first reader. */
function pullDown({ entries, count, from, to }: Links, ranks: Int32Array, isBack: Uint8Array): void {
  const least = new Int32Array(count).fill(0x7fffffff);
  const reads = new Uint8Array(count);
  for (let edge = 0; edge < from.length; ++edge) {
    if (isBack[edge]) continue;
    reads[to[edge]!] = 1;
    least[from[edge]!] = Math.min(least[from[edge]!]!, ranks[to[edge]!]!);
  }
  for (let thing = entries; thing < count; ++thing) {
    if (!reads[thing] && least[thing]! < 0x7fffffff) ranks[thing] = least[thing]! - 1;
  }
}

/** Without ranks in which nothing is left; their number. */
function closeUp(ranks: Int32Array, most: number): number {
  const numbers = new Int32Array(most + 1).fill(-1);
  for (const rank of ranks) numbers[rank] = 0;
  let count = 0;
  for (let rank = 0; rank <= most; ++rank) if (numbers[rank] === 0) numbers[rank] = count++;
  for (let thing = 0; thing < ranks.length; ++thing) ranks[thing] = numbers[ranks[thing]!]!;
  return count;
}

/** By the longest path. */
export function ranksOf(links: Links): Ranks {
  const { entries, exits, count, from, to } = links;
  const out = bucketsOf(from, count);
  const order = new Order(links, out, bucketsOf(to, count)).things;
  const place = new Int32Array(count);
  order.forEach((thing, index) => (place[thing] = index));
  const isBack = new Uint8Array(from.length);
  for (let edge = 0; edge < from.length; ++edge) isBack[edge] = place[from[edge]!]! >= place[to[edge]!]! ? 1 : 0;
  const first = entries > 0 ? 1 : 0;
  const ranks = new Int32Array(count).fill(first);
  ranks.fill(0, 0, entries);
  for (const thing of order) {
    for (let at = out.starts[thing]!; at < out.starts[thing + 1]!; ++at) {
      const edge = out.items[at]!;
      if (!isBack[edge]) ranks[to[edge]!] = Math.max(ranks[to[edge]!]!, ranks[thing]! + 1);
    }
  }
  spread(links, ranks, first);
  let last = 0;
  for (let thing = 0; thing < count - exits; ++thing) last = Math.max(last, ranks[thing]! + 1);
  ranks.fill(last, count - exits);
  pullDown(links, ranks, isBack);
  return { ranks, count: closeUp(ranks, last), isBack };
}
