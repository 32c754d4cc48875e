// SPDX-License-Identifier: Apache-2.0
// What the keys mean on the picture.
import type { Direction } from "./walk";

export type Command =
  | { do: "walk"; direction: Direction }
  | { do: "pan"; dx: number; dy: number }
  | { do: "zoom"; factor: number }
  | { do: "hit"; by: 1 | -1 }
  | { do: "open" | "close" | "fit" | "centre" };

const commands: Record<string, Command> = {
  Enter: { do: "open" }, " ": { do: "open" }, Escape: { do: "close" },
  "+": { do: "zoom", factor: 1.25 }, "=": { do: "zoom", factor: 1.25 }, "-": { do: "zoom", factor: 0.8 },
  f: { do: "fit" }, F: { do: "fit" }, 0: { do: "fit" }, c: { do: "centre" }, C: { do: "centre" },
  n: { do: "hit", by: 1 }, N: { do: "hit", by: -1 },
};
const step = 80; // pixels
const arrows: Record<string, { direction: Direction; dx: number; dy: number }> = {
  ArrowUp: { direction: "up", dx: 0, dy: step }, ArrowDown: { direction: "down", dx: 0, dy: -step },
  ArrowLeft: { direction: "left", dx: step, dy: 0 }, ArrowRight: { direction: "right", dx: -step, dy: 0 },
};

export const told =
  "Arrow keys: down to what reads the value, up to what made it, left and right to what lies beside. Enter opens a group, Escape closes it. " +
  "Having come along an edge, left and right lead to the other ends of that value. Plus and minus zoom, F fits, C goes to what is selected, " +
  "N to the next op that is found, without a query to the next finding; Shift and arrow keys move the picture.";

type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

/** Null: it is none of the picture's keys. */
export function commandOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): Command | null {
  if (ctrlKey || metaKey || altKey) return null;
  const arrow = arrows[key];
  if (!arrow) return commands[key] ?? null;
  const { direction, dx, dy } = arrow;
  return shiftKey ? { do: "pan", dx, dy } : { do: "walk", direction };
}
