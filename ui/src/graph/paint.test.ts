// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { paint } from "./paint";
import { dimmed, noMarks, type Marks, type Pen, type Picture } from "./paint-look";
import { cut } from "./paint-words";
import type { Scene } from "./scene";
import { Visible } from "./visible";

interface Stroke {
  what: "fill" | "stroke" | "text" | "halo";
  style: string;
  alpha: number;
  width: number;
  dash: number[];
  path: string; // what was traced, or the text
}

/** Notes what is drawn. */
class Notes {
  fillStyle = "";
  strokeStyle = "";
  lineWidth = 1;
  globalAlpha = 1;
  font = "";
  textAlign = "left" as CanvasTextAlign;
  textBaseline = "middle" as CanvasTextBaseline;
  readonly drawn: Stroke[] = [];
  private path = "";
  private dash: number[] = [];

  private note(what: Stroke["what"], style: string, path = this.path): void {
    this.drawn.push({ what, style, alpha: this.globalAlpha, width: this.lineWidth, dash: this.dash, path });
  }
  beginPath = () => (this.path = "");
  moveTo = (x: number, y: number) => (this.path += `M${x},${y}`);
  lineTo = (x: number, y: number) => (this.path += `L${x},${y}`);
  quadraticCurveTo = (x: number, y: number, toX: number, toY: number) => (this.path += `Q${x},${y},${toX},${toY}`);
  closePath = () => (this.path += "Z");
  rect = (x: number, y: number, width: number, height: number) => (this.path += `R${x},${y},${width},${height}`);
  roundRect = (x: number, y: number, width: number, height: number) => (this.path += `O${x},${y},${width},${height}`);
  fillRect = (x: number, y: number, width: number, height: number) => this.note("fill", this.fillStyle, `R${x},${y},${width},${height}`);
  setLineDash = (dash: number[]) => (this.dash = dash);
  fill = () => this.note("fill", this.fillStyle);
  stroke = () => this.note("stroke", this.strokeStyle);
  fillText = (text: string) => this.note("text", this.fillStyle, text);
  strokeText = (text: string) => this.note("halo", this.strokeStyle, text);
}

// An open group (node 4) with ops 0 and 1, a closed one (node 5) below, and op 2. Node 3 is the root.
const scene: Scene = {
  nodes: Int32Array.from([4, 0, 1, 5, 2]), frames: 1,
  boxes: Float32Array.from([[0, 0, 200, 220], [60, 40, 80, 40], [60, 140, 80, 40], [20, 300, 160, 46], [60, 420, 80, 40]].flat()),
  points: Float32Array.from([100, 80, 100, 140, 100, 180, 100, 220, 100, 220, 100, 300, 100, 346, 100, 380, 140, 380, 140, 420]),
  wires: Int32Array.from([0, 2, 4, 6, 10]), edgeStarts: Int32Array.from([0, 1, 2, 3, 4]), edges: Int32Array.from([0, 1, 1, 2]), width: 200, height: 460,
};
const picture: Picture = {
  scene, ops: 3,
  nodes: {
    fills: Uint8Array.from([1, 0, 0, 0, 0, 1]), strips: Float32Array.from([0, 0, 0, 0, 0.25, 0.75]),
    titles: ["Conv", "Relu", "Add", "", "layer.1", "layer.2"], titleWidths: Float32Array.from([30, 30, 30, 0, 50, 50]),
    details: ["3 dB", "", "", "", "", "9 ops"], marks: ["+1", "", "", "", "", "1 of 2 alike"], lit: null, found: null,
  },
  badges: [{ box: 1, text: "1" }, { box: 4, text: "12" }],
  wires: {
    strokes: Uint8Array.from([1, 0, 2, 0]), wireOf: Int32Array.from([0, 0, 1, 1, 2, 2, 3, 3, 3, 3]), heads: Uint8Array.from([1, 0, 1, 1]), lit: null,
    word: (wire) => `value ${wire}`,
  },
  palette: {
    panel: "panel", text: "text", muted: "muted", line: "line", accent: "accent", focus: "focus", bad: "bad",
    fills: [{ fill: "white", ink: "black" }, { fill: "red", ink: "light" }],
    strokes: [{ colour: "grey", width: 1, isDashed: false }, { colour: "hot", width: 4, isDashed: false }, { colour: "guess", width: 2, isDashed: true }],
  },
};

