// SPDX-License-Identifier: Apache-2.0
// A graph that is laid out and drawn: what a worker does, on the thread that calls.
import type { Camera, Point, Size } from "./camera";
import { labelsOf, type Labels } from "./labels";
import { layOut, type Engine } from "./lay-out";
import { cameraOfMap } from "./minimap";
import type { DrawnOps, Edges } from "./ops";
import { outlineOf } from "./outline";
import { paint, paintMap } from "./paint";
import type { Badge, Marks, NodeFigures, Palette, Pen, Picture, WireLook } from "./paint-look";
import { planOf, type Plan, type Scene } from "./scene";
import { Shown } from "./shown";
import { receivedTexts } from "./texts";
import type { Tree } from "./tree";
import { Visible } from "./visible";
import { wireLook } from "./wire-look";

/** A plan's number, by which a picture is drawn of it. */
export interface Numbered extends Plan {
  number: number;
}

/** What is drawn. */
export interface Drawn {
  plan: number;
  camera: Camera;
  view: Size;
  ratio: number; // of the screen's pixels to the page's
  nodes: NodeFigures;
  strokes: Uint8Array | null; // of each edge: which of the palette's; null: all are alike
  lit: Uint8Array | null; // ops that the way of an error passes
  badges: readonly Badge[];
  palette: Palette;
  marks: Marks;
  map: Size | null; // null: there is none
}

/** What lies at a pixel: -1 where there is none. A wire's number is that of the plan's. */
export interface Spot {
  node: number;
  wire: number;
  plan: number;
}

/** What is used of an OffscreenCanvas. */
export interface Sheet {
  width: number;
  height: number;
  getContext(kind: "2d", options: { alpha: false }): (Pen & Pick<CanvasRenderingContext2D, "setTransform">) | null;
}

interface Laid {
  scene: Scene;
  shown: Shown<Edges>;
  visible: Visible;
}

const reach = 5; // pixels from a wire

export class Drawing {
  readonly tree: Tree;
  private readonly edges: Edges;
  private readonly engine: Engine;
  private readonly labels: Labels;
  private readonly laid = new Map<number, Laid>(); // by number: the one that is drawn, and those behind it
  private count = 0;
  private told: Partial<Drawn> = {};
  private details: readonly string[] = [];
  private wires: WireLook | null = null;
  private isMapOld = true;

  /** `widthOf`: of a title, in units. */
  constructor(graph: DrawnOps, widthOf: (title: string) => number) {
    const { source, target, carries, host, words } = graph;
    this.edges = { source, target, carries, host, words };
    this.engine = layOut(outlineOf(graph));
    this.tree = this.engine.tree;
    this.labels = labelsOf(graph, this.tree, widthOf);
  }

  /** Drawn only when a change names its number: the page finds out first from where it is to be seen. */
  show(open: readonly number[]): Numbered {
    const scene = this.engine.show(this.labels.sizes, open);
    const shown = new Shown(this.edges, this.tree, scene);
    const visible = new Visible(scene, (node) => this.tree.depth[node]!, (node) => this.tree.parent[node]!);
    this.laid.set(++this.count, { scene, shown, visible });
    return { ...planOf(scene), number: this.count };
  }

  change(change: Partial<Drawn>): void {
    const has = (...names: (keyof Drawn)[]) => names.some((name) => name in change);
    this.told = { ...this.told, ...change };
    if (change.nodes) {
      this.details = receivedTexts(change.nodes.details);
      this.told.nodes = { ...change.nodes, details: { all: "", ends: new Int32Array() } }; // kept once
    }
    if (has("plan", "strokes", "lit")) this.wires = null;
    if (has("plan", "nodes", "palette", "map", "ratio")) this.isMapOld = true;
    for (const number of this.laid.keys()) if (number < (change.plan ?? 0)) this.laid.delete(number);
  }

  private get now(): Laid | undefined {
    return this.laid.get(this.told.plan ?? 0);
  }

  private pictureOf({ scene, shown }: Laid): Picture {
    const { nodes, strokes, lit, badges, palette } = this.told as Drawn;
    const { titles, widths, marks } = this.labels;
    const { details } = this;
    this.wires ??= wireLook(shown, scene, strokes, lit);
    return { scene, ops: this.tree.ops, nodes: { ...nodes, titles, titleWidths: widths, details, marks }, wires: this.wires, badges, palette };
  }

  /** False: there is nothing to draw. */
  draw(sheet: Sheet): boolean {
    const { now } = this;
    const { camera, view, marks } = this.told as Drawn;
    const pen = now && this.begin(sheet, view, camera);
    if (!pen) return false;
    paint(pen, this.pictureOf(now), now.visible.look(camera, view), marks, camera.zoom);
    return true;
  }

  /** False: the map is as it was. */
  drawMap(sheet: Sheet): boolean {
    const { now, isMapOld } = this;
    const { map } = this.told;
    if (!now || !map || !isMapOld) return false;
    this.isMapOld = false;
    const camera = cameraOfMap(now.scene, map);
    const pen = this.begin(sheet, map, camera);
    if (!pen) return false;
    paintMap(pen, this.pictureOf(now), now.visible.look(camera, map), camera.zoom);
    return true;
  }

  private begin(sheet: Sheet, view: Size, camera: Camera): Pen | null {
    const { ratio, palette } = this.told as Drawn;
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    if (width < 1 || height < 1) return null;
    if (sheet.width !== width || sheet.height !== height) [sheet.width, sheet.height] = [width, height];
    const pen = sheet.getContext("2d", { alpha: false });
    if (!pen) return null;
    const zoom = camera.zoom * ratio;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = palette.panel;
    pen.fillRect(0, 0, width, height);
    pen.setTransform(zoom, 0, 0, zoom, width / 2 - camera.x * zoom, height / 2 - camera.y * zoom);
    return pen;
  }

  at(camera: Camera, view: Size, pixel: Point): Spot {
    const { now, wires } = this;
    const spot = { node: -1, wire: -1, plan: this.told.plan ?? 0 };
    if (!now) return spot;
    const { visible, scene } = now;
    const box = visible.boxAt(camera, view, pixel);
    const segment = box < scene.frames ? visible.segmentAt(camera, view, pixel, reach) : -1;
    if (segment >= 0 && wires) return { ...spot, wire: wires.wireOf[segment]! };
    return { ...spot, node: box < 0 ? -1 : scene.nodes[box]! };
  }

  /** As a file, with these lines below it. What writes it is loaded when it is first asked for. */
  async svg(caption: readonly string[]): Promise<string> {
    const { now } = this;
    if (!now) return "";
    const picture = this.pictureOf(now);
    const { svgOf } = await import("./svg");
    return svgOf(picture, now.visible, caption);
  }
}
