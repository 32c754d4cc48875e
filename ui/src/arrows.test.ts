// SPDX-License-Identifier: Apache-2.0
// app -> features -> widgets -> base, features -> graph -> base; what the API answers anywhere; features never import each other.
import { expect, it } from "vitest";

const files = import.meta.glob<string>("./**/*.{ts,svelte}", { query: "?raw", import: "default", eager: true });
const allowed: Record<string, readonly string[]> = {
  app: ["app", "features", "widgets", "base", "api"],
  features: ["graph", "widgets", "base", "api"],
  graph: ["graph", "base", "api"],
  widgets: ["widgets", "base", "api"],
  base: ["base", "api"],
  api: ["api"],
};

function resolved(from: string, to: string): string[] {
  const parts = from.split("/").slice(0, -1);
  for (const part of to.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.slice(1);
}

it("parts of the pages use each other along the arrows alone", () => {
  const wrong: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    const [folder, feature] = file.split("/").slice(1);
    if (folder === undefined || !(folder in allowed)) continue;
    for (const [, to] of text.matchAll(/from "(\.[^"]*)"/g)) {
      const [target, other] = resolved(file, to!);
      const isOwn = folder === "features" && target === "features" && other === feature;
      if (!isOwn && !allowed[folder]!.includes(target!)) wrong.push(`${file} imports ${to}`);
    }
  }
  expect(Object.keys(files).length).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});
