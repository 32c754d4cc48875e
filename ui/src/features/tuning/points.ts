// SPDX-License-Identifier: Apache-2.0
// Trials as points of charts.
import { figure, type Interval } from "../../base/numbers";
import {
  bestByThen, figureAtGoal, kindOf, lossInterval, paretoFront, type Cost, type Kind,
} from "./model";
import type { Study, Trial } from "./study";

export type Measure = "loss" | "figure";

export interface Point {
  number: number; // of the trial; 0: the float model
  kind: Kind | "float";
  x: number;
  y: number; // NaN: there is no figure, so it stands at the edge
  span: Interval | null;
  isBest: boolean;
}

/** What the upright axis of a chart shows. */
export interface Scale {
  title: string;
  of: (trial: Trial) => number;
  span: (trial: Trial) => Interval | null;
  goal: number;
  reference: number; // of the float model
  bend: number | null; // beyond so much on either side of 0 the axis is logarithmic; null: it is even
  show: (value: number) => string;
}

const hundred = 100;

export function scaleOf(study: Study, measure: Measure): Scale {
  const { goal, reference } = study;
  if (measure === "loss") {
    const unit = goal.isAbsolute ? 1 : hundred;
    const times = (value: number) => value * unit;
    return {
      title: goal.isAbsolute ? "Loss" : "Loss [%]",
      of: (trial) => (trial.accuracy ? times(trial.loss) : NaN),
      span: (trial) => scaled(lossInterval(goal, trial), unit),
      goal: times(goal.maxLoss),
      reference: 0,
      bend: bendOf(study, unit),
      show: (value) => `${figure(value)}${goal.isAbsolute ? "" : " %"}`,
    };
  }
  const unit = reference.isRate ? hundred : 1;
  return {
    title: `${reference.metric || "Figure"}${reference.isRate ? " [%]" : ""}`,
    of: (trial) => (trial.accuracy?.value ?? NaN) * unit,
    span: (trial) => scaled(trial.accuracy?.interval ?? null, unit),
    goal: figureAtGoal(study) * unit,
    reference: reference.value * unit,
    bend: null,
    show: (value) => `${figure(value, 4)}${reference.isRate ? " %" : ""}`,
  };
}

/** One trial that loses all would press those next to the goal flat. */
function bendOf(study: Study, unit: number): number | null {
  const goal = Math.abs(study.goal.maxLoss) * unit;
  const losses = study.trials.filter((trial) => trial.accuracy && Number.isFinite(trial.loss)).map((trial) => Math.abs(trial.loss) * unit);
  return goal > 0 && Math.max(0, ...losses) > 12 * goal ? goal : null;
}

/** Marks of an axis that bends: 0, the bend, and powers of ten of it as far as the range goes. */
export function bentMarks(bend: number, [low, high]: Interval): number[] {
  const made = [0];
  for (const sign of [1, -1]) {
    const end = sign > 0 ? high : -low;
    for (let size = 1; bend * size <= end && size <= 1e6; size *= 10) {
      for (const step of [1, 3]) if (bend * size * step <= end && (step === 1 || size > 1 || end < 30 * bend)) made.push(sign * bend * size * step);
    }
  }
  return made.sort((a, b) => a - b);
}

/** Places of labels of one line each, moved as little as it takes to keep two of them apart. */
export function apart(places: readonly number[], least: number): number[] {
  const [first, second] = places;
  if (places.length !== 2 || Math.abs(first! - second!) >= least) return [...places];
  const middle = (first! + second!) / 2;
  const half = first! <= second! ? least / 2 : -least / 2;
  return [middle - half, middle + half];
}

/** Which marks have room, by their places in px: 0 first, then the outer ones; so many pixels are between two. */
export function withRoom(marks: readonly number[], place: (mark: number) => number, least = 14): Set<number> {
  const kept: number[] = [];
  const byWorth = [...marks].sort((a, b) => Number(b === 0) - Number(a === 0) || Math.abs(b) - Math.abs(a));
  for (const mark of byWorth) if (kept.every((other) => Math.abs(place(other) - place(mark)) >= least)) kept.push(mark);
  return new Set(kept);
}

function scaled(span: Interval | null, unit: number): Interval | null {
  return span && [span[0] * unit, span[1] * unit];
}

function pointOf(study: Study, trial: Trial, x: number, scale: Scale): Point {
  const y = scale.of(trial);
  return { number: trial.number, kind: kindOf(trial), x, y: Number.isFinite(y) ? y : NaN, span: scale.span(trial), isBest: trial.number === study.best };
}

/** Those with a figure or a failure, by their number; comparisons of outputs have no place beside them. */
export function byNumber(study: Study, scale: Scale): Point[] {
  return study.trials.filter((trial) => trial.judged !== "output_error").map((trial) => pointOf(study, trial, trial.number, scale));
}

/** The best figure by then, of each point. */
export function bestLine(study: Study, points: readonly Point[], scale: Scale): (number | null)[] {
  const best = new Map(bestByThen(study).map((trial, index) => [study.trials[index]!.number, trial]));
  return points.map((point) => {
    const trial = best.get(point.number);
    const value = trial ? scale.of(trial) : NaN;
    return Number.isFinite(value) ? value : null;
  });
}

export interface Trade {
  points: Point[]; // by x; the float model among them where its x is known
  front: Point[]; // by x
}

/** Figures against what they cost. The front is of trials over all samples: others may still be wrong. */
export function tradeOf(study: Study, scale: Scale, cost: Cost): Trade {
  const known = study.trials.filter((trial) => Number.isFinite(cost.of(trial)) && Number.isFinite(scale.of(trial)));
  const points = known.map((trial) => pointOf(study, trial, cost.of(trial), scale));
  const whole = known.filter((trial) => trial.judged === "whole");
  const held = whole.map((trial) => ({ x: cost.of(trial) * (cost.isMoreBetter ? 1 : -1), loss: trial.loss }));
  const front = paretoFront(held).map((index) => points[known.indexOf(whole[index]!)]!);
  if (Number.isFinite(cost.reference) && Number.isFinite(scale.reference)) {
    points.push({ number: 0, kind: "float", x: cost.reference, y: scale.reference, span: null, isBest: false });
  }
  const byX = (a: Point, b: Point) => a.x - b.x;
  return { points: points.sort(byX), front: front.sort(byX) };
}

/** From the least to the greatest of points, whiskers and lines, with room around. */
export function rangeOf(points: readonly Point[], lines: readonly number[]): Interval {
  const all = points.flatMap((point) => [point.y, ...(point.span ?? [])]).concat(lines).filter(Number.isFinite);
  if (all.length === 0) return [0, 1];
  const [low, high] = all.reduce<[number, number]>(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
  const room = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** The point next to a place of the picture, within so many pixels; null: none is. */
export function nearest(places: readonly { x: number; y: number }[], at: { x: number; y: number }, within = 14): number | null {
  let [found, least] = [-1, within * within];
  places.forEach((place, index) => {
    const far = (place.x - at.x) ** 2 + (place.y - at.y) ** 2;
    if (far <= least) [found, least] = [index, far];
  });
  return found < 0 ? null : found;
}
