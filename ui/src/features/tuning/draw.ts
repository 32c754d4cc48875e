// SPDX-License-Identifier: Apache-2.0
// Charts of trials for uPlot: markers by how a trial ended, whiskers, the goal as a line.
import type uPlot from "uplot";

import { figure, type Interval } from "../../base/numbers";
import { apart, bentMarks, nearest, rangeOf, withRoom, type Point, type Scale, type Trade } from "./points";

export type Colour = (name: string) => string;
type Options = Omit<uPlot.Options, "width" | "height">;

const font = "12px system-ui, sans-serif";
const small = "11px system-ui, sans-serif";

interface Shape {
  corners: "circle" | "up" | "down" | "cross" | "square";
  isFilled: boolean;
  colour: string;
}

/** By shape and filling as well as by colour. */
export const shapes: Record<Point["kind"], Shape> = {
  within: { corners: "circle", isFilled: true, colour: "--good" },
  outside: { corners: "circle", isFilled: false, colour: "--bad" },
  "early within": { corners: "up", isFilled: true, colour: "--good" },
  "early outside": { corners: "down", isFilled: false, colour: "--bad" },
  failed: { corners: "cross", isFilled: false, colour: "--bad" },
  outputs: { corners: "circle", isFilled: false, colour: "--muted" },
  float: { corners: "square", isFilled: true, colour: "--reference" },
};

function trace(pen: CanvasRenderingContext2D, corners: Shape["corners"], x: number, y: number, r: number): void {
  pen.beginPath();
  if (corners === "circle") pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (corners === "square") pen.rect(x - r, y - r, 2 * r, 2 * r);
  else if (corners === "cross") {
    pen.moveTo(x - r, y - r);
    pen.lineTo(x + r, y + r);
    pen.moveTo(x - r, y + r);
    pen.lineTo(x + r, y - r);
  } else {
    const sign = corners === "up" ? -1 : 1;
    pen.moveTo(x, y + sign * r * 1.2);
    pen.lineTo(x + r * 1.15, y - sign * r * 0.8);
    pen.lineTo(x - r * 1.15, y - sign * r * 0.8);
    pen.closePath();
  }
}

interface Drawn {
  points: readonly Point[];
  selected: number; // of a trial
  colour: Colour;
}

/** In pixels of the canvas; points without a figure stand on the lower edge. */
function placeOf(chart: uPlot, point: Point, isCanvas: boolean): { x: number; y: number } {
  const bottom = isCanvas ? chart.bbox.top + chart.bbox.height - 8 : chart.over.clientHeight - 8;
  return { x: chart.valToPos(point.x, "x", isCanvas), y: Number.isNaN(point.y) ? bottom : chart.valToPos(point.y, "y", isCanvas) };
}

function drawPoints(chart: uPlot, { points, selected, colour }: Drawn): void {
  const pen = chart.ctx;
  const ratio = devicePixelRatio;
  pen.save();
  pen.lineWidth = 1.5 * ratio;
  for (const point of points) {
    const shape = shapes[point.kind];
    const { x, y } = placeOf(chart, point, true);
    if (point.span) {
      const [low, high] = point.span.map((end) => chart.valToPos(end, "y", true));
      pen.strokeStyle = colour("--muted");
      pen.globalAlpha = 0.6;
      pen.beginPath();
      pen.moveTo(x, low!);
      pen.lineTo(x, high!);
      for (const end of [low!, high!]) {
        pen.moveTo(x - 3 * ratio, end);
        pen.lineTo(x + 3 * ratio, end);
      }
      pen.stroke();
      pen.globalAlpha = 1;
    }
    trace(pen, shape.corners, x, y, 4.5 * ratio);
    pen.strokeStyle = colour(shape.colour);
    pen.fillStyle = shape.isFilled ? colour(shape.colour) : colour("--panel");
    if (shape.corners !== "cross") pen.fill();
    pen.stroke();
    if (point.isBest) ring(pen, x, y, 8 * ratio, colour("--accent"), 2 * ratio);
    if (point.number === selected) ring(pen, x, y, 11 * ratio, colour("--text"), ratio);
  }
  pen.restore();
}

function ring(pen: CanvasRenderingContext2D, x: number, y: number, r: number, colour: string, width: number): void {
  pen.beginPath();
  pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.strokeStyle = colour;
  const before = pen.lineWidth;
  pen.lineWidth = width;
  pen.stroke();
  pen.lineWidth = before;
}

interface Level {
  value: number;
  name: string;
  colour: string;
}

/** In pixels of the canvas; null where it is not in sight. */
function heightOf(chart: uPlot, { value }: Level): number | null {
  const { top, height } = chart.bbox;
  const y = chart.valToPos(value, "y", true);
  return Number.isFinite(value) && y >= top && y <= top + height ? y : null;
}

/** A line across the chart. */
function drawLevel(chart: uPlot, level: Level): void {
  const y = heightOf(chart, level);
  if (y === null) return;
  const pen = chart.ctx;
  const ratio = devicePixelRatio;
  const { left, width } = chart.bbox;
  const { colour } = level;
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5 * ratio;
  pen.setLineDash([6 * ratio, 4 * ratio]);
  pen.beginPath();
  pen.moveTo(left, y);
  pen.lineTo(left + width, y);
  pen.stroke();
  pen.restore();
}

