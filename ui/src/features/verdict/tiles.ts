// SPDX-License-Identifier: Apache-2.0
// The figures at the top of a run.
import { timeFigure, timeText, unitOf } from "../../base/durations";
import { decibels, figure, percent, type Interval } from "../../base/numbers";
import type { OpCounts } from "../../base/op-counts";
import {
  metricText, outcomeOf, shownDifference, shownDifferences, shownFigure, shownInterval, shownRatio, type Accuracy, type Pair,
} from "../../base/accuracies";

/** Good, bad, or neither: told by a sign and a word as well as by a colour. */
export type Tone = "good" | "bad" | "unsure" | "";

export interface Tile {
  label: string;
  value: string;
  detail: string; // below it: its interval, what it is of
  meaning: string;
  tone: Tone;
}

export interface Headline {
  text: string;
  tone: Tone;
}

/** What a verb's result says first. */
export interface Told {
  headline: Headline | null;
  sentence: string;
  tiles: Tile[];
}

export function tile(label: string, value: string, detail = "", meaning = "", tone: Tone = ""): Tile {
  return { label, value, detail, meaning, tone };
}

export function present(tiles: readonly (Tile | null)[]): Tile[] {
  return tiles.filter((one) => one !== null);
}

/** How the two models are called: what a quantizer made and of what, or two files that were evaluated. */
export type Names = readonly [reference: string, quantized: string];
export const usualNames: Names = ["FP32", "INT8"];

export function samplesText(of: Accuracy): string {
  return of.samples > 0 ? `${of.samples} samples` : "";
}

export function accuracyTile(label: string, of: Accuracy): Tile {
  const meaning = [metricText(of), samplesText(of), of.interval ? "95 % interval" : ""].filter(Boolean).join(", ");
  return tile(label, shownFigure(of.value, of), shownInterval(of.interval, of), meaning);
}

export function pairTiles(pair: Pair, names: Names): Tile[] {
  const { reference, quantized } = pair;
  const outcome = outcomeOf(pair);
  const tone: Tone = outcome === "loss" ? "bad" : outcome === "gain" ? "good" : "";
  const tiles = [
    accuracyTile(shortName(names[0]), reference),
    accuracyTile(shortName(names[1]), quantized),
    tile("Difference", shownDifference(pair.difference, reference), shownDifferences(pair.differenceInterval, reference),
      `${names[1]} less ${names[0]} over the same samples, paired 95 % interval`, tone),
    tile("Relative change", shownRatio(pair.ratio), `of ${shortName(names[0])}`, `the difference over the figure of ${names[0]}`),
  ];
  if (quantized.isRate) {
    const flips = pair.lost + pair.gained;
    const of = quantized.samples > 0 ? ` of ${quantized.samples}` : "";
    tiles.push(tile("Answers flipped", `${flips}${of}`, `${pair.lost} lost, ${pair.gained} gained`,
      `lost: right in ${names[0]} alone; gained: right in ${names[1]} alone`));
  }
  return tiles;
}

export function pairHeadline(pair: Pair): Headline {
  const outcome = outcomeOf(pair);
  const name = pair.quantized.isRate ? "Accuracy" : pair.quantized.metric;
  if (outcome === "loss") return { text: pair.quantized.higherIsBetter ? `${name} lost` : `${name} grew: a loss`, tone: "bad" };
  if (outcome === "gain") return { text: pair.quantized.higherIsBetter ? `${name} gained` : `${name} fell: a gain`, tone: "good" };
  if (outcome === "equal" || (pair.quantized.isRate && pair.lost + pair.gained === 0)) return { text: "No answer changed", tone: "good" };
  const samples = samplesText(pair.quantized);
  return { text: samples ? `No loss that ${samples} can tell` : "No loss that can be told", tone: "unsure" };
}

