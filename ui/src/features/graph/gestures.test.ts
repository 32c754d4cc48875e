// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { Gestures, wheelFactor } from "./gestures";

const at = (x: number, y = 0) => ({ x, y });

describe("a finger or the mouse", () => {
  it("clicks where it has hardly moved", () => {
    const gestures = new Gestures();
    gestures.press(1, at(10));
    expect(gestures.move(1, at(13))).toBeNull();
    expect(gestures.isDragging).toBe(false);
    expect(gestures.release(1)).toBe(true);
    expect(gestures.release(1)).toBe(false);
  });
  it("pans where it moves, by all that it has moved", () => {
    const gestures = new Gestures();
    gestures.press(1, at(10));
    expect(gestures.move(1, at(16, 2))).toMatchObject({ dx: 6, dy: 2, factor: 1 });
    expect(gestures.isDragging).toBe(true);
    expect(gestures.move(1, at(14, 2))).toMatchObject({ dx: -2, dy: 0 });
    expect(gestures.release(1)).toBe(false);
  });
  it("does nothing without having come down", () => {
    expect(new Gestures().move(1, at(99))).toBeNull();
  });
});

describe("two fingers", () => {
  it("zoom by how far they part, around their middle", () => {
    const gestures = new Gestures();
    gestures.press(1, at(0));
    gestures.press(2, at(100));
    expect(gestures.move(2, at(200))).toEqual({ dx: 50, dy: 0, factor: 2, at: at(100) });
    expect(gestures.release(1)).toBe(false);
    expect(gestures.release(2)).toBe(false);
  });
  it("of which one was taken away by the system go on as one", () => {
    const gestures = new Gestures();
    gestures.press(1, at(0));
    gestures.press(2, at(100));
    gestures.cancel(2);
    expect(gestures.move(1, at(8))).toMatchObject({ dx: 8, factor: 1 });
  });
});

it("the wheel leads nearer when it is turned up, in steps that do not depend on the device", () => {
  const turn = (deltaY: number, deltaMode = 0, ctrlKey = false) => wheelFactor({ deltaX: 0, deltaY, deltaMode, ctrlKey });
  expect(turn(-100)).toBeGreaterThan(1.15);
  expect(turn(100) * turn(-100)).toBeCloseTo(1);
  expect(turn(3, 1)).toBeCloseTo(turn(48));
  expect(turn(-10_000)).toBe(turn(-240));
  expect(turn(-10, 0, true)).toBeGreaterThan(turn(-10));
});
