// SPDX-License-Identifier: Apache-2.0
// What `quantlens report` fills, and may rely on.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const template = readFileSync(new URL("../public/report.html", import.meta.url), "utf8");

it("has each place that is to be filled once, and no other", () => {
  expect(template.match(/\{\{.*?\}\}/g)).toEqual(["{{title}}", "{{summary}}", "{{style}}", "{{code}}", "{{data}}"]);
});

it("reaches nothing beside itself", () => {
  expect(template).toContain("default-src 'none'");
  expect(template).toContain("connect-src 'none'");
  expect(template.match(/(src|href)="(?!data:)/g)).toBeNull();
});

it("has the head of the served pages", () => {
  const page = readFileSync(new URL("../index.html", import.meta.url), "utf8");
  const shared = page.match(/<(meta|link|html)[^]*?>/g)!;
  expect(shared.length).toBeGreaterThan(3);
  for (const element of shared) expect(template).toContain(element);
});
