// SPDX-License-Identifier: Apache-2.0
// What a diagnosis has found, as far as the graph can show it.
import { listOf, objectOf, textOf } from "../../base/loose";
import type { Badge } from "../../graph/paint-look";

const most = 40; // that are offered, and numbered in the picture: a run may have thousands

export interface Finding {
  title: string;
  ops: string[]; // ids, the one that it is about first
}

/** Of a run's result, the worst first, as the verdict lists them. */
export function findingsOf(result: unknown): Finding[] {
  const { diagnosis, findings } = objectOf(result);
  return listOf(objectOf(diagnosis)["findings"] ?? findings)
    .map(objectOf)
    .map((finding) => {
      const { id, name } = objectOf(finding["op"] ?? listOf(finding["ops"])[0]);
      const others = listOf(finding["ops"]).map((op) => textOf(objectOf(op)["id"]));
      const ops = [...new Set([textOf(id), ...others])].filter((one) => one !== "");
      const tail = textOf(name).split(/(?=\/)/).slice(-2).join("").replace(/^\//, "");
      return { title: `${tail}, ${textOf(finding["rule"]).replaceAll("_", " ")}`, ops };
    })
    .filter(({ ops }) => ops.length > 0)
    .slice(0, most);
}

/** Numbers of findings, the first one at each box that stands for one of its ops. `boxOf`: -1: there is none. */
export function badgesOf(findings: readonly (readonly number[])[], boxOf: (op: number) => number): Badge[] {
  const texts = new Map<number, string>();
  findings.forEach((ops, index) => {
    for (const box of ops.map(boxOf)) if (box >= 0 && !texts.has(box)) texts.set(box, String(index + 1));
  });
  return [...texts].map(([box, text]) => ({ box, text }));
}
