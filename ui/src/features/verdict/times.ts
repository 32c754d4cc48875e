// SPDX-License-Identifier: Apache-2.0
// What a profile and a benchmark say first: how fast, and of two models how many times as fast.
import { timeText } from "../../base/durations";
import { baseName, figure, percent } from "../../base/numbers";
import { listOf, numberOf, objectOf, spanOf, textOf, type Loose } from "../../base/loose";
import { present, shareTile, shortName, speedHeadline, speedTile, tile, timeTile, type Tile, type Told } from "./tiles";

export function profiled(result: Loose): Told {
  const pair = [objectOf(result["reference"]), objectOf(result["quantized"])] as const;
  if (!("wall" in pair[0])) return profiledAlone(result);
  const [ratio, span] = [numberOf(result["ratio"]), spanOf(result["ratio_interval"])];
  const time = (profile: Loose) => objectOf(profile["wall"]);
  return {
    headline: speedHeadline(ratio, span),
    sentence: textOf(result["verdict"]),
    tiles: [
      timeTile("FP32", numberOf(time(pair[0])["median_us"]), spanOf(time(pair[0])["median_interval"]), "median of a run, 95 % interval"),
      timeTile("INT8", numberOf(time(pair[1])["median_us"]), spanOf(time(pair[1])["median_interval"]), "median of a run, 95 % interval"),
      speedTile(ratio, span),
      shareTile("Accounted for", numberOf(pair[1]["explained"]), "of INT8's median", "part of a run that the nodes and the runtime's own time make up"),
      conditions(pair[1]),
    ],
  };
}

function conditions(profile: Loose): Tile {
  const [threads, batch] = [numberOf(profile["threads"]), numberOf(profile["batch_size"])];
  return tile("Threads", threads > 0 ? String(threads) : "–", batch > 0 ? `batch of ${batch}` : "", "what it was timed with");
}

function profiledAlone(result: Loose): Told {
  const wall = objectOf(result["wall"]);
  const span = spanOf(wall["median_interval"]);
  const first = objectOf(listOf(result["types"])[0]);
  const [name, share] = [textOf(first["type"]) || textOf(first["name"]), numberOf(first["share"])];
  const median = numberOf(wall["median_us"]);
  const most = name ? `; ${name} takes ${percent(share)} of it` : "";
  return {
    headline: null,
    sentence: `One run takes ${timeText(median)}${most}.`,
    tiles: present([
      timeTile("One run", median, span, "median, 95 % interval"),
      tile("95th percentile", timeText(numberOf(wall["p95_us"])), `of ${numberOf(wall["runs"])} runs`, "but for a twentieth, runs are faster"),
      name ? shareTile("Most in", share, name, "the type of op that takes longest") : null,
      shareTile("Accounted for", numberOf(result["explained"]), "of the median", "part of a run that the nodes and the runtime's own time make up"),
      conditions(result),
    ]),
  };
}

export function benchmarked(result: Loose): Told {
  const results = listOf(result["results"]).map(objectOf);
  const ratios = listOf(result["ratios"]).map(objectOf);
  const rate = (one: Loose) => numberOf(one["samples_per_second"]);
  const best = results.reduce((one, other) => (rate(other) > rate(one) ? other : one), results[0] ?? {});
  const isPair = ratios.length > 0;
  const name = (one: Loose) => baseName(textOf(one["model"]));
  const first = ratios[0] ?? {};
  const [ratio, span] = [numberOf(first["ratio"]), spanOf(first["interval"])];
  const batch = (one: Loose) => `batch of ${numberOf(one["batch_size"])}`;
  const latency = (one: Loose) => {
    const time = timeText(1000 * numberOf(one["latency_ms"]));
    return tile(isPair ? shortName(name(one)) : "Latency", time, `a sample, ${batch(one)}`, "median run over the batch size");
  };
  return {
    headline: isPair ? speedHeadline(ratio, span) : null,
    sentence: isPair
      ? ratios.map((one, at) => ratioSentence(one, name(results[2 * at] ?? {}), name(results[2 * at + 1] ?? {}), ratios.length > 1)).join(" ")
      : `${name(best)}: ${figure(rate(best))} samples/s at best, with a ${batch(best)}.`,
    tiles: present([
      ...results.slice(0, isPair ? 2 : 1).map(latency),
      isPair ? speedTile(ratio, span, batch(first)) : null,
      tile("Throughput", `${figure(rate(best))}/s`, isPair ? shortName(name(best)) : batch(best), "samples a second, of the fastest"),
      conditions(results[0] ?? {}),
    ]),
  };
}

function ratioSentence(ratio: Loose, first: string, second: string, hasSizes: boolean): string {
  const span = spanOf(ratio["interval"]);
  const between = span ? ` (${figure(span[0])} to ${figure(span[1])})` : "";
  const at = hasSizes ? `With a batch of ${numberOf(ratio["batch_size"])}, ` : "";
  return `${at}${second} takes ${figure(numberOf(ratio["ratio"]))}${between} of the time of ${first}.`;
}
