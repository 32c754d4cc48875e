// SPDX-License-Identifier: Apache-2.0
// Groups with too many children are cut into pieces, and the pieces again where they are too many.
import { cutsOf, type Sequence } from "./cuts";
import { addGroup, childrenOf, type Draft, type Titles } from "./draft";
import { numbering } from "./known";
import { nestOf, partingOf, type Ends, type Nest } from "./nest";
import { mostChildren } from "./tree";

/** Edges that run between the children of each group that is too large, by their places. */
function edgesWithin(large: readonly number[], nest: Nest, ends: Ends): Map<number, { from: number[]; to: number[] }> {
  const found = new Map(large.map((group) => [group, { from: [] as number[], to: [] as number[] }]));
  for (let edge = 0; edge < ends.from.length; ++edge) {
    if (ends.from[edge] === ends.to[edge]) continue;
    const [from, to] = partingOf(nest, ends.from[edge]!, ends.to[edge]!);
    const list = found.get(nest.parents[from]!);
    list?.from.push(nest.places[from]!);
    list?.to.push(nest.places[to]!);
  }
  return found;
}

/** How many ops lie in each group. */
function opCounts(draft: Draft): number[] {
  const counts = draft.children.map(() => 0);
  for (let group = counts.length - 1; group >= 0; --group) {
    for (const child of draft.children[group]!) counts[group]! += child < draft.ops ? 1 : counts[child - draft.ops]!;
  }
  return counts;
}

/** The sequence of pieces that end at `cuts`. */
function coarser({ kinds, from, to }: Sequence, cuts: readonly number[]): Sequence {
  const pieceOf = new Int32Array(kinds.length);
  const numberOf = numbering<string>();
  const coarse = cuts.map((end, piece) => {
    const start = piece > 0 ? cuts[piece - 1]! : 0;
    pieceOf.fill(piece, start, end);
    return numberOf(kinds.subarray(start, end).join());
  });
  const within = (place: number) => pieceOf[place]!;
  return { kinds: Int32Array.from(coarse), from: from.map(within), to: to.map(within) };
}

interface Cutting {
  draft: Draft;
  pieces: Set<number>;
}

/** Groups of the pieces; a piece of one is what it holds. */
function piecesOf({ draft, pieces }: Cutting, nodes: readonly number[], cuts: readonly number[]): number[] {
  return cuts.map((end, index) => {
    const inner = nodes.slice(index > 0 ? cuts[index - 1] : 0, end);
    if (inner.length === 1) return inner[0]!;
    const piece = addGroup(draft, "", "");
    draft.children[piece - draft.ops] = inner;
    pieces.add(piece);
    return piece;
  });
}

function cut(cutting: Cutting, group: number, whole: Sequence): void {
  const { draft } = cutting;
  let [nodes, sequence] = [childrenOf(draft, group), whole];
  while (nodes.length > mostChildren) {
    const cuts = cutsOf(sequence, mostChildren);
    nodes = piecesOf(cutting, nodes, cuts);
    sequence = coarser(sequence, cuts);
  }
  draft.children[group - draft.ops] = nodes;
}

/** "layer.0 … layer.19" where what is in a piece has names, "part 3" elsewhere. */
function nameWithin({ draft, pieces }: Cutting, group: number, titles: Titles): void {
  const waiting = [group];
  const titleAt = (node: number, end: 0 | -1): string | undefined => {
    let at = node;
    while (pieces.has(at)) at = childrenOf(draft, at).at(end)!;
    return (at < draft.ops ? titles.get(at) : draft.labels[at - draft.ops])?.split("/", 1)[0];
  };
  for (let above = waiting.pop(); above !== undefined; above = waiting.pop()) {
    const inner = childrenOf(draft, above).filter((child) => pieces.has(child));
    inner.forEach((piece, index) => {
      const [first, last] = [titleAt(piece, 0), titleAt(piece, -1)];
      const hasNames = first !== undefined && last !== undefined && first !== last;
      draft.labels[piece - draft.ops] = hasNames ? `${first} … ${last}` : `part ${index + 1}`;
      draft.paths[piece - draft.ops] = `${draft.paths[above! - draft.ops]!}/#${index + 1}`.replace(/^\//, "");
      waiting.push(piece);
    });
  }
}

/** `kinds`: numbers of the kinds of ops. */
export function cutLarge(draft: Draft, kinds: Int32Array, ends: Ends, titles: Titles): void {
  const isLarge = (children: readonly number[]) => children.length > mostChildren;
  const large = draft.children.flatMap((children, group) => (isLarge(children) ? [draft.ops + group] : []));
  if (large.length === 0) return;
  const counts = opCounts(draft);
  const numberOf = numbering<string>();
  const textOf = (child: number) => (child < draft.ops ? `op ${kinds[child]}` : `${counts[child - draft.ops]} ops`);
  const edges = edgesWithin(large, nestOf(draft.ops, draft.children), ends);
  const cutting = { draft, pieces: new Set<number>() };
  for (const group of large) {
    const { from, to } = edges.get(group)!;
    const sequence = Int32Array.from(childrenOf(draft, group), (child) => numberOf(textOf(child)));
    cut(cutting, group, { kinds: sequence, from: Int32Array.from(from), to: Int32Array.from(to) });
    nameWithin(cutting, group, titles);
  }
}
