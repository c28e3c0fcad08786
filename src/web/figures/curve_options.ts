// How uPlot draws a curve, or two to compare.
import type uPlot from "uplot";
import { formatNumber } from "../base/numbers";

export interface Series {
  name: string;
  values: (number | undefined)[]; // as long as x; undefined: unknown
  dashed?: number[]; // a second curve to compare with, as long as x at most
}

interface Settings {
  axis: string; // what x counts
  series: Series;
  names: [string, string];
  labelled: boolean; // whether it names the x axis
  place: { current: number | undefined }; // marked on the x axis; read anew at each drawing
}

const HEIGHT = 9; // rem
/// Distances between lines of the grid that count something.
const WHOLE = [1, 10, 100, 1000, 10_000, 100_000].flatMap((power) => [power, 2 * power, 5 * power]);

export const shown = (value: number | null) => formatNumber(value, 4);

/// Colours and sizes of the page. A canvas does not know its variables.
interface Style {
  colour: (token: string) => string;
  rem: number;
  font: string;
}

function pageStyle(): Style {
  const style = getComputedStyle(document.documentElement);
  const rem = parseFloat(style.fontSize);
  return {
    colour: (token) => style.getPropertyValue(token).trim(),
    rem,
    font: `${Math.round(0.75 * rem)}px ${getComputedStyle(document.body).fontFamily}`,
  };
}

export function optionsOf(box: HTMLElement, settings: Settings): uPlot.Options {
  const style = pageStyle();
  const { axis, series, labelled, place } = settings;
  return {
    width: box.clientWidth || 300,
    height: (labelled ? HEIGHT + 1.5 : HEIGHT) * style.rem,
    cursor: { sync: { key: axis }, y: false, drag: { x: false, y: false } },
    legend: { live: true, markers: { show: series.dashed !== undefined } },
    scales: {
      x: { time: false, range: ({ data }) => rangeOf(data[0]) },
      y: { range: { min: { pad: 0.1, soft: 0, mode: 1 }, max: { pad: 0.1, mode: 0 } } },
    },
    axes: axesOf(settings, style),
    series: seriesOf(settings, style),
    hooks: {
      setCursor: [({ root, cursor }) => void root.classList.toggle("pointed", typeof cursor.idx === "number")],
      draw: [(plot) => place.current !== undefined && drawMark(plot, place.current, style.colour("--warm"))],
    },
  };
}

/// From the first to the last place of the x axis. A single one stands at its end.
export function rangeOf(x: ArrayLike<number>): [number, number] {
  const [first = 0, last = 0] = [x[0], x[x.length - 1]];
  return first < last ? [first, last] : [0, Math.max(last, 1)];
}

function axesOf({ axis, labelled }: Settings, { colour, rem, font }: Style): uPlot.Axis[] {
  const lines = {
    stroke: colour("--soft"),
    font,
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { show: false },
  };
  return [
    {
      ...lines,
      incrs: WHOLE,
      size: (labelled ? 3 : 1.6) * rem,
      ...(labelled && { label: axis, labelFont: font, labelSize: 1.3 * rem }),
    },
    { ...lines, size: 3.6 * rem, values: (_, splits) => splits.map((split) => formatNumber(split, 3)) },
  ];
}

/// The first one is that of x.
function seriesOf({ axis, series: { name, dashed }, names }: Settings, { colour }: Style): uPlot.Series[] {
  const value = (_: uPlot, number: number | null) => (number === null ? "" : shown(number));
  const points = { show: false };
  const second = { label: names[1], stroke: colour("--warm"), width: 1.5, dash: [6, 4], points, value };
  return [
    { label: axis, value: (_, number: number | null) => (number === null ? "" : String(number)) },
    { label: names[0] || name, stroke: colour("--accent"), width: 2, points, value },
    ...(dashed ? [second] : []),
  ];
}

/// A line at this place of the x axis.
function drawMark({ ctx, bbox, valToPos }: uPlot, place: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.fillRect(valToPos(place, "x", true) - 1, bbox.top, 2, bbox.height);
}
