// SPDX-License-Identifier: Apache-2.0
// A graph as it lies before one's eyes: which groups are open, where everything lies, and from where it is seen.
import { boxOf, middleOf } from "../../graph/box";
import {
  anchored, bounded, centred, farthestOf, fitted, panned, showing, toScene, toView, zoomed, type Box, type Camera, type Point, type Size,
} from "../../graph/camera";
import type { Numbered, Spot } from "../../graph/drawing";
import type { Layout } from "../../graph/layout";
import type { OpGraph } from "../../graph/ops";
import { Shown } from "../../graph/shown";
import type { Tree } from "../../graph/tree";

export interface Placed {
  scene: Numbered;
  shown: Shown;
}

const away = 150; // pixels from the edge, where something may lie over the picture
const readable = 0.4; // pixels a unit: whole networks that would be smaller are first seen in part

export class Stage {
  placed = $state.raw<Placed | null>(null);
  open = $state.raw<ReadonlySet<number>>(new Set());
  view = $state.raw<Size>({ width: 0, height: 0 });
  at = $state(-1); // the node of the tree where one is
  wire = $state(-1); // of the scene, that was clicked
  twin = $state.raw<Stage | null>(null); // that is panned and zoomed with this one
  private moved = $state.raw<Camera | null>(null); // null: all of it is seen
  private asked = 0;
  private first = -1; // the node where one begins as soon as there is a size
  private middle = -1; // the node that stays in the middle when the room for the picture changes

  constructor(
    readonly graph: OpGraph,
    readonly tree: Tree,
    readonly layout: Layout,
  ) {}

  readonly camera = $derived(this.moved ?? this.whole());
  readonly isFitted = $derived(this.moved === null);

  private whole(): Camera {
    const scene = this.placed?.scene;
    return scene ? fitted({ x: 0, y: 0, width: scene.width, height: scene.height }, this.view) : { x: 0, y: 0, zoom: 1 };
  }

  /** The corner of `still` keeps its place on the screen. */
  async show(open: ReadonlySet<number>, still = -1): Promise<void> {
    const asked = ++this.asked;
    this.open = open;
    const scene = await this.layout.show([...open]);
    if (asked !== this.asked) return; // another one is on its way
    const before = this.cornerOf(still);
    const shown = new Shown(this.graph, this.tree, scene);
    const camera = this.camera;
    this.placed = { scene, shown };
    const after = this.cornerOf(still);
    if (before && after) this.moved = anchored(camera, before, after);
  }

  private cornerOf(node: number): Point | null {
    return node < 0 ? null : this.boxOf(node);
  }

  /** Of what stands for a node. */
  boxOf(node: number): Box | null {
    if (!this.placed || node < 0) return null;
    const { scene, shown } = this.placed;
    const box = shown.of(node);
    return box < 0 ? null : boxOf(scene.boxes, box);
  }

  /** What lies at a pixel now, and where in the scene that is. */
  async under(pixel: Point): Promise<Spot & Point> {
    const { camera, view } = this;
    const spot = await this.layout.at(camera, view, pixel);
    return { ...spot, ...toScene(camera, view, pixel), wire: spot.plan === this.placed?.scene.number ? spot.wire : -1 };
  }

  look(camera: Camera): void {
    this.middle = -1;
    this.moved = this.placed ? bounded(camera, this.placed.scene) : camera;
  }

  fit(): void {
    this.middle = -1;
    this.moved = null;
  }

  pan(dx: number, dy: number): void {
    for (const stage of this.both()) stage.look(panned(stage.camera, dx, dy));
  }

  zoom(factor: number, at: Point = { x: this.view.width / 2, y: this.view.height / 2 }): void {
    for (const stage of this.both()) {
      if (stage.placed) stage.look(zoomed(stage.camera, stage.view, factor, at, farthestOf(stage.placed.scene, stage.view)));
    }
  }

  private both(): Stage[] {
    return this.twin ? [this, this.twin] : [this];
  }

  /** As near as the other one, with its own node at the same place. */
  align(node: number, twin: Stage, twinNode: number): void {
    const [box, other] = [this.boxOf(node), twin.boxOf(twinNode)];
    if (!box || !other) return;
    const { zoom } = twin.camera;
    const seen = toView(twin.camera, twin.view, middleOf(other));
    const own = middleOf(box);
    this.look({ zoom, x: own.x - (seen.x - this.view.width / 2) / zoom, y: own.y - (seen.y - this.view.height / 2) / zoom });
  }

  centre(node: number): void {
    const box = this.boxOf(node);
    if (!box) return;
    this.look(centred(this.camera, this.view, box));
    this.middle = node;
  }

  /** Moved just so far that a node is in sight, where it is not all in sight. */
  reveal(node: number, inset = away): void {
    const box = this.isFitted ? null : this.boxOf(node);
    const now = this.camera;
    const seen = box && showing(now, this.view, box, inset);
    if (seen && seen !== now) this.look(seen);
  }

  /** What is seen stays where it is from now on, whatever becomes of the room for it. */
  hold(): void {
    this.moved ??= this.camera;
  }

  /** A network that is too large to be read as a whole is first seen around the op in question. */
  begin(node: number): void {
    this.first = this.view.width > 0 ? -1 : node;
    if (this.view.width > 0 && node >= 0 && this.whole().zoom < readable) this.centre(node);
  }

  /** What was centred stays in the middle, else what is at the upper left stays there. */
  resize(view: Size): void {
    const { width, height } = this.view;
    if (this.moved && width > 0) {
      const { x, y, zoom } = this.moved;
      this.moved = { zoom, x: x + (view.width - width) / 2 / zoom, y: y + (view.height - height) / 2 / zoom };
    }
    this.view = view;
    if (this.middle >= 0) this.centre(this.middle);
    if (this.first >= 0 && view.width > 0) this.begin(this.first);
  }
}
