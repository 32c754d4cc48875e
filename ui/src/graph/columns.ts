// SPDX-License-Identifier: Apache-2.0
// Tall levels are folded into columns, as text is, where few wires cross.

const foldFrom = 2400; // units of height
const foldShape = 3.5; // height over width
const aspect = 1.2; // width over height that is wished for
const step = 1.5; // between the heights that columns may have: so a group that opens moves few of them
const leastHeight = 900;
const slack = 0.25; // of a column's height

export interface Tall {
  tops: ArrayLike<number>; // of each row, in one column
  bottoms: ArrayLike<number>;
  crossing: ArrayLike<number>; // of each row: wires that come from the row above
  width: number;
}

function heightOf({ bottoms, width }: Tall): number {
  const ideal = Math.sqrt((bottoms[bottoms.length - 1]! * width) / aspect);
  return leastHeight * step ** Math.max(0, Math.ceil(Math.log(ideal / leastHeight) / Math.log(step)));
}

/** The row with which the next column begins. */
function nextColumn({ tops, bottoms, crossing }: Tall, from: number, goal: number): number {
  const heightTo = (row: number) => bottoms[row - 1]! - tops[from]!;
  if (heightTo(tops.length) <= goal * (1 + slack)) return tops.length;
  let [best, least] = [tops.length, Infinity];
  for (let row = from + 1; row < tops.length; ++row) {
    const height = heightTo(row);
    if (height < goal * (1 - slack)) continue;
    if (height > goal * (1 + slack) && least < Infinity) break;
    const cost = crossing[row]! + Math.abs(height - goal) / goal;
    if (cost < least) [best, least] = [row, cost];
    if (height > goal * (1 + slack)) break;
  }
  return best;
}

/** The first row of each column. */
export function columnsOf(tall: Tall): number[] {
  const rows = tall.tops.length;
  if (rows === 0) return [0];
  const height = tall.bottoms[rows - 1]!;
  if (height < foldFrom || height < foldShape * tall.width) return [0];
  const goal = heightOf(tall);
  const starts = [0];
  for (let row = nextColumn(tall, 0, goal); row < rows; row = nextColumn(tall, row, goal)) starts.push(row);
  return starts;
}
