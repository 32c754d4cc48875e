// SPDX-License-Identifier: Apache-2.0
// What a search for a recipe says first: whether its goal was reached, by which trial, and how far the figure moves.
import { accuracyOf, pairOf } from "../../base/accuracies";
import { changeText, goalOf } from "./goal";
import { timeText } from "../../base/durations";
import { listOf, numberOf, type Loose } from "../../base/loose";
import type { OpCounts } from "../../base/op-counts";
import { accuracyTile, opsText, pairTiles, present, shareTile, speedTile, tile, type Headline, type Tile, type Told } from "./tiles";

interface Search {
  best: number; // number of the trial; NaN: none has a figure
  trials: number;
  unit: "Change" | "Relative change";
  change: string;
  allowed: string; // empty where the goal is not known
  isReached: boolean;
  isFloat: boolean; // the best has no op in int8
  hasEnded: boolean;
}

function searchOf(result: Loose, words: readonly string[], hasEnded: boolean): Search {
  const goal = goalOf(words);
  const isAbsolute = goal?.isAbsolute ?? false;
  const higherIsBetter = accuracyOf(result["reference"])?.higherIsBetter ?? true;
  return {
    best: numberOf(result["best"]),
    trials: listOf(result["trials"]).length || numberOf(result["evaluations"]),
    unit: isAbsolute ? "Change" : "Relative change",
    change: changeText(numberOf(result["loss"]), isAbsolute, higherIsBetter),
    allowed: goal ? `${changeText(goal.maxLoss, isAbsolute, higherIsBetter)} is allowed` : "",
    isReached: result["reached"] === true,
    isFloat: numberOf(result["ops_quantized"]) === 0,
    hasEnded,
  };
}

export function tuned(result: Loose, words: readonly string[], hasEnded: boolean, ops: OpCounts | null): Told {
  const search = searchOf(result, words, hasEnded);
  return { headline: headlineOf(search), sentence: sentenceOf(search, ops), tiles: present(tilesOf(search, result)) };
}

function headlineOf({ hasEnded, isReached, isFloat }: Search): Headline | null {
  if (!hasEnded) return null;
  if (!isReached) return { text: "Goal missed", tone: "bad" };
  return isFloat ? { text: "Nothing is in int8", tone: "unsure" } : { text: "Goal reached", tone: "good" };
}

function sentenceOf({ best, unit, change, allowed, isReached, isFloat, hasEnded, trials }: Search, ops: OpCounts | null): string {
  const limit = allowed ? `, ${allowed}` : "";
  const moved = `a ${unit.toLowerCase()} of ${change}${limit}`;
  if (Number.isNaN(best)) return hasEnded ? "The goal was missed: no trial has a figure." : "";
  if (!hasEnded) return `Trial ${best} is the best of ${trials} so far: ${moved}.`;
  if (isReached && isFloat) return `The best model within the goal, trial ${best}, has all ops in float${limit}.`;
  const counted = ops ? `; ${opsText(ops)} ops in int8` : "";
  if (isReached) return `Trial ${best} of ${trials} reaches the goal: ${moved}${counted}.`;
  return `Trial ${best} of ${trials} comes nearest: ${moved}. It is kept.`;
}

const meaning = "of the float model's figure, with its sign: a loss in the trials' table, from the other side";

function tilesOf({ best, unit, change, allowed, isReached, trials }: Search, result: Loose): (Tile | null)[] {
  const pair = pairOf(result);
  const reference = accuracyOf(result["reference"]);
  const share = numberOf(result["int8_share"]);
  const [float, int8] = [numberOf(result["float_us"]), numberOf(result["best_us"])];
  const hasBest = !Number.isNaN(best);
  return [
    hasBest ? tile(unit, change, allowed, meaning, isReached ? "good" : "bad") : null,
    ...(pair ? pairTiles(pair, ["FP32", `INT8, trial ${best}`]).slice(0, 3) : [reference ? accuracyTile("FP32", reference) : null]),
    Number.isNaN(share) ? null : shareTile("Work in int8", share, "of the multiply-adds", "multiply-adds that are computed on int8 codes"),
    tile("Trials", String(trials), hasBest ? `best: ${best}` : "none has a figure", "recipes that were tried"),
    Number.isNaN(int8) ? null : speedTile(int8 / float, null, `${timeText(float)} to ${timeText(int8)}`),
  ];
}
