// SPDX-License-Identifier: Apache-2.0
// What each verb's result says first. Told by what a result holds, as `judge` gives what others do and a run that has not
// ended gives a part.
import { baseName } from "../../base/numbers";
import { accuracyOf, pairOf, shownFigure, shownInterval, type Pair } from "../../base/accuracies";
import { listOf, numberOf, objectOf, textOf, type Loose } from "../../base/loose";
import type { OpCounts } from "../../base/op-counts";
import { tuned } from "./search";
import {
  accuracyTile, opsTile, pairHeadline, pairSentence, pairTiles, present, samplesText, sqnrHeadline, sqnrTile, tile, usualNames, type Names, type Tile,
  type Told,
} from "./tiles";
import { benchmarked, profiled } from "./times";

const none: Told = { headline: null, sentence: "", tiles: [] };

/** SQNR of the worst output, as the verdict's first statement has it; NaN where it says none. */
export function worstOutput(diagnosis: Loose): number {
  for (const one of listOf(diagnosis["conclusions"])) {
    const { says, figures } = objectOf(one);
    if (says === "loss") return numberOf(objectOf(objectOf(figures)["sqnr"])["value"]);
  }
  return NaN;
}

/** A model that was compared with its reference, by its outputs, by its accuracy, or by both. */
function compared(pair: Pair | null, diagnosis: Loose, more: readonly (Tile | null)[]): Told {
  const sqnr = worstOutput(diagnosis);
  const told = textOf(diagnosis["verdict"]);
  return {
    headline: pair ? pairHeadline(pair) : sqnrHeadline(sqnr),
    sentence: told || (pair ? pairSentence(pair, usualNames) : ""),
    tiles: present([...(pair ? pairTiles(pair, usualNames) : []), Number.isNaN(sqnr) ? null : sqnrTile(sqnr), ...more]),
  };
}

function diagnosed(result: Loose): Told {
  const pair = pairOf(result["accuracy"]);
  const [values, samples] = [numberOf(result["paired"]), numberOf(result["samples"])];
  const meaning = "values of both models that go together";
  const scope = pair || Number.isNaN(values) ? null : tile("Compared", `${values} values`, `over ${samples} samples`, meaning);
  return compared(pair, result, [scope]);
}

function quantized(result: Loose, ops: OpCounts | null): Told {
  const told = compared(pairOf(result), objectOf(result["diagnosis"]), [opsTile(ops)]);
  if (told.sentence) return told;
  const written = textOf(result["output"]) ? `The model is ${baseName(textOf(result["output"]))}.` : "";
  const counted = ops ? `${ops.int8} ops are in int8, ${ops.float} in float.` : "";
  return { ...told, sentence: [counted, written].filter(Boolean).join(" ") };
}

function evaluated(result: Loose, names: Names): Told {
  const pair = pairOf({ ...result, reference: result["against"], quantized: result });
  if (pair) return { headline: pairHeadline(pair), sentence: pairSentence(pair, names), tiles: pairTiles(pair, names) };
  const accuracy = accuracyOf(result);
  if (!accuracy) return none;
  const span = accuracy.interval ? ` (95 %: ${shownInterval(accuracy.interval, accuracy)})` : "";
  const samples = accuracy.samples > 0 ? `, over ${samplesText(accuracy)}` : "";
  return {
    headline: null,
    sentence: `${accuracy.metric} is ${shownFigure(accuracy.value, accuracy)}${span}${samples}.`,
    tiles: present([accuracyTile(accuracy.metric, accuracy), accuracy.samples > 0 ? tile("Samples", String(accuracy.samples)) : null]),
  };
}

function calibrated(result: Loose): Told {
  const [values, samples] = [numberOf(result["values"]), numberOf(result["samples"])];
  return {
    headline: null,
    sentence: `Statistics of ${values} values over ${samples} samples: quantize with --ranges ${textOf(result["output"])}.`,
    tiles: [tile("Values", String(values), "", "values of the model that were looked at"), tile("Samples", String(samples))],
  };
}

export interface Asked {
  words: readonly string[]; // the command line
  hasEnded: boolean;
  names: Names; // of two models that were evaluated
  ops: OpCounts | null; // while they are being read: null
}

export function told(value: unknown, { words, hasEnded, names, ops }: Asked): Told {
  const result = objectOf(value);
  if ("trials" in result) return tuned(result, words, hasEnded, ops);
  if ("ops_quantized" in result) return quantized(result, ops);
  if ("wall_us" in result) return profiled(result);
  if ("results" in result) return benchmarked(result);
  if ("paired" in result || "conclusions" in result || "verdict" in result) return diagnosed(result);
  if ("values" in result) return calibrated(result);
  return evaluated(result, names);
}
