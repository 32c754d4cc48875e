// SPDX-License-Identifier: Apache-2.0
// Where a name may be cut.

const short = 24; // letters for which there is room in most places

/** The end begins at a separator where there is one among its last letters; a short name has none, and is cut as any text. */
export function parted(name: string, most: number): { start: string; end: string } {
  if (name.length < Math.max(short, most + 4)) return { start: name, end: "" };
  const at = name.length - most;
  const separator = name.slice(at).search(/[/._ ]/);
  const from = separator >= 0 && separator < most - 4 ? at + separator : at;
  return { start: name.slice(0, from), end: name.slice(from) };
}
