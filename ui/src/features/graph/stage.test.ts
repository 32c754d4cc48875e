// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { toView } from "../../graph/camera";
import type { Numbered } from "../../graph/drawing";
import type { Layout } from "../../graph/layout";
import { Stage } from "./stage.svelte";
import { graphOf, sceneOf, treeOf } from "./testing";

const graph = graphOf(["Input", "Conv", "Relu", "Output"], [[0, 1], [1, 2], [2, 3]]);
const tree = treeOf(4, [0, { label: "x", inside: [1, 2] }, 3]);
const x = 5;
const closed = { ...sceneOf({ open: [], boxes: [[0, 500, 50], [x, 500, 150], [3, 500, 250]] }), number: 1 };
const open = { ...sceneOf({ open: [[x, 300, 130, 400, 1000]], boxes: [[0, 500, 50], [1, 500, 300], [2, 500, 900], [3, 500, 1200]] }), number: 2 };

/** Scenes arrive as the test lets them. */
function stageOf(): { stage: Stage; arrive: ((plan: Numbered) => void)[] } {
  const arrive: ((plan: Numbered) => void)[] = [];
  const layout: Layout = {
    tree: Promise.resolve(tree), show: () => new Promise((done) => arrive.push(done)), change: () => undefined, onframe: null,
    at: () => Promise.resolve({ node: 1, wire: 7, plan: 1 }), svg: () => Promise.resolve(""), stop: () => undefined,
  };
  return { stage: new Stage(graph, tree, layout), arrive };
}

async function shown(first = closed): Promise<{ stage: Stage; arrive: ((plan: Numbered) => void)[] }> {
  const made = stageOf();
  made.stage.resize({ width: 800, height: 400 });
  const done = made.stage.show(new Set());
  made.arrive.pop()!(first);
  await done;
  return made;
}

describe("a graph before one's eyes", () => {
  it("is seen as a whole until one moves", async () => {
    const { stage } = await shown();
    expect(stage.isFitted).toBe(true);
    stage.resize({ width: 400, height: 200 });
    const whole = stage.camera.zoom;
    stage.pan(10, 0);
    expect(stage.isFitted).toBe(false);
    expect(stage.camera.zoom).toBe(whole);
    stage.fit();
    expect(stage.isFitted).toBe(true);
  });

  it("keeps the corner of an opened group where it was", async () => {
    const { stage, arrive } = await shown();
    const before = toView(stage.camera, stage.view, stage.boxOf(x)!);
    const done = stage.show(new Set([x]), x);
    arrive.pop()!(open);
    await done;
    const after = toView(stage.camera, stage.view, stage.boxOf(x)!);
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
    expect(stage.boxOf(x)).toMatchObject({ width: 400 });
  });

  it("shows what was asked for last", async () => {
    const { stage, arrive } = await shown();
    const [first, second] = [stage.show(new Set([x])), stage.show(new Set())];
    arrive[0]!(open);
    arrive[1]!(closed);
    await Promise.all([first, second]);
    expect(stage.placed?.scene).toBe(closed);
    expect(stage.open.size).toBe(0);
  });

  it("keeps its upper left corner where the room for it changes", async () => {
    const { stage } = await shown();
    stage.zoom(2);
    const corner = toView(stage.camera, stage.view, { x: 500, y: 150 });
    stage.resize({ width: 500, height: 300 });
    expect(toView(stage.camera, stage.view, { x: 500, y: 150 })).toEqual(corner);
  });

  it("begins around the op in question where the whole is too small to be read", async () => {
    const { stage } = await shown();
    stage.begin(1);
    expect(stage.isFitted).toBe(true);
    const large = await shown({ ...open, width: 9000, height: 9000 });
    large.stage.begin(1);
    expect(large.stage.isFitted).toBe(false);
    const at = toView(large.stage.camera, large.stage.view, { x: 500, y: 300 });
    expect([at.x > 0, at.x < 800, at.y > 0, at.y < 400]).toEqual([true, true, true, true]);
  });

  it("begins so also where its size is known only later", async () => {
    const { stage, arrive } = stageOf();
    const done = stage.show(new Set());
    arrive.pop()!({ ...open, width: 9000, height: 9000 });
    await done;
    stage.begin(1);
    expect(stage.isFitted).toBe(true);
    stage.resize({ width: 800, height: 400 });
    expect(stage.isFitted).toBe(false);
  });

  it("moves with its twin, which has what is paired at the same place", async () => {
    const [{ stage: one }, { stage: other }] = [await shown(), await shown(open)];
    [one.twin, other.twin] = [other, one];
    one.zoom(2);
    other.align(1, one, x);
    const middle = (stage: Stage, node: number) => {
      const box = stage.boxOf(node)!;
      return toView(stage.camera, stage.view, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
    };
    expect(other.camera.zoom).toBe(one.camera.zoom);
    for (const move of [() => undefined, () => one.pan(30, -7), () => other.zoom(1.2, { x: 10, y: 20 })]) {
      move();
      expect(middle(other, 1).x).toBeCloseTo(middle(one, x).x);
      expect(middle(other, 1).y).toBeCloseTo(middle(one, x).y);
    }
  });

  it("keeps what was centred in the middle until one moves", async () => {
    const { stage } = await shown();
    const middle = () => {
      const box = stage.boxOf(1)!;
      const { x, y } = toView(stage.camera, stage.view, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
      return [Math.round(x), Math.round(y)];
    };
    stage.centre(1);
    expect(middle()).toEqual([400, 200]);
    stage.resize({ width: 500, height: 300 });
    expect(middle()).toEqual([250, 150]);
    stage.pan(10, 0);
    stage.resize({ width: 800, height: 400 });
    expect(middle()).toEqual([260, 150]);
  });

  it("says what lies at a pixel, and no wire of a plan that is no longer shown", async () => {
    const { stage, arrive } = await shown();
    const { camera } = stage;
    expect(await stage.under({ x: 400, y: 200 })).toMatchObject({ node: 1, wire: 7, x: camera.x, y: camera.y });
    const done = stage.show(new Set([x]));
    arrive.pop()!(open);
    await done;
    expect(await stage.under({ x: 400, y: 200 })).toMatchObject({ node: 1, wire: -1 });
  });

  it("moves only where what is to be seen is out of sight", async () => {
    const { stage } = await shown();
    stage.reveal(1);
    expect(stage.isFitted).toBe(true);
    stage.look({ x: 0, y: 0, zoom: 2 });
    stage.reveal(3);
    const at = toView(stage.camera, stage.view, stage.boxOf(3)!);
    expect(at.x).toBeLessThan(800);
    expect(at.y).toBeLessThan(400);
  });
});
