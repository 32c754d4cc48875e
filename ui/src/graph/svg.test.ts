// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import type { Picture } from "./paint-look";
import { SvgPen, svgOf } from "./svg";
import { Visible } from "./visible";

describe("a pen that writes SVG", () => {
  it("writes paths with how they are filled and stroked", () => {
    const pen = new SvgPen();
    pen.beginPath();
    pen.moveTo(1, 2);
    pen.lineTo(3.14159, 4);
    pen.quadraticCurveTo(5, 6, 7, 8);
    pen.closePath();
    [pen.strokeStyle, pen.lineWidth, pen.globalAlpha] = ["red", 2, 0.5];
    pen.setLineDash([7, 4]);
    pen.stroke();
    expect(pen.parts).toEqual(['<path d="M1 2L3.1 4Q5 6 7 8Z" fill="none" stroke="red" stroke-width="2" stroke-dasharray="7 4" opacity="0.5"/>']);
  });
  it("has rectangles with round corners", () => {
    const pen = new SvgPen();
    pen.beginPath();
    pen.roundRect(0, 0, 20, 10, 9);
    pen.fill();
    expect(pen.parts[0]).toContain("M5 0h10a5 5 0 0 1 5 5v0a5 5 0 0 1 -5 5h-10a5 5 0 0 1 -5 -5v-0a5 5 0 0 1 5 -5Z");
  });
  it("lets no name be taken as a mark", () => {
    const pen = new SvgPen();
    pen.fillText('<script>"&\u0000', 1, 2);
    pen.fillText("", 1, 2);
    expect(pen.parts).toHaveLength(1);
    expect(pen.parts[0]).toContain(">&#60;script&#62;&#34;&#38;</text>");
  });
});

it("a whole scene is a file by itself, with its caption", () => {
  const picture: Picture = {
    scene: {
      nodes: Int32Array.from([0]), boxes: Float32Array.from([0, 0, 80, 40]), frames: 0, points: new Float32Array(0),
      wires: Int32Array.from([0]), edgeStarts: Int32Array.from([0]), edges: new Int32Array(0), width: 80, height: 40,
    },
    ops: 1,
    nodes: {
      fills: Uint8Array.from([0, 0]), strips: null, titles: ["Conv", ""], titleWidths: new Float32Array(2), details: ["", ""],
      marks: ["", ""], lit: null, found: null,
    },
    badges: [],
    wires: { strokes: new Uint8Array(0), wireOf: new Int32Array(0), heads: new Uint8Array(0), lit: null, word: () => "" },
    palette: {
      panel: "white", text: "black", muted: "grey", line: "grey", accent: "gold", focus: "blue", bad: "red",
      fills: [{ fill: "red", ink: "black" }], strokes: [],
    },
  };
  const text = svgOf(picture, new Visible(picture.scene, () => 1, () => 1), ["Graph: boxes by SQNR", "run"]);
  expect(text.startsWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -16 162 102" width="162" height="102">')).toBe(true);
  for (const part of ['fill="white"', 'fill="red"', ">Conv</text>", ">Graph: boxes by SQNR</text>", ">run</text>", "</svg>"]) expect(text).toContain(part);
});