interface Change {
  nodes?: Partial<Picture["nodes"]>;
  wires?: Partial<Picture["wires"]>;
  scene?: Scene;
}

function drawn(change: Change = {}, zoom = 1, marks: Marks = noMarks): Stroke[] {
  const pen = new Notes();
  const { scene: own = scene } = change;
  const all = { ...picture, scene: own, nodes: { ...picture.nodes, ...change.nodes }, wires: { ...picture.wires, ...change.wires } };
  const visible = new Visible(own, (node) => (node < 3 ? 2 : 1), () => 3);
  paint(pen as unknown as Pen, all, visible.look({ x: 100, y: 230, zoom }, { width: 600, height: 600 }), marks, zoom);
  return pen.drawn;
}

const texts = (all: readonly Stroke[]) => all.filter(({ what }) => what === "text").map(({ path }) => path);

describe("a picture from near", () => {
  const all = drawn();

  it("fills boxes of one colour at once, in their colour", () => {
    expect(all.filter(({ what, style }) => what === "fill" && style === "white").map(({ path }) => path)[0]).toBe("O60,140,80,40O60,420,80,40");
    expect(all.find(({ what, style }) => what === "fill" && style === "red")?.path).toBe("O60,40,80,40O20,300,160,46");
  });

  it("draws wires in the colour and width of what flows, dashed where it is not known of the value itself", () => {
    expect(all.find(({ style, what }) => style === "hot" && what === "stroke")).toMatchObject({ path: "M100,80L100,140", width: 4, dash: [] });
    expect(all.find(({ style, what }) => style === "guess" && what === "stroke")).toMatchObject({ path: "M100,220L100,300", dash: [7, 4] });
  });

  it("rounds bends", () => {
    const grey = all.find(({ style, what }) => style === "grey" && what === "stroke")!.path;
    expect(grey).toContain("M100,346L100,372Q100,380,108,380M108,380L132,380Q140,380,140,388M140,388L140,420");
  });

  it("has arrow heads where wires reach an op", () => {
    const heads = all.filter(({ what, path }) => what === "fill" && path.endsWith("Z"));
    expect(heads.map(({ style }) => style).sort()).toEqual(["grey", "guess", "hot"]);
    expect(heads.find(({ style }) => style === "grey")!.path.match(/Z/g)).toHaveLength(1);
  });

  it("writes types, figures, what hangs on an op, groups and findings", () => {
    expect(texts(all).filter((text) => !text.startsWith("value"))).toEqual([
      "Conv", "Relu", "layer.2", "Add", "3 dB", "+1", "9 ops", "1 of 2 alike", "layer.1", "1", "12",
    ]);
    expect(all.find(({ path, what }) => path === "Conv" && what === "text")?.style).toBe("light");
  });

  it("says what wires carry where there is room, and not over a box", () => {
    expect(texts(all).filter((text) => text.startsWith("value"))).toEqual(["value 0", "value 2", "value 3"]);
    expect(texts(drawn({}, 0.7)).filter((text) => text.startsWith("value"))).toEqual([]);
    expect(texts(drawn({}, 0.7, { ...noMarks, wires: new Set([0]) })).filter((text) => text.startsWith("value"))).toEqual(["value 0"]);
    expect(texts(drawn({ wires: { word: () => "the same" } })).filter((text) => text === "the same")).toHaveLength(1);
  });

  it("says it within a group, where it fits on either side", () => {
    const boxes = scene.boxes.slice();
    boxes[2] = 170; // where the group ends
    const at = (word: string) => {
      const all = drawn({ scene: { ...scene, boxes }, wires: { word: (wire) => (wire === 0 ? word : "") } });
      const place = all[all.findIndex(({ what, path }) => what === "text" && path === word) - 1]!.path;
      return Number(/^R(-?[\d.]+),/.exec(place)![1]) + 2;
    };
    expect(at("short")).toBe(105); // right of the wire at 100
    expect(at("16 letters, left")).toBeCloseTo(95 - 16 * 5.6);
    expect(at("longer than the group has room on either side")).toBe(105);
  });

  it("shows how many ops of a closed group have each colour", () => {
    const strip = all.filter(({ what, path }) => what === "fill" && path.startsWith("R26,339"));
    expect(strip.map(({ style, path }) => [style, path])).toEqual([["white", "R26,339,37,4"]]);
    expect(all.find(({ style, path }) => style === "red" && path === "R63,339,111,4")).toBeDefined();
  });
});

