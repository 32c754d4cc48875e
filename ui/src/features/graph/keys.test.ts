// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { commandOf } from "./keys";

const pressed = (key: string, more: Partial<KeyboardEvent> = {}) =>
  commandOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });

it("keys walk, open, close, zoom, fit and find", () => {
  expect(pressed("ArrowDown")).toEqual({ do: "walk", direction: "down" });
  expect(pressed("ArrowLeft", { shiftKey: true })).toEqual({ do: "pan", dx: 80, dy: 0 });
  expect([pressed("Enter"), pressed(" "), pressed("Escape")].map((command) => command!.do)).toEqual(["open", "open", "close"]);
  expect([pressed("f"), pressed("0"), pressed("c")].map((command) => command!.do)).toEqual(["fit", "fit", "centre"]);
  expect(pressed("+")).toEqual({ do: "zoom", factor: 1.25 });
  expect(pressed("-")).toEqual({ do: "zoom", factor: 0.8 });
  expect([pressed("n"), pressed("N", { shiftKey: true })]).toEqual([{ do: "hit", by: 1 }, { do: "hit", by: -1 }]);
});

it("other keys are left to the page", () => {
  expect(pressed("Tab")).toBeNull();
  expect(pressed("/")).toBeNull();
  for (const held of ["ctrlKey", "metaKey", "altKey"] as const) expect(pressed("f", { [held]: true })).toBeNull();
});