/** What the tiles say, as a sentence, for runs that tell no verdict of their own. */
export function pairSentence(pair: Pair, names: Names): string {
  const difference = shownDifference(pair.difference, pair.reference);
  const span = shownDifferences(pair.differenceInterval, pair.reference);
  const between = span ? ` (${span})` : "";
  const flips = pair.quantized.isRate ? `; ${pair.lost} answers lost, ${pair.gained} gained` : "";
  const { metric } = pair.reference;
  const outcome = outcomeOf(pair);
  if (outcome === "unclear") return `${metric} differs by ${difference}${between}, which these samples cannot tell from none${flips}.`;
  if (outcome === "equal") return `${metric} is the same in both models${flips}.`;
  return `${metric} of ${names[1]} differs from that of ${names[0]} by ${difference}${between}${flips}.`;
}

/** SQNR of the worst output, which is how well the outputs are kept. */
export function sqnrTile(sqnr: number): Tile {
  return tile("Outputs keep", Number.isFinite(sqnr) ? `${decibels(sqnr)} dB` : figure(sqnr), "SQNR of the worst one",
    "signal over error of the output that is kept worst; 6 dB are one bit");
}

export function sqnrHeadline(sqnr: number): Headline | null {
  if (Number.isNaN(sqnr)) return null;
  if (sqnr === Infinity) return { text: "Outputs are equal", tone: "good" };
  if (sqnr >= 20) return { text: "Most of the signal is kept", tone: "good" };
  if (sqnr >= 10) return { text: "Some of the signal is lost", tone: "unsure" };
  if (sqnr >= 3) return { text: "Much of the signal is lost", tone: "bad" };
  return { text: sqnr >= 0 ? "More than half of the signal is lost" : "The error is greater than the signal", tone: "bad" };
}

/** `counts` is null while they are being read. */
export function opsTile(counts: OpCounts | null): Tile {
  const constants = counts && counts.constants > 0 ? `; ${counts.constants} constants are not counted` : "";
  const meaning = `ops of the float model that compute on int8 codes; “Still float” says why others do not${constants}`;
  const rest = counts ? `${Number.isNaN(counts.float) ? "–" : counts.float} in float` : "";
  return tile("Ops in int8", counts ? opsText(counts) : "…", rest, meaning);
}

/** "56 of 58" */
export function opsText({ int8, all }: OpCounts): string {
  return `${int8} of ${all}`;
}

/** Of a time over another: how many times as fast. */
export function speedTile(ratio: number, span: Interval | null, detail = ""): Tile {
  const faster = span && span[0] > 0 ? `${precise(1 / span[1], 3)} to ${precise(1 / span[0], 3)}` : "";
  const headline = speedHeadline(ratio, span);
  return tile("Speed-up", Number.isFinite(ratio) && ratio > 0 ? `${precise(1 / ratio, 3)}×` : "–", [faster, detail].filter(Boolean).join(", "),
    "time of the first model over that of the second, 95 % interval of runs in turn", headline?.tone === "unsure" ? "" : (headline?.tone ?? ""));
}

export function speedHeadline(ratio: number, span: Interval | null): Headline | null {
  if (!Number.isFinite(ratio) || ratio <= 0) return null;
  if (!span || (span[0] <= 1 && span[1] >= 1)) return { text: "Speed cannot be told apart", tone: "unsure" };
  return ratio < 1 ? { text: `${precise(1 / ratio, 3)}× faster`, tone: "good" } : { text: `${precise(ratio, 3)}× slower`, tone: "bad" };
}

/** With zeros at the end, so that figures side by side have as many digits. */
export function precise(value: number, digits: number): string {
  const size = Math.abs(value);
  return size >= 1e-3 && size < 10 ** digits ? value.toPrecision(digits).replace("-", "−") : figure(value, digits);
}

export function timeTile(label: string, us: number, span: Interval | null, meaning: string): Tile {
  const unit = unitOf(us, 4);
  return tile(label, timeText(us, unit, 4), span ? `${timeFigure(span[0], unit, 4)} to ${timeFigure(span[1], unit, 4)}` : "", meaning);
}

/** The end of a file's name, which is where quantized models differ from float ones. */
export function shortName(name: string, most = 20): string {
  return name.length <= most ? name : `…${name.slice(1 - most)}`;
}

export function shareTile(label: string, share: number, detail: string, meaning: string): Tile {
  return tile(label, percent(share, 1), detail, meaning);
}
