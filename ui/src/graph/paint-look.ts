// SPDX-License-Identifier: Apache-2.0
// What a picture is drawn of: a scene, and what its boxes and wires look like.
import type { Scene } from "./scene";
import type { Texts } from "./texts";

/** What is needed of CanvasRenderingContext2D. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "beginPath" | "moveTo" | "lineTo" | "quadraticCurveTo" | "closePath" | "rect" | "roundRect" | "fill" | "stroke" | "fillRect"
  | "fillText" | "strokeText"
  | "setLineDash" | "fillStyle" | "strokeStyle" | "lineWidth" | "globalAlpha" | "font" | "textAlign" | "textBaseline"
>;

export interface Palette {
  panel: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
  focus: string;
  bad: string;
  fills: readonly { fill: string; ink: string }[]; // of boxes; ink: what is read on it
  strokes: readonly { colour: string; width: number; isDashed: boolean }[]; // of wires; widths in units
}

/** What is known of each node of the tree, open or closed. */
export interface NodeFigures {
  fills: Uint8Array; // which of the palette's
  strips: Float32Array | null; // of each group - ops, of each fill: the part of its ops that have it. null: none are shown
  details: Texts; // the second line
  lit: Uint8Array | Int32Array | null; // 0: dim. null: nothing is dim
  found: Int32Array | null; // how many a query has found in it; null: there is none
}

/** What each node looks like. */
export interface NodeLook extends Omit<NodeFigures, "details"> {
  details: readonly string[];
  titles: readonly string[];
  titleWidths: Float32Array; // units, in the font of titles
  marks: readonly string[]; // in the upper right corner
}

/** What each wire of a scene looks like. */
export interface WireLook {
  strokes: Uint8Array; // which of the palette's
  wireOf: Int32Array; // of each point
  heads: Uint8Array; // 1: it ends at what reads the value
  lit: Uint8Array | null;
  word: (wire: number) => string;
}

/** At the corner of a box with which something was found wrong. */
export interface Badge {
  box: number;
  text: string;
}

/** What is selected or pointed at. */
export interface Marks {
  selected: number; // boxes of the scene; -1: none
  pointed: number;
  pointedWire: number;
  wires: ReadonlySet<number>; // of what is selected
}

export const noMarks: Marks = { selected: -1, pointed: -1, pointedWire: -1, wires: new Set() };

export interface Picture {
  scene: Scene;
  ops: number; // nodes from here on are groups
  nodes: NodeLook;
  wires: WireLook;
  badges: readonly Badge[]; // the most important one first
  palette: Palette;
}

/** Strokes of wires: 0 says nothing; 1 to here are steps from good to bad; behind them those of values that were not compared. */
export const steps = 5;
export const dimmed = 0.22;
export const font = { title: "600 12px system-ui, sans-serif", detail: "11px system-ui, sans-serif" };

/** What is not dim at last, over what is. */
export function inTurn(pen: Pen, hasDim: boolean, draw: (isDim: boolean) => void): void {
  if (hasDim) {
    pen.globalAlpha = dimmed;
    draw(true);
    pen.globalAlpha = 1;
  }
  draw(false);
}
