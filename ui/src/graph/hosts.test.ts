// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { hostsOf } from "./hosts";

/** "conv:a" are ops of a kind; "a>b" are edges. */
function hosts(ops: string, edges: string): Record<string, string | null> {
  const names = ops.split(" ").map((op) => op.split(":")[1]!);
  const ends = edges === "" ? [] : edges.split(" ").map((edge) => edge.split(">").map((name) => names.indexOf(name)));
  const found = hostsOf({
    kinds: ops.split(" ").map((op) => op.split(":")[0]!),
    source: Int32Array.from(ends, ([from]) => from!),
    target: Int32Array.from(ends, ([, to]) => to!),
  });
  return Object.fromEntries(names.map((name, op) => [name, found[op]! < 0 ? null : names[found[op]!]!]));
}

it("a constant hangs on its only reader, and is a box where it has several", () => {
  expect(hosts("constant:c conv:a", "c>a")).toEqual({ c: "a", a: null });
  expect(hosts("constant:c add:a add:b", "c>a c>b a>b").c).toBeNull();
  expect(hosts("constant:c add:a", "").c).toBeNull();
  expect(hosts("constant:c mul:a", "c>a c>a").c).toBe("a");
});

it("a pair hangs on its only reader, and so do its constants", () => {
  const found = hosts("conv:a constant:s quantize:q dequantize:d conv:b", "a>q s>q q>d s>d d>b");
  expect(found).toEqual({ a: null, s: "b", q: "b", d: "b", b: null });
});

it("a pair that several ops read hangs on what makes its value", () => {
  const found = hosts("conv:a quantize:q dequantize:d conv:b add:c", "a>q q>d d>b d>c b>c");
  expect(found).toEqual({ a: null, q: "a", d: "a", b: null, c: null });
});

it("of one QuantizeLinear each DequantizeLinear hangs on its own reader", () => {
  expect(hosts("conv:a quantize:q dequantize:d dequantize:e conv:b add:c", "a>q q>d q>e d>b e>c b>c")).toEqual({
    ...{ a: null, q: "a", d: "b", e: "c" },
    ...{ b: null, c: null },
  });
});

it("codes of a constant hang where the constant would", () => {
  expect(hosts("constant:w dequantize:d conv:a", "w>d d>a")).toEqual({ w: "a", d: "a", a: null });
  expect(hosts("constant:w dequantize:d conv:a conv:b", "w>d d>a d>b")).toEqual({ w: "d", d: null, a: null, b: null });
});

it("a pair with scales that ops make is a box", () => {
  expect(hosts("conv:a max:m quantize:q conv:b conv:c", "a>m a>q m>q q>b q>c").q).toBeNull();
});

it("nothing hangs on what hangs, whatever the order of ops", () => {
  expect(hosts("conv:b dequantize:d quantize:q conv:a", "a>q q>d d>b")).toEqual({ b: null, d: null, q: null, a: null });
});