describe("what does not lie on the way of an error", () => {
  const lit = { nodes: { lit: Uint8Array.from([1, 0, 0, 1, 1, 0]) }, wires: { lit: Uint8Array.from([1, 0, 0, 0]) } };
  const all = drawn(lit);
  it("is dim, with its words and wires", () => {
    const alphaOf = (text: string) => all.find(({ path, what }) => path === text && what === "text")?.alpha;
    expect([alphaOf("Conv"), alphaOf("Relu"), alphaOf("layer.2")]).toEqual([1, dimmed, dimmed]);
    expect(all.find(({ style, what }) => style === "hot" && what === "stroke")?.alpha).toBe(1);
    expect(all.find(({ style, what }) => style === "grey" && what === "stroke")?.alpha).toBe(dimmed);
  });
  it("does not say what it carries", () => {
    expect(texts(all).filter((text) => text.startsWith("value"))).toEqual(["value 0"]);
  });
});

describe("marks", () => {
  it("stand around what is selected, pointed at and found", () => {
    const all = drawn({ nodes: { found: Int32Array.from([0, 0, 1, 4, 0, 3]) } }, 1, { selected: 1, pointed: 2, pointedWire: 3, wires: new Set([0]) });
    const stroke = (style: string) => all.filter((one) => one.what === "stroke" && one.style === style).map(({ path }) => path);
    expect(stroke("accent")).toEqual(["O17.5,297.5,165,51O57.5,417.5,85,45"]);
    expect(stroke("text")).toEqual(["M100,80L100,140", "O58,38,84,44"]);
    expect(stroke("focus")[1]).toBe("O59,139,82,42");
    expect(texts(all)).toContain("3 found");
  });
});

describe("a picture from far away", () => {
  it("writes names that can be read, and no others", () => {
    expect(texts(drawn({}, 0.4)).slice(0, -2)).toEqual(["layer.1", "Conv", "Relu", "layer.2", "Add"]);
    expect(texts(drawn({}, 0.1))).toEqual(["1", "12"]);
  });
  it("has numbers of findings as large as they can be read, the first ones where there is not room for all", () => {
    const pill = drawn({}, 0.1).find(({ what, style }) => what === "fill" && style === "bad")!;
    expect(Number(pill.path.split(",")[3])).toBeCloseTo(130);
    expect(texts(drawn({}, 0.02))).toEqual(["1"]);
  });
  it("has neither rounded bends nor heads", () => {
    const all = drawn({}, 0.2);
    expect(all.some(({ path }) => path.includes("Q"))).toBe(false);
    expect(all.some(({ what, path }) => what === "fill" && path.endsWith("Z"))).toBe(false);
  });
});

it("titles without room for all of them are cut", () => {
  expect(cut("attention", 63, 80)).toBe("attention");
  expect(cut("attention", 63, 40)).toBe("atte…");
  expect(cut("attention", 63, 12)).toBe("");
});
