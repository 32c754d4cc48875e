// SPDX-License-Identifier: Apache-2.0
// Equal blocks of a network, so that they can be laid beside each other: by names that differ in numbers of their scopes
// (layer.0, layer.1), and of what is left by repeated types.
import type { GraphOp } from "./model";
import { repeatsOf } from "./repeats";

export interface Unit {
  label: string; // of a column: "3"
  name: string; // in full: "/encoder/layer.3"
  ops: (number | null)[]; // a place in the graph for each row of the group
}

export interface Group {
  id: string;
  title: string; // "layer"
  meaning: string;
  rows: string[];
  units: Unit[];
}

const edges = "/.:";
const mostGroups = 12;

/** Scopes of a name, each by its name with # in place of numbers, its numbers, and what stands behind it. */
function* scopes(name: string): Generator<{ family: string; numbers: string[]; rest: string; end: number }> {
  let last = name.length - 1;
  while (last >= 0 && !edges.includes(name[last]!)) --last;
  const numbers: string[] = [];
  let [family, at] = ["", 0];
  for (const match of name.matchAll(/\d+/g)) {
    const end = match.index + match[0].length;
    if (match.index > last) return;
    numbers.push(match[0]);
    family += `${name.slice(at, match.index)}#`;
    at = end;
    yield { family, numbers: [...numbers], rest: name.slice(end), end };
  }
}

interface Block {
  numbers: string[];
  name: string;
  ops: number[];
  keys: string[]; // what tells an op from the others of its block
}

type Families = Map<string, Map<string, Block>>;

function familiesOf(graph: readonly GraphOp[]): Families {
  const families: Families = new Map();
  graph.forEach((op, index) => {
    if (op.kind === "constant") return;
    for (const { family, numbers, rest, end } of scopes(op.name)) {
      let blocks = families.get(family);
      if (!blocks) families.set(family, (blocks = new Map()));
      const id = numbers.join(".");
      let block = blocks.get(id);
      if (!block) blocks.set(id, (block = { numbers, name: op.name.slice(0, end), ops: [], keys: [] }));
      block.ops.push(index);
      block.keys.push(`${rest} ${op.type}`);
    }
  });
  return families;
}

/** Without these ops. */
function remove(families: Families, taken: ReadonlySet<number>): void {
  for (const [family, blocks] of families) {
    for (const [id, block] of blocks) {
      if (!block.ops.some((op) => taken.has(op))) continue;
      const kept = block.ops.flatMap((op, index) => (taken.has(op) ? [] : [index]));
      if (kept.length === 0) blocks.delete(id);
      else blocks.set(id, { ...block, ops: kept.map((index) => block.ops[index]!), keys: kept.map((index) => block.keys[index]!) });
    }
    if (blocks.size < 2) families.delete(family);
  }
}

/** 0..1: common keys over all keys. */
function likeness(a: Block, b: Block): number {
  const [one, other] = [new Set(a.keys), new Set(b.keys)];
  let common = 0;
  for (const key of one) common += other.has(key) ? 1 : 0;
  return common / (one.size + other.size - common);
}

/** Those that are like the most frequent one: the same types in the same order, or nearly the same names. */
function alike(all: Iterable<Block>, graph: readonly GraphOp[]): Block[] {
  const blocks = [...all].filter((block) => block.ops.length >= 2);
  if (blocks.length < 2) return [];
  const types = blocks.map((block) => block.ops.map((op) => graph[op]!.type).join(" "));
  const counts = new Map<string, number>();
  types.forEach((one, index) => counts.set(one, (counts.get(one) ?? 0) + blocks[index]!.ops.length));
  const [usual] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best));
  const model = blocks[types.indexOf(usual)]!;
  return blocks.flatMap((block, index) => {
    if (types[index] === usual) return [{ ...block, keys: model.keys }];
    return likeness(block, model) >= 0.6 ? [block] : [];
  });
}

/** All rows that any block has, in the order of the blocks; ops of one block with the same key are told apart by number. */
function aligned(blocks: readonly Block[]): { rows: string[]; places: Map<string, number>[] } {
  const rows: string[] = [];
  const places = blocks.map((block) => {
    const seen = new Map<string, number>();
    const place = new Map<string, number>();
    block.keys.forEach((key, index) => {
      const again = (seen.get(key) ?? 0) + 1;
      seen.set(key, again);
      place.set(again > 1 ? `${key} ${again}` : key, block.ops[index]!);
    });
    return place;
  });
  const known = new Set<string>();
  for (const place of places) {
    let after = 0;
    let added: string[] = [];
    const insert = () => {
      rows.splice(after, 0, ...added);
      added = [];
    };
    for (const key of place.keys()) {
      if (known.has(key)) {
        if (added.length > 0) insert();
        after = rows.indexOf(key, after) + 1 || rows.length;
      } else {
        known.add(key);
        added.push(key);
      }
    }
    insert();
  }
  return { rows, places };
}

