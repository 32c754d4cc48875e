// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";

import { keep, kept } from "./kept";

afterEach(() => vi.unstubAllGlobals());

it("keeps what a browser lets it keep, each keeper by itself", () => {
  const stored = new Map<string, string>();
  const getItem = (name: string) => stored.get(name) ?? null;
  vi.stubGlobal("localStorage", { getItem, setItem: (name: string, value: string) => stored.set(name, value) });
  vi.stubGlobal("sessionStorage", { getItem: () => "of the tab", setItem: () => undefined });
  expect(kept("theme")).toBeNull();
  keep("theme", "dark");
  expect(kept("theme")).toBe("dark");
  expect(kept("theme", "sessionStorage")).toBe("of the tab");
});

it("keeps nothing where storage is full", () => {
  const full = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: full });
  expect(() => keep("trials", "[]", "sessionStorage")).not.toThrow();
});

it("keeps nothing where even to ask for the storage is forbidden", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  try {
    expect(kept("verdict")).toBeNull();
    expect(() => keep("verdict", "folded")).not.toThrow();
  } finally {
    if (own) Object.defineProperty(globalThis, "localStorage", own);
    else Reflect.deleteProperty(globalThis, "localStorage");
  }
});
