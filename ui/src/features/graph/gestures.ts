// SPDX-License-Identifier: Apache-2.0
// What fingers and the mouse do: one that moves pans, two zoom, one that has not moved has clicked.
import type { Point } from "../../graph/camera";

const still = 4; // pixels that a click may move

export interface Moved {
  dx: number;
  dy: number;
  factor: number; // nearer
  at: Point; // around which
}

export class Gestures {
  private readonly down = new Map<number, Point>();
  private begun: Point | null = null; // where the only finger came down; null: it has moved since, or there were two

  get isDragging(): boolean {
    return this.down.size > 0 && this.begun === null;
  }

  press(id: number, at: Point): void {
    this.down.set(id, at);
    this.begun = this.down.size === 1 ? at : null;
  }

  /** Null: nothing moves with it. */
  move(id: number, at: Point): Moved | null {
    const before = this.down.get(id);
    if (!before) return null;
    if (this.begun && Math.hypot(at.x - this.begun.x, at.y - this.begun.y) <= still) return null;
    this.begun = null;
    this.down.set(id, at);
    const other = [...this.down].find(([one]) => one !== id)?.[1];
    const [dx, dy] = [at.x - before.x, at.y - before.y];
    if (!other) return { dx, dy, factor: 1, at };
    const factor = Math.hypot(at.x - other.x, at.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
    return { dx: dx / 2, dy: dy / 2, factor, at: { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 } };
  }

  /** Whether that was a click. */
  release(id: number): boolean {
    const isClick = this.down.delete(id) && this.begun !== null;
    this.begun = null;
    return isClick;
  }

  cancel(id: number): void {
    this.down.delete(id);
    this.begun = null;
  }
}

export interface Wheel {
  deltaX: number;
  deltaY: number;
  deltaMode: number; // 1: lines
  ctrlKey: boolean; // as browsers tell of two fingers on a touch pad
}

/** How much nearer a turn of the wheel leads. */
export function wheelFactor({ deltaY, deltaMode, ctrlKey }: Wheel): number {
  const pixels = Math.max(-240, Math.min(240, deltaY * (deltaMode === 1 ? 16 : 1)));
  return Math.exp(-pixels * (ctrlKey ? 0.01 : 0.0018));
}
