// SPDX-License-Identifier: Apache-2.0
// What a job has said, as lines that people read: its log has events among the sentences.
import { durationText } from "../../base/quantities";

export interface Line {
  text: string;
  step?: string; // of a step that has not ended: what it says next takes the place of this
  isEnd?: boolean;
}

/** More lines than anyone scrolls through; the file has them all. */
export const mostLines = 5000;

interface Event {
  event?: unknown;
  id?: unknown;
  step?: unknown;
  done?: unknown;
  total?: unknown;
  seconds?: unknown;
  text?: unknown;
}

function eventOf(line: string): Event | null {
  if (!line.startsWith("{")) return null;
  try {
    const event: unknown = JSON.parse(line);
    return event !== null && typeof event === "object" && "event" in event ? (event as Event) : null;
  } catch {
    return null;
  }
}

function countText(event: Event): string {
  if (typeof event.done !== "number") return "";
  return typeof event.total === "number" ? `${event.done} of ${event.total}` : String(event.done);
}

/** A line of a log: sentences as they are, events in words. */
export function lineOf(text: string): Line {
  const event = eventOf(text);
  if (!event) return { text };
  const step = String(event.step ?? "");
  const seconds = typeof event.seconds === "number" ? durationText(event.seconds) : "";
  const said = (...parts: string[]) => parts.filter(Boolean).join(", ");
  switch (event.event) {
    case "workload":
      return { text: `run ${String(event.id ?? "")}` };
    case "note":
      return { text: `note: ${String(event.text ?? "")}` };
    case "begin":
      return { text: typeof event.total === "number" ? `${step}: ${event.total} to do` : step, step };
    case "progress":
      return { text: `${step}: ${said(countText(event), seconds && `after ${seconds}`)}`, step };
    case "end":
      return { text: `${step}: ${event.done ? `${String(event.done)} done` : "done"}${seconds && ` in ${seconds}`}`, step, isEnd: true };
    default:
      return { text };
  }
}

/** The lines with those of a part behind; a step stands in one line. */
export function appended(lines: readonly Line[], text: string, isLog: boolean): Line[] {
  const all = [...lines];
  const parts = text.split("\n");
  if (parts.at(-1) === "") parts.pop();
  for (const part of parts) {
    const line = isLog ? lineOf(part) : { text: part };
    const last = all.at(-1);
    if (last?.step !== undefined && last.step === line.step && !last.isEnd) all.pop();
    all.push(line);
  }
  return all.length > mostLines ? all.slice(-mostLines) : all;
}

export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => line.text).join("\n");
}

/** What to do after a part was read: ask on at once, wait for more, or stop. */
export function nextOf(part: { end: number; size: number }, after: number, wasEnded: boolean): "on" | "wait" | "stop" {
  if (part.end > after && part.end < part.size) return "on";
  return wasEnded ? "stop" : "wait";
}
