// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { Answerer } from "./answers";
import { Drawing, type Drawn, type Sheet } from "./drawing";
import { sentOps, type Request } from "./messages";
import { noMarks, type Palette } from "./paint-look";
import { drawnOps } from "./ops";
import { graphOf } from "./testing/small";
import { sentTexts } from "./texts";

const graph = drawnOps(graphOf(["Input", "Conv", "Relu", "Output"], [[0, 1], [1, 2], [2, 3]], {
  names: ["in", "/x/Conv", "/x/Relu", "out"],
}));
const grey = { colour: "grey", width: 1, isDashed: false };
const palette: Palette = {
  panel: "panel", text: "text", muted: "muted", line: "line", accent: "accent", focus: "focus", bad: "bad", fills: [{ fill: "white", ink: "black" }],
  strokes: [grey, { ...grey, colour: "hot" }],
};

/** Notes how often it was begun and which words it has. */
class Paper implements Sheet {
  width = 1;
  height = 1;
  words: string[] = [];
  getContext(): ReturnType<Sheet["getContext"]> {
    this.words = [];
    const noted: Record<string, unknown> = { fillText: (text: string) => this.words.push(text) };
    const pen = new Proxy(noted, { get: (all, name: string) => all[name] ?? (() => undefined), set: () => true });
    return pen as unknown as ReturnType<Sheet["getContext"]>;
  }
}

function begun(): { drawing: Drawing; all: Drawn; x: number } {
  const drawing = new Drawing(graph, (title) => 7 * title.length);
  const x = drawing.tree.ops + drawing.tree.paths.indexOf("x");
  const { number: plan, width, height } = drawing.show([x]);
  const nodes = drawing.tree.parent.length;
  const all: Drawn = {
    plan, camera: { x: width / 2, y: height / 2, zoom: 1 }, view: { width: 600, height: 400 }, ratio: 1.5, strokes: null, lit: null, badges: [], palette,
    map: null, nodes: { fills: new Uint8Array(nodes), strips: null, details: sentTexts(new Array<string>(nodes).fill("")), lit: null, found: null }, marks: noMarks,
  };
  return { drawing, all, x };
}

describe("a drawing", () => {
  it("is made once it is known what is drawn, in pixels of the screen", () => {
    const { drawing, all } = begun();
    const paper = new Paper();
    expect(drawing.draw(paper)).toBe(false);
    drawing.change(all);
    expect(drawing.draw(paper)).toBe(true);
    expect([paper.width, paper.height]).toEqual([900, 600]);
    expect(paper.words).toEqual(expect.arrayContaining(["Conv", "Relu", "f32 [N,4]"]));
  });

  it("shows another plan when it is told from where that is seen, not before", () => {
    const { drawing, all } = begun();
    const paper = new Paper();
    drawing.change(all);
    const { number } = drawing.show([]);
    drawing.draw(paper);
    expect(paper.words).toContain("Conv");
    drawing.change({ plan: number });
    drawing.draw(paper);
    expect(paper.words).toContain("x");
    expect(paper.words).not.toContain("Conv");
  });

  it("has a map that is drawn where the map has changed", () => {
    const { drawing, all } = begun();
    const paper = new Paper();
    drawing.change(all);
    expect(drawing.drawMap(paper)).toBe(false);
    drawing.change({ map: { width: 60, height: 80 } });
    expect([drawing.drawMap(paper), drawing.drawMap(paper)]).toEqual([true, false]);
    expect([paper.width, paper.height]).toEqual([90, 120]);
    drawing.change({ camera: { ...all.camera, zoom: 2 } });
    expect(drawing.drawMap(paper)).toBe(false);
    drawing.change({ palette: { ...palette, panel: "dark" } });
    expect(drawing.drawMap(paper)).toBe(true);
  });

  it("tells what lies at a pixel", () => {
    const { drawing, all } = begun();
    drawing.change(all);
    drawing.draw(new Paper());
    const plan = drawing.show([]); // laid out, and not drawn so far
    const at = (node: number) => {
      const box = new Drawing(graph, (title) => 7 * title.length).show([drawing.tree.ops + 1]);
      const own = [...box.nodes].indexOf(node);
      return { x: box.boxes[4 * own]! + 5, y: box.boxes[4 * own + 1]! + 5 };
    };
    const under = ({ x, y }: { x: number; y: number }) =>
      drawing.at(all.camera, all.view, { x: x - all.camera.x + 300, y: y - all.camera.y + 200 });
    expect(under(at(1))).toEqual({ node: 1, wire: -1, plan: plan.number - 1 });
    expect(under({ x: -90, y: -90 })).toEqual({ node: -1, wire: -1, plan: plan.number - 1 });
  });

  it("is a file, too", async () => {
    const { drawing, all } = begun();
    expect(await drawing.svg([])).toBe("");
    drawing.change(all);
    expect(await drawing.svg(["by whom"])).toMatch(/^<svg [^]*>Conv<[^]*by whom/);
  });

  it("answers in the order of the requests, also behind a file that takes longer", async () => {
    const answerer = new Answerer((title) => 7 * title.length);
    void answerer.answer({ graph: sentOps(graph) });
    await answerer.answer({ open: [] });
    answerer.change({ change: begun().all });
    const answered: string[] = [];
    const ask = async (request: Request) => answered.push(Object.keys(await answerer.answer(request))[0]!);
    await Promise.all([ask({ caption: ["by whom"] }), ask({ open: [] })]);
    expect(answered).toEqual(["svg", "plan"]);
  });
});
