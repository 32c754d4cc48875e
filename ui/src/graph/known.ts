// SPDX-License-Identifier: Apache-2.0
// What is found once and then remembered.

/** What a map has for a key, made where it has nothing. */
export function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make()));
  return value;
}

/** Numbers of things, from 0, in the order in which they come first. */
export function numbering<Key>(known = new Map<Key, number>()): (key: Key) => number {
  return (key) => remembered(known, key, () => known.size);
}
