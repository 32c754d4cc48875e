// SPDX-License-Identifier: Apache-2.0
// What "Output share" means, and how shares and their intervals are told, wherever they stand.
import { percent, type Interval } from "./numbers";

/** Where there is room for a line. */
export const shareBriefly = "estimated: the outputs' error apportioned by each op's own part";

/** Findings have a measured figure beside it. */
export const shareMeaning = `${shareBriefly}; what an op in float really takes away is measured in the findings and may differ`;

/** A small share is not told as 0. */
export function shareOf(share: number): string {
  if (!Number.isFinite(share) || share === 0) return percent(share);
  const size = Math.abs(share);
  if (size < 0.0001) return share > 0 ? "< 0.01 %" : "> −0.01 %";
  return percent(share, size >= 0.1 ? 0 : size >= 0.001 ? 1 : 2);
}

/** An interval of shares with the digits that tell its ends apart; ends that two digits do not tell apart are told once. */
export function shareBetween([low, high]: Interval): string {
  const digits = high - low >= 0.02 ? 0 : high - low >= 0.002 ? 1 : 2;
  const [from, to] = [percent(low, digits), percent(high, digits)];
  return from === to ? shareOf(high) : `${from.replace(" %", "")} to ${to}`;
}