/** Beside the right ends of their lines, one below the other. */
function nameLevels(chart: uPlot, levels: readonly Level[]): void {
  const pen = chart.ctx;
  const ratio = devicePixelRatio;
  const inSight = levels.filter((level) => heightOf(chart, level) !== null);
  const places = apart(inSight.map((level) => heightOf(chart, level)!), 13 * ratio);
  pen.save();
  pen.font = `${11 * ratio}px system-ui, sans-serif`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  inSight.forEach((level, index) => {
    pen.fillStyle = level.colour;
    pen.fillText(level.name, chart.bbox.left + chart.bbox.width + 6 * ratio, places[index]!);
  });
  pen.restore();
}

function drawFront(chart: uPlot, front: readonly Point[], colour: string): void {
  if (front.length === 0) return;
  const pen = chart.ctx;
  pen.save();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5 * devicePixelRatio;
  pen.beginPath();
  front.forEach((point, index) => {
    const { x, y } = placeOf(chart, point, true);
    if (index === 0) pen.moveTo(x, y);
    else pen.lineTo(x, y);
  });
  pen.stroke();
  pen.restore();
}

/** A point that the pointer is at, and its place in the chart. */
export interface Hovered {
  number: number;
  x: number;
  y: number;
}

export interface Wanted {
  points: readonly Point[];
  scale: Scale;
  selected: number;
  onselect: (number: number) => void;
  onhover: (at: Hovered | null) => void;
}

/** What charts of trials have in common: the upright axis, levels, points, and which one the pointer is at. */
function shared(wanted: Wanted, colour: Colour, x: uPlot.Scale, axis: uPlot.Axis, below: (chart: uPlot) => void): Options {
  const { points, scale, selected, onselect, onhover } = wanted;
  const grid = { stroke: colour("--faint"), width: 1 };
  const axes = { stroke: colour("--muted"), font, labelFont: small, labelSize: 16, labelGap: 2, grid, ticks: { show: false }, values: marksText };
  const at = (chart: uPlot): Hovered | null => {
    const { left, top } = chart.cursor;
    if (left === undefined || top === undefined || left < 0) return null;
    const places = points.map((point) => placeOf(chart, point, false));
    const found = nearest(places, { x: left, y: top });
    if (found === null) return null;
    const { offsetLeft, offsetTop } = chart.over;
    return { number: points[found]!.number, x: places[found]!.x + offsetLeft, y: places[found]!.y + offsetTop };
  };
  const levels: Level[] = [
    { value: scale.goal, name: `goal ${scale.show(scale.goal)}`, colour: colour("--good") },
    { value: scale.reference, name: "float model", colour: colour("--muted") },
  ];
  const range = rangeOf(points, [scale.goal, scale.reference]);
  return {
    legend: { show: false },
    padding: [10, 80, 0, 0], // names of levels are at the right
    scales: { x: { time: false, ...x }, y: { range: () => [range[0], range[1]], ...(scale.bend !== null && { distr: 4, asinh: scale.bend }) } },
    cursor: { x: false, y: false, points: { show: false }, drag: { setScale: false, x: false, y: false } },
    axes: [{ ...axes, ...axis }, { ...axes, size: 50, label: scale.title, ...(scale.bend !== null && bent(scale.bend, range)) }],
    series: [{}, { show: false }],
    hooks: {
      draw: [
        (chart) => {
          for (const level of levels) drawLevel(chart, level);
          nameLevels(chart, levels);
          below(chart);
          drawPoints(chart, { points, selected, colour });
        },
      ],
      setCursor: [(chart) => onhover(at(chart))],
      ready: [
        (chart) => {
          chart.over.style.cursor = "pointer";
          chart.over.addEventListener("click", () => {
            const number = at(chart)?.number ?? 0;
            if (number > 0) onselect(number);
          });
        },
      ],
    },
  };
}

/** As figures are shown everywhere; no mark has more digits than its neighbours need. */
function marksText(_: uPlot, splits: (number | null)[]): string[] {
  return splits.map((value) => (value === null ? "" : figure(Number(value.toPrecision(6)), 6)));
}

/** uPlot makes no marks for bent axes that people would choose. */
function bent(bend: number, range: Interval): Partial<uPlot.Axis> {
  const filter = (chart: uPlot, splits: number[]): (number | null)[] => {
    const kept = withRoom(splits, (mark) => chart.valToPos(mark, "y"));
    return splits.map((mark) => (kept.has(mark) ? mark : null));
  };
  return { splits: () => bentMarks(bend, range), filter };
}

/** Whole numbers alone. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

export function trialsChart(wanted: Wanted, stepped: uPlot.Series.PathBuilder, colour: Colour): Options {
  const last = wanted.points.at(-1)?.x ?? 1;
  const options = shared(wanted, colour, { range: () => [0.5, last + 0.5] }, { incrs: steps, label: "Trial", size: 24 }, () => undefined);
  return { ...options, series: [{}, { show: false }, { stroke: colour("--accent"), width: 2, paths: stepped, points: { show: false } }] };
}

export function tradeChart(wanted: Wanted, trade: Trade, title: string, colour: Colour): Options {
  const xs = trade.points.map((point) => point.x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const room = high > low ? 0.05 * (high - low) : 1;
  const range = (): [number, number] => (xs.length > 0 ? [low - room, high + room] : [0, 1]);
  return shared(wanted, colour, { range }, { label: title, size: 24 }, (chart) => drawFront(chart, trade.front, colour("--accent")));
}
