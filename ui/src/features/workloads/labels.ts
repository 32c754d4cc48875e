// SPDX-License-Identifier: Apache-2.0
// Tags and a note: what people say of a run.
import type { Schemas } from "../../api/client";

export type Labels = Schemas["RunLabels"];

const mostTags = 16;
const mostTagBytes = 64;
const mostNoteBytes = 4096;

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Several at once have commas between them. A sentence where the server would refuse. */
export function withTags(labels: Labels, typed: string): Labels | string {
  const wanted = typed.split(",").map((tag) => tag.trim()).filter(Boolean);
  const tags = [...new Set([...labels.tags, ...wanted])];
  if (tags.length > mostTags) return `A run has at most ${mostTags} tags.`;
  if (tags.some((tag) => bytesOf(tag) > mostTagBytes)) return `A tag has at most ${mostTagBytes} bytes.`;
  return { ...labels, tags };
}

export function withoutTag(labels: Labels, tag: string): Labels {
  return { ...labels, tags: labels.tags.filter((one) => one !== tag) };
}

export function withNote(labels: Labels, typed: string): Labels | string {
  const note = typed.trim();
  const bytes = bytesOf(note);
  return bytes > mostNoteBytes ? `The note has ${bytes} bytes; ${mostNoteBytes} is the most.` : { ...labels, note };
}

export function isSame(a: Labels, b: Labels): boolean {
  return a.note === b.note && a.tags.length === b.tags.length && a.tags.every((tag, index) => tag === b.tags[index]);
}
