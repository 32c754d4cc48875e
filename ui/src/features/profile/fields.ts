// SPDX-License-Identifier: Apache-2.0
// Values of a record as they are hoped to be: an earlier one may lack some.
import { interval, real, type Interval, type Real } from "../../base/numbers";

export type Fields = Record<string, unknown>;

export function fields(value: unknown): Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function number(value: unknown): number {
  return real(value as Real);
}

export function texts(value: unknown): string[] {
  return list(value).map(text);
}

export function span(value: unknown): Interval | null {
  return interval(Array.isArray(value) ? (value as Real[]) : null);
}

/** A count of the record; 0 where it is missing. */
export function count(value: unknown): number {
  const found = number(value);
  return Number.isFinite(found) ? found : 0;
}
