// SPDX-License-Identifier: Apache-2.0
// What a result holds, of whichever version wrote it: each verb has its own fields, and any may be missing.
import { interval, real, type Interval, type Real } from "../../base/numbers";

export type Loose = Record<string, unknown>;

export function objectOf(value: unknown): Loose {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Loose) : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** NaN where there is none. */
export function numberOf(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? real(value as Real) : NaN;
}

export function spanOf(value: unknown): Interval | null {
  return Array.isArray(value) ? interval(value as Real[]) : null;
}
