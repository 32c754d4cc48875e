// SPDX-License-Identifier: Apache-2.0
// The groups that have been open, as they were laid out last. Equal blocks share their order and, filled alike, their
// places.
import { arrange, ordered, type Arrangement, type Ordered } from "./arrange";
import { toldOf, type Shown } from "./assemble";
import { fillOf, isAlike, type Fill, type Opened } from "./fill";
import { remembered } from "./known";
import type { Sizes } from "./layout";
import type { Level } from "./level";

interface Filled {
  fill: Fill;
  arrangement: Arrangement;
}

interface Block {
  ordered: Ordered;
  filled: Filled[]; // the last ones
}

const mostFilled = 4; // of a block

interface Last {
  shown: Shown;
  inside: (Arrangement | null)[]; // of each inner group; null: it was closed
  round: number;
}

export interface Group {
  level: Level;
  block: Block;
  inner: Int32Array; // places of the children that are groups
  last: Last | null;
}

function blockText({ shape }: Level): string {
  const { entries, children, exits, from, to, lines } = shape;
  return `${entries} ${children} ${exits} ${from.join()} ${to.join()} ${lines.join()}`;
}

export class Groups {
  private readonly known: (Group | undefined)[] = [];
  private readonly blocks = new Map<string, Block>();

  /** `levelAt`: of a group, counted from the root. */
  constructor(
    private readonly ops: number,
    private readonly levelAt: (group: number) => Level,
  ) {}

  at(node: number): Group {
    return (this.known[node - this.ops] ??= this.make(node - this.ops));
  }

  private make(index: number): Group {
    const level = this.levelAt(index);
    const block = remembered(this.blocks, blockText(level), () => ({ ordered: ordered(level.shape), filled: [] }));
    const inner: number[] = [];
    level.children.forEach((child, place) => {
      if (child >= this.ops) inner.push(place);
    });
    return { level: { ...level, shape: block.ordered.shape }, block, inner: new Int32Array(inner), last: null };
  }

  /** `openAt`: of a child that is open; `round`: a number that changes with the sizes. */
  show(node: number, sizes: Sizes, round: number, openAt: (child: number) => Opened | null): Shown {
    const group = this.at(node);
    if (group.last?.round === round && isUnchanged(group, openAt)) return group.last.shown;
    const opened = new Array<Opened | null>(group.level.children.length).fill(null);
    for (const place of group.inner) opened[place] = openAt(group.level.children[place]!);
    const least = node === this.ops ? -1 : sizes[2 * node]!;
    const arrangement = arrangementOf(group.block, fillOf(group.level, sizes, least, opened));
    const inside = Array.from(group.inner, (place) => opened[place]?.arrangement ?? null);
    if (group.last?.shown.arrangement === arrangement) group.last = { ...group.last, inside, round };
    else group.last = { shown: shownAs(node, group.level, arrangement), inside, round };
    return group.last.shown;
  }
}

function shownAs(group: number, level: Level, arrangement: Arrangement): Shown {
  return { group, level, arrangement, told: toldOf(level, arrangement) };
}

function isUnchanged({ level, inner, last }: Group, openAt: (child: number) => Opened | null): boolean {
  for (let index = 0; index < inner.length; ++index) {
    if ((openAt(level.children[inner[index]!]!)?.arrangement ?? null) !== last!.inside[index]) return false;
  }
  return true;
}

function arrangementOf(block: Block, fill: Fill): Arrangement {
  const known = block.filled.find((one) => isAlike(one.fill, fill));
  if (known) return known.arrangement;
  const arrangement = arrange(block.ordered, fill);
  block.filled = [{ fill, arrangement }, ...block.filled.slice(0, mostFilled - 1)];
  return arrangement;
}
