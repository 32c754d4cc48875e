// SPDX-License-Identifier: Apache-2.0
// What the keys mean on the picture.
import type { Direction } from "./walk";

export type Command =
  | { do: "walk"; direction: Direction }
  | { do: "pan"; dx: number; dy: number }
  | { do: "zoom"; factor: number }
  | { do: "hit"; by: 1 | -1 }
  | { do: "open" | "close" | "fit" | "centre" };

const arrows: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
const step = 80; // pixels
const pans: Record<Direction, [number, number]> = { up: [0, step], down: [0, -step], left: [step, 0], right: [-step, 0] };

export const told =
  "Arrow keys: down to what reads the value, up to what made it, left and right to what lies beside. Enter opens a group, Escape closes it. " +
  "Having come along an edge, left and right lead to the other ends of that value. Plus and minus zoom, F fits, C goes to what is selected, " +
  "N to the next op that is found, without a query to the next finding; Shift and arrow keys move the picture.";

type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

/** Null: it is none of the picture's keys. */
export function commandOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Pressed): Command | null {
  if (ctrlKey || metaKey || altKey) return null;
  const direction = arrows[key];
  if (direction && shiftKey) return { do: "pan", dx: pans[direction][0], dy: pans[direction][1] };
  if (direction) return { do: "walk", direction };
  switch (key) {
    case "Enter":
    case " ":
      return { do: "open" };
    case "Escape":
      return { do: "close" };
    case "+":
    case "=":
      return { do: "zoom", factor: 1.25 };
    case "-":
      return { do: "zoom", factor: 0.8 };
    case "f":
    case "F":
    case "0":
      return { do: "fit" };
    case "c":
    case "C":
      return { do: "centre" };
    case "n":
      return { do: "hit", by: 1 };
    case "N":
      return { do: "hit", by: -1 };
    default:
      return null;
  }
}
