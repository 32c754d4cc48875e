// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from "vitest";

vi.mock("../../api/client", () => ({ ApiError: Error, get: vi.fn(), workloadPath: (run: string, rest: string) => run + rest }));
const { throttled } = await import("./load");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("many events ask at once, and once a second after that", () => {
  const call = vi.fn();
  const { ask, stop } = throttled(call, 1000);
  for (let i = 0; i < 5; ++i) ask();
  expect(call).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1000);
  expect(call).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(5000);
  expect(call).toHaveBeenCalledTimes(2);
  ask();
  expect(call).toHaveBeenCalledTimes(3);
  ask();
  stop();
  vi.advanceTimersByTime(5000);
  expect(call).toHaveBeenCalledTimes(3);
});