/** "/encoder/layer.#" is "layer". */
function titleOf(family: string): string {
  const part = family.slice(0, -1).replace(/[._-]+$/, "");
  return part.slice(Math.max(...[...edges].map((edge) => part.lastIndexOf(edge))) + 1) || "block";
}

/** Numbers that are not the same in all blocks, nor those of another scope again. */
function labelsOf(blocks: readonly Block[]): string[] {
  const first = blocks[0]?.numbers ?? [];
  const isSame = (a: number, b: number) => blocks.every((block) => block.numbers[a] === block.numbers[b]);
  const tells = first.map(
    (number, index) => blocks.some((block) => block.numbers[index] !== number) && !first.some((_, other) => other < index && isSame(other, index)),
  );
  return blocks.map((block) => block.numbers.filter((_, index) => tells[index]).join("."));
}

interface Found {
  family: string;
  blocks: Block[];
  covered: number; // ops
}

/** Of families that hold nearly the most ops one of a few blocks at least, and of these the outermost. */
function choose(all: readonly Found[]): Found | undefined {
  const most = Math.max(0, ...all.map((one) => one.covered));
  const depth = (one: Found) => one.family.split("#").length;
  return all
    .filter((one) => one.covered >= 0.9 * most)
    .sort((a, b) => Number(b.blocks.length >= 4) - Number(a.blocks.length >= 4) || depth(a) - depth(b) || b.covered - a.covered)[0];
}

function named(graph: readonly GraphOp[]): { groups: Group[]; taken: Set<number> } {
  const groups: Group[] = [];
  const taken = new Set<number>();
  const families = familiesOf(graph);
  while (groups.length < mostGroups) {
    const found = [...families].map(([family, all]) => {
      const blocks = alike(all.values(), graph);
      return { family, blocks, covered: blocks.reduce((sum, block) => sum + block.ops.length, 0) };
    });
    const best = choose(found.filter((one) => one.blocks.length >= 2));
    if (!best) break;
    const { rows, places } = aligned(best.blocks);
    const labels = labelsOf(best.blocks);
    const before = groups.filter((group) => group.id.startsWith(best.family)).length; // what was left of the family by an earlier group
    groups.push({
      id: before > 0 ? `${best.family}${before + 1}` : best.family,
      title: titleOf(best.family),
      meaning: `ops whose names begin with ${best.family}`,
      rows: rows.map((key) => key.slice(0, key.lastIndexOf(" ")).replace(/^[/.:]+/, "") || key.trim()),
      units: best.blocks.map((block, index) => ({
        label: labels[index]!,
        name: block.name,
        ops: rows.map((key) => places[index]!.get(key) ?? null),
      })),
    });
    for (const block of best.blocks) for (const op of block.ops) taken.add(op);
    remove(families, taken);
  }
  return { groups, taken };
}

/** "MatMul", "MatMul 2": types, with their number where one comes again. */
export function numbered(types: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return types.map((type) => {
    const number = (seen.get(type) ?? 0) + 1;
    seen.set(type, number);
    return number > 1 ? `${type} ${number}` : type;
  });
}

function byTypes(graph: readonly GraphOp[], taken: ReadonlySet<number>): Group[] {
  const free = graph.flatMap((op, index) => (taken.has(index) || op.kind === "constant" ? [] : [index]));
  const ops = free.map((index) => graph[index]!);
  return repeatsOf(ops, 4).map(({ start, period, count }) => {
    const first = ops.slice(start, start + period);
    return {
      id: `types-${start}`,
      title: `block of ${period} ops`,
      meaning: `the same ${period} types of ops one after the other, from ${ops[start]!.name} on`,
      rows: numbered(first.map((op) => op.type)),
      units: Array.from({ length: count }, (_, number) => ({
        label: String(number + 1),
        name: `from ${ops[start + number * period]!.name} on`,
        ops: Array.from({ length: period }, (__, row) => free[start + number * period + row]!),
      })),
    };
  });
}

/** Most ops first. */
export function groupsOf(graph: readonly GraphOp[]): Group[] {
  const { groups, taken } = named(graph);
  const size = (group: Group) => group.rows.length * group.units.length;
  return [...groups, ...byTypes(graph, taken)].sort((a, b) => size(b) - size(a));
}
