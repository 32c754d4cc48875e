// SPDX-License-Identifier: Apache-2.0
// Values of a record or a result as they are hoped to be, of whichever version wrote it: any may be missing.
import { interval, real, type Interval, type Real } from "./numbers";

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

export function textsOf(value: unknown): string[] {
  return listOf(value).map(textOf);
}

/** 0 where there is none. */
export function countOf(value: unknown): number {
  const found = numberOf(value);
  return Number.isFinite(found) ? found : 0;
}
