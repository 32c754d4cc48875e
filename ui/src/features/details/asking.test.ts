// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it, vi } from "vitest";

import { Asking, type Subject } from "./asking.svelte";
import type { Tensor } from "./tensors";

const activation = (symmetric = false) =>
  ({ reach: [-2, 3], data: [-4, 4], scheme: { dtype: "uint8", symmetric, axis: null, bits: 8 } }) as unknown as Tensor;
const subject = (symmetric = false): Subject => ({ value: "v", quantized: "q", activation: activation(symmetric) });
const answer = (range: object | null) => ({ changes: [{ now: { mse: 1 }, expected: { mse: 0.5 }, known_by: "histogram", range }], recipe: null });

describe("asking", () => {
  it("begins with nothing, at the range that is there", () => {
    const send = vi.fn();
    const asking = new Asking(() => subject(), send);
    asking.reset();
    expect(send).not.toHaveBeenCalled();
    expect(asking.ends).toEqual([-2, 3]);
    expect(asking.isOther).toBe(false);
  });
  it("takes the range of the algorithm, and goes on from it by hand", async () => {
    const sent: unknown[] = [];
    const asking = new Asking(() => subject(), (change) => { sent.push(change); return Promise.resolve(answer({ min: -1, max: 2 })); });
    asking.reset();
    asking.ask({ ...asking.asked, by: "mse" });
    await vi.waitFor(() => expect(asking.told?.range).toEqual([-1, 2]));
    expect(asking.isBusy).toBe(false);
    asking.ask({ ...asking.asked, by: "hand" });
    expect(asking.ends).toEqual([-1, 2]);
    expect(sent).toEqual([{ value: "v", quantized: "q", activation: { algorithm: "mse" } },
      { value: "v", quantized: "q", range: { min: -1, max: 2 } }]);
  });
  it("moves both ends of symmetric codes", () => {
    const asking = new Asking(() => subject(true), () => new Promise(() => undefined));
    asking.pull([-1, 3], "low");
    expect(asking.ends).toEqual([-1, 1]);
    asking.ask({ ...asking.asked, scheme: "asym" });
    asking.pull([-1, 3], "low");
    expect(asking.ends).toEqual([-1, 3]);
  });
  it("tells what the server says of a wrong question, until another is asked", async () => {
    const asking = new Asking(() => subject(), () => Promise.reject(new Error("no such op")));
    asking.pull([-1, 3], "low");
    await vi.waitFor(() => expect(asking.problem).toBe("no such op"));
    asking.reset();
    expect(asking.problem).toBe("");
    expect(asking.told).toBeNull();
  });
  it("is of nothing without an activation", () => {
    const asking = new Asking(() => null, () => Promise.resolve(null));
    asking.ask({ ...asking.asked, dtype: "fp32" });
    expect(asking.isBusy).toBe(false);
    expect(asking.ends).toBeNull();
    expect(asking.isFloat).toBe(true);
  });
});
