// SPDX-License-Identifier: Apache-2.0
// Codes: schemes, scales and zero points, and what they reach.
import type { Schemas } from "../../api/client";
import { figure, real, type Interval, type Real } from "../../base/numbers";
import { between, countOf } from "./text";

export interface Params {
  scale: number;
  zeroPoint: number;
}
export interface Scheme {
  dtype: string;
  symmetric: boolean;
  axis: number | null;
  bits: number;
}

/** One object, a list of them, or columns: {"scale": [...], "zero_point": 0 or [...]}. */
export function paramsOf(stored: unknown): Params[] {
  if (Array.isArray(stored)) return stored.flatMap(paramsOf);
  if (!stored || typeof stored !== "object") return [];
  const { scale, zero_point } = stored as { scale?: unknown; zero_point?: unknown };
  const points = Array.isArray(zero_point) ? (zero_point as Real[]) : null;
  if (Array.isArray(scale)) {
    return (scale as Real[]).map((one, index) => ({ scale: real(one), zeroPoint: real((points ? points[index] : zero_point) as Real) }));
  }
  const one = real(scale as Real);
  return Number.isNaN(one) ? [] : [{ scale: one, zeroPoint: real(zero_point as Real) }];
}

export function schemeOf(stored: Schemas["Scheme"] | null | undefined): Scheme | null {
  if (!stored || typeof stored.dtype !== "string") return null;
  const bits = Number(/\d+$/.exec(stored.dtype)?.[0] ?? 8);
  return { dtype: stored.dtype, symmetric: stored.symmetric ?? false, axis: stored.axis ?? null, bits: bits === 8 ? (stored.bits ?? 8) : bits };
}

/** The least and the greatest code that a scheme uses: symmetric ones use one fewer. */
export function codesOf(scheme: Scheme): Interval {
  const half = 2 ** (scheme.bits - 1);
  const isUnsigned = scheme.dtype.startsWith("uint");
  const less = scheme.symmetric ? 1 : 0;
  return isUnsigned ? [less, 2 * half - 1] : [less - half, half - 1];
}

/** What the codes of one scale mean, from the least to the greatest. */
export function reachOf(scheme: Scheme | null, params: Params | undefined): Interval | null {
  if (!scheme || !params) return null;
  const [low, high] = codesOf(scheme).map((code) => params.scale * (code - params.zeroPoint));
  return Number.isFinite(low!) && Number.isFinite(high!) && low! < high! ? [low!, high!] : null;
}

/** Beyond these values are clipped, not rounded: half a step outside of all codes of the dtype, used or not. */
export function unclippedOf(scheme: Scheme | null, params: Params | undefined): Interval | null {
  if (!scheme || !params) return null;
  const bits = Number(/\d+$/.exec(scheme.dtype)?.[0] ?? scheme.bits);
  const reach = reachOf({ ...scheme, bits, symmetric: false }, params);
  return reach && [reach[0] - params.scale / 2, reach[1] + params.scale / 2];
}

export function scalesText(params: readonly Params[]): string {
  if (params.length === 0) return "–";
  if (params.length === 1) return figure(params[0]!.scale, 4);
  const scales = params.map((one) => one.scale).filter(Number.isFinite);
  const ends: Interval = [scales.reduce((a, b) => Math.min(a, b), Infinity), scales.reduce((a, b) => Math.max(a, b), -Infinity)];
  return scales.length === 0 ? `${countOf(params.length)} scales` : `${countOf(params.length)} scales from ${between(ends)}`;
}

export function zeroPointsText(params: readonly Params[]): string {
  const points = params.map((one) => one.zeroPoint).filter(Number.isFinite);
  if (points.length === 0) return "–";
  const low = points.reduce((a, b) => Math.min(a, b));
  const high = points.reduce((a, b) => Math.max(a, b));
  const text = (point: number) => String(point).replace("-", "−");
  return low === high ? text(low) : `${text(low)} to ${text(high)}`;
}

export function schemeText(scheme: Scheme): string {
  const full = Number(/\d+$/.exec(scheme.dtype)?.[0] ?? scheme.bits);
  const fewer = scheme.bits < full ? `, ${scheme.bits} bits in use` : "";
  return `${scheme.dtype}, ${scheme.symmetric ? "symmetric" : "asymmetric"}${fewer}`;
}
