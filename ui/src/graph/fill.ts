// SPDX-License-Identifier: Apache-2.0
// The boxes of a level as they are now: ops and closed groups as large as their words, open groups as large as what is
// in them.
import type { Arrangement } from "./arrange";
import type { Sizes } from "./layout";
import type { Level } from "./level";

export interface Fill {
  widths: Float64Array; // of each child
  heights: Float64Array;
  isOpen: Uint8Array;
  leaves: Float64Array; // of each line: how far right of the middle of its box it begins
  enters: Float64Array; // of each edge: how far right of the middle of its box it ends
  least: number; // the least width of the frame, for its title; negative: the root, which has no frame
}

/** An open child: its ports are where wires of the values that pass them begin and end. */
export interface Opened {
  level: Level;
  arrangement: Arrangement;
}

const few = 8;

/** The port of a value. */
function finder(values: Int32Array): (value: number) => number {
  if (values.length <= few) return (value) => values.indexOf(value);
  const ports = new Map<number, number>();
  values.forEach((value, port) => ports.set(value, port));
  return (value) => ports.get(value)!;
}

interface Ports {
  entry: (value: number) => number; // how far right of the middle of the group
  exit: (value: number) => number;
}

function portsOf({ level: { entering, leaving }, arrangement: { entries, exits, width } }: Opened): Ports {
  const [entryOf, exitOf] = [finder(entering), finder(leaving)];
  return { entry: (value) => entries[entryOf(value)]! - width / 2, exit: (value) => exits[exitOf(value)]! - width / 2 };
}

/** Of each child; null: it is closed, or an op. */
type OpenedOnes = readonly (Opened | null)[];

export function fillOf({ shape, children, values }: Level, sizes: Sizes, least: number, opened: OpenedOnes): Fill {
  const fill: Fill = {
    widths: new Float64Array(children.length),
    heights: new Float64Array(children.length),
    isOpen: new Uint8Array(children.length),
    leaves: new Float64Array(shape.lineCount),
    enters: new Float64Array(values.length),
    least,
  };
  const ports = new Map<number, Ports>();
  for (let place = 0; place < children.length; ++place) {
    const inside = opened[place];
    fill.isOpen[place] = inside ? 1 : 0;
    fill.widths[place] = inside ? inside.arrangement.width : sizes[2 * children[place]!]!;
    fill.heights[place] = inside ? inside.arrangement.height : sizes[2 * children[place]! + 1]!;
    if (inside) ports.set(shape.entries + place, portsOf(inside));
  }
  for (let edge = 0; ports.size > 0 && edge < values.length; ++edge) {
    fill.leaves[shape.lines[edge]!] = ports.get(shape.from[edge]!)?.exit(values[edge]!) ?? 0;
    fill.enters[edge] = ports.get(shape.to[edge]!)?.entry(values[edge]!) ?? 0;
  }
  return fill;
}

export function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; ++index) if (a[index] !== b[index]) return false;
  return true;
}

/** Of one shape. */
export function isAlike(a: Fill, b: Fill): boolean {
  return a.least === b.least && (["widths", "heights", "isOpen", "leaves", "enters"] as const).every((name) => isEqual(a[name], b[name]));
}
