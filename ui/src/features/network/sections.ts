// SPDX-License-Identifier: Apache-2.0
// The blocks of a network as sections of the axis along it.
import type { Group } from "./blocks";
import type { Step } from "./model";

export interface Section {
  label: string;
  from: number; // steps, both ends included
  to: number;
}

/** Blocks whose steps follow each other; none where they lie in each other. */
export function sectionsOf(group: Group | undefined, steps: readonly Step[]): Section[] {
  if (!group || group.units.length < 3) return [];
  const unit = new Map<number, number>();
  group.units.forEach(({ ops }, index) => {
    for (const op of ops) if (op !== null) unit.set(op, index);
  });
  const found = new Map<number, Section>();
  steps.forEach((step, index) => {
    const number = unit.get(step.place);
    if (number === undefined) return;
    const section = found.get(number);
    if (section) section.to = index;
    else found.set(number, { label: group.units[number]!.label, from: index, to: index });
  });
  const sections = [...found.values()].sort((a, b) => a.from - b.from);
  return sections.some((section, index) => section.from <= (sections[index - 1]?.to ?? -1)) ? [] : sections;
}
