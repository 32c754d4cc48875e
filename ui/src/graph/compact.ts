// SPDX-License-Identifier: Apache-2.0
// Lines of aligned things side by side, as near to each other as their widths allow.
import type { Alignment, Way } from "./align";
import { bucketsOf } from "./buckets";
import type { Live } from "./live";
import { sideGap } from "./measures";

interface Order {
  from: Int32Array; // roots: the left one of each two neighbours
  to: Int32Array;
  room: Float64Array; // at least so far apart
}

function orderOf({ rows: { starts, items }, widths }: Live, { roots, shifts }: Alignment, { isMirrored }: Way): Order {
  const pairs = items.length - (starts.length - 1); // no row is empty
  const order = { from: new Int32Array(pairs), to: new Int32Array(pairs), room: new Float64Array(pairs) };
  let pair = 0;
  for (let row = 0; row + 1 < starts.length; ++row) {
    for (let at = starts[row]! + 1; at < starts[row + 1]!; ++at) {
      const [left, right] = isMirrored ? [items[at]!, items[at - 1]!] : [items[at - 1]!, items[at]!];
      order.from[pair] = roots[left]!;
      order.to[pair] = roots[right]!;
      order.room[pair++] = (widths[left]! + widths[right]!) / 2 + sideGap + shifts[left]! - shifts[right]!;
    }
  }
  return order;
}

/** The longest path; then each is pulled back towards what is right of it. */
export function compact(live: Live, alignment: Alignment, way: Way): Float64Array {
  const { roots, shifts } = alignment;
  const { from, to, room } = orderOf(live, alignment, way);
  const next = bucketsOf(from, live.count);
  const waits = new Int32Array(live.count);
  for (const root of to) ++waits[root]!;
  const queue = new Int32Array(live.count);
  const x = new Float64Array(live.count);
  let tail = 0;
  for (let one = 0; one < live.count; ++one) if (roots[one] === one && waits[one] === 0) queue[tail++] = one;
  for (let head = 0; head < tail; ++head) {
    const root = queue[head]!;
    for (let at = next.starts[root]!; at < next.starts[root + 1]!; ++at) {
      const pair = next.items[at]!;
      x[to[pair]!] = Math.max(x[to[pair]!]!, x[root]! + room[pair]!);
      if (--waits[to[pair]!]! === 0) queue[tail++] = to[pair]!;
    }
  }
  while (tail-- > 0) {
    const root = queue[tail]!;
    let least = Infinity;
    for (let at = next.starts[root]!; at < next.starts[root + 1]!; ++at) {
      const pair = next.items[at]!;
      least = Math.min(least, x[to[pair]!]! - room[pair]!);
    }
    if (least < Infinity) x[root] = Math.max(x[root]!, least);
  }
  const sign = way.isMirrored ? -1 : 1;
  return x.map((_, one) => sign * (x[roots[one]!]! + shifts[one]!));
}
