// SPDX-License-Identifier: Apache-2.0
// What of a net is drawn now: edges that join the same two closed boxes are one wire, and the bends of the others take
// no room.
import { bucketsOf, sortedBy, upTo, type Buckets } from "./buckets";
import { lengthsOf, type Net } from "./chains";
import type { Fill } from "./fill";
import type { Shape } from "./level";
import { bendWidth } from "./measures";
import { placesOf, type Rows } from "./order";

export interface Live {
  count: number; // of things and bends; those that are not drawn are in no row
  things: number;
  rows: Rows;
  places: Int32Array;
  widths: Float64Array;
  isDrawn: Uint8Array; // of each edge of the shape
  upper: Int32Array; // of each segment that is drawn
  lower: Int32Array;
  upperLine: Int32Array; // of a segment that begins at a thing: its line
  upperOffset: Float64Array; // from the middle of the box
  lowerOffset: Float64Array;
  up: Buckets; // segments by their lower end, in the order of the upper ones
  down: Buckets;
}

export function drawnEdges({ entries, children, from, to, bundles }: Shape, isOpen: Uint8Array): Uint8Array {
  const opened = (thing: number) => thing >= entries && thing < entries + children && isOpen[thing - entries] === 1;
  const isDrawn = new Uint8Array(bundles.length);
  for (let edge = 0; edge < bundles.length; ++edge) {
    isDrawn[edge] = bundles[edge] === edge || opened(from[edge]!) || opened(to[edge]!) ? 1 : 0;
  }
  return isDrawn;
}

type IsLive = (one: number) => boolean;

function liveRows(net: Net, { starts, items }: Rows, isLive: IsLive): Rows {
  const kept = items.filter(isLive);
  if (kept.length === items.length) return { starts, items };
  return { starts: bucketsOf(kept.map((one) => net.row[one]!), net.rows).starts, items: kept };
}

/** Those that are drawn, of the segments of a net. */
function segmentsOf({ upper, lowerEdge, lower }: Net, isDrawn: Uint8Array, isLive: IsLive): Int32Array {
  return upTo(upper.length).filter((segment) => {
    const edge = lowerEdge[segment]!;
    return edge >= 0 ? isDrawn[edge] === 1 : isLive(lower[segment]!);
  });
}

/** Of each segment; -1: it ends at a bend. */
function offsets(numbers: Int32Array, known: Float64Array): Float64Array {
  const found = new Float64Array(numbers.length);
  numbers.forEach((number, segment) => {
    if (number >= 0) found[segment] = known[number]!;
  });
  return found;
}

export function liveOf(shape: Shape, net: Net, rows: Rows, fill: Fill): Live {
  const isDrawn = drawnEdges(shape, fill.isOpen);
  const lengths = lengthsOf(shape, net.row, isDrawn.map((drawn, edge) => Number(!drawn || net.isRail[edge] === 1)));
  const lineOf = (bend: number) => net.owner[bend - net.things]!;
  const isLive = (one: number) => one < net.things || one - net.firstBend[lineOf(one)]! < lengths[lineOf(one)]!;
  const segments = segmentsOf(net, isDrawn, isLive);
  const drawnRows = liveRows(net, rows, isLive);
  const inTurn = new Int32Array(net.count);
  drawnRows.items.forEach((one, index) => (inTurn[one] = index));
  const pick = (all: Int32Array) => segments.map((segment) => all[segment]!);
  const [upper, lower] = [pick(net.upper), pick(net.lower)];
  const sorted = (ends: Int32Array) => sortedBy(upTo(ends.length), ends.map((one) => inTurn[one]!), net.count);
  const grouped = (order: Int32Array, ends: Int32Array): Buckets => {
    const { starts, items } = bucketsOf(order.map((segment) => ends[segment]!), net.count);
    return { starts, items: items.map((index) => order[index]!) };
  };
  const widths = new Float64Array(net.count).fill(bendWidth);
  widths.set(fill.widths, shape.entries);
  return {
    ...{ count: net.count, things: net.things, rows: drawnRows, places: placesOf(drawnRows, net.count) },
    ...{ widths, isDrawn, upper, lower, upperLine: pick(net.upperLine) },
    upperOffset: offsets(pick(net.upperLine), fill.leaves),
    lowerOffset: offsets(pick(net.lowerEdge), fill.enters),
    up: grouped(sorted(upper), lower),
    down: grouped(sorted(lower), upper),
  };
}
