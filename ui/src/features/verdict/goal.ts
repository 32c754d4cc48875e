// SPDX-License-Identifier: Apache-2.0
// What a search was allowed to lose, as its command line says it.
import { shownRatio } from "../../base/accuracies";
import { figure } from "../../base/numbers";
import { optionOf } from "../../base/words";

export interface Goal {
  maxLoss: number;
  isAbsolute: boolean; // in the metric's own unit; else as a share of the float model's figure
}

/** Null where it is not said here: a search that goes on has the goal of its first run. */
export function goalOf(words: readonly string[]): Goal | null {
  const given = optionOf(words, "--max-loss");
  if (given === null && optionOf(words, "--resume") !== null) return null;
  const text = (given ?? "0.01").trim();
  const maxLoss = text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
  return Number.isNaN(maxLoss) ? null : { maxLoss, isAbsolute: words.includes("--absolute") };
}

/** A loss as the figure's change: "−1.20 %" of the float model's figure, or in the metric's own unit. */
export function changeText(loss: number, isAbsolute: boolean, higherIsBetter: boolean): string {
  if (Number.isNaN(loss)) return "–";
  const change = higherIsBetter ? -loss : loss;
  if (!isAbsolute && Number.isFinite(change)) return shownRatio(change);
  return `${change > 0 ? "+" : ""}${figure(change, 4)}`;
}
