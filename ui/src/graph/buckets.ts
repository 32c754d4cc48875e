// SPDX-License-Identifier: Apache-2.0
// Things sorted by small numbers, in linear time.

/** Those of key k are items[starts[k]] to items[starts[k + 1] - 1], in their own order. */
export interface Buckets {
  starts: Int32Array;
  items: Int32Array;
}

/** Things 0 to keys.length - 1; those whose key is negative are in no bucket. */
export function bucketsOf(keys: ArrayLike<number>, count: number): Buckets {
  const starts = new Int32Array(count + 1);
  for (let thing = 0; thing < keys.length; ++thing) if (keys[thing]! >= 0) ++starts[keys[thing]! + 1]!;
  for (let key = 0; key < count; ++key) starts[key + 1]! += starts[key]!;
  const next = starts.slice(0, count);
  const items = new Int32Array(starts[count]!);
  for (let thing = 0; thing < keys.length; ++thing) if (keys[thing]! >= 0) items[next[keys[thing]!]!++] = thing;
  return { starts, items };
}

/** Things of one key stay in the order that they have. */
export function sortedBy(things: Int32Array, keys: ArrayLike<number>, count: number): Int32Array {
  const keyOf = new Int32Array(things.length);
  for (let place = 0; place < things.length; ++place) keyOf[place] = keys[things[place]!]!;
  const { items } = bucketsOf(keyOf, count);
  for (let place = 0; place < items.length; ++place) items[place] = things[items[place]!]!;
  return items;
}

export function upTo(count: number): Int32Array {
  const all = new Int32Array(count);
  for (let index = 0; index < count; ++index) all[index] = index;
  return all;
}
