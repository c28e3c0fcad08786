// Curves over a shared x axis, one below the other. Pointing at one of them shows the numbers of all. A table has the
// same numbers as text.
import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { darkMode } from "../base/dark_mode";
import { formatNumber } from "../base/numbers";
import { ScrollBox, TitledTable } from "../base/tables";
import { spread } from "./spread";
import "./curve.css";

interface Series {
  name: string;
  values: (number | undefined)[]; // as long as x; undefined: unknown
  dashed?: number[]; // a second curve to compare with, as long as x at most
}

interface Props {
  name: string; // for screen readers, and of the table
  axis: string; // what x counts
  x: number[];
  series: Series[];
  names?: [string, string]; // of the two curves, if there is a second one
  marked?: number; // a place on the x axis
}

const HEIGHT = 9; // rem
/// Distances between lines of the grid that count something.
const WHOLE = [1, 10, 100, 1000, 10_000, 100_000].flatMap((power) => [power, 2 * power, 5 * power]);

export function Curves({ name, axis, x, series, names = ["", ""], marked }: Props) {
  return (
    <figure class="curves" aria-label={name}>
      {series.map((one, i) => (
        <Curve key={one.name} {...{ axis, x, names, marked }} series={one} labelled={i === series.length - 1} />
      ))}
      <details>
        <summary>The curves as a table</summary>
        <CurveTable {...{ name, axis, x, series, names }} />
      </details>
    </figure>
  );
}

interface CurveProps {
  axis: string;
  x: number[];
  series: Series;
  names: [string, string];
  marked: number | undefined;
  labelled: boolean; // whether it names the x axis
}

function Curve({ axis, x, series, names, marked, labelled }: CurveProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = darkMode.value;
  const place = useRef(marked);
  place.current = marked;
  const compared = series.dashed !== undefined;

  useLayoutEffect(() => {
    const made = new uPlot(optionsOf(box.current!, axis, series, names, labelled, place), [[], []], box.current!);
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: box.current!.clientWidth, height: made.height }));
    sizes.observe(box.current!);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
  }, [dark, compared, series.name]);
  useLayoutEffect(() => {
    const { values, dashed } = series;
    plot.current!.setData(dashed ? [x, known(values), dashed] : [x, known(values)]);
  }, [x, series.values, series.dashed, marked, dark]);

  const numbers = series.values.filter((value) => value !== undefined);
  const text = numbers.length === 0 ? "no numbers yet" : `from ${shown(numbers[0]!)} to ${shown(numbers.at(-1)!)}`;
  return (
    <div class={compared ? "curve compared" : "curve"}>
      <p class="curve-name" aria-hidden="true">
        {series.name}
      </p>
      <div ref={box} role="img" aria-label={`${series.name}: ${text}`} />
    </div>
  );
}

/// For uPlot: null is a gap.
const known = (values: (number | undefined)[]) => values.map((value) => value ?? null);
const shown = (value: number | null) => formatNumber(value, 4);

function optionsOf(
  box: HTMLElement,
  axis: string,
  { name, dashed }: Series,
  names: [string, string],
  labelled: boolean,
  place: { current: number | undefined },
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (token: string) => style.getPropertyValue(token).trim();
  const rem = parseFloat(style.fontSize);
  const font = `${Math.round(0.75 * rem)}px ${getComputedStyle(document.body).fontFamily}`;
  const lines = {
    stroke: colour("--soft"),
    font,
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { show: false },
  };
  const value = (_: uPlot, number: number | null) => (number === null ? "" : shown(number));
  const points = { show: false };
  const second = { label: names[1], stroke: colour("--warm"), width: 1.5, dash: [6, 4], points, value };
  return {
    width: box.clientWidth || 300,
    height: (labelled ? HEIGHT + 1.5 : HEIGHT) * rem,
    cursor: { sync: { key: axis }, y: false, drag: { x: false, y: false } },
    legend: { live: true, markers: { show: dashed !== undefined } },
    scales: { x: { time: false }, y: { range: { min: { pad: 0.1, soft: 0, mode: 1 }, max: { pad: 0.1, mode: 0 } } } },
    axes: [
      {
        ...lines,
        incrs: WHOLE,
        size: (labelled ? 3 : 1.6) * rem,
        ...(labelled && { label: axis, labelFont: font, labelSize: 1.3 * rem }),
      },
      { ...lines, size: 3.6 * rem, values: (_, splits) => splits.map((split) => formatNumber(split, 3)) },
    ],
    series: [
      { label: axis, value: (_, number: number | null) => (number === null ? "" : String(number)) },
      { label: names[0] || name, stroke: colour("--accent"), width: 2, points, value },
      ...(dashed ? [second] : []),
    ],
    hooks: {
      setCursor: [({ root, cursor }) => void root.classList.toggle("pointed", typeof cursor.idx === "number")],
      draw: [
        ({ ctx, bbox, valToPos }) => {
          if (place.current === undefined) return;
          ctx.fillStyle = colour("--warm");
          ctx.fillRect(valToPos(place.current, "x", true) - 1, bbox.top, 2, bbox.height);
        },
      ],
    },
  };
}

const MOST_ROWS = 12;

function CurveTable({ name, axis, x, series, names = ["", ""] }: Props) {
  const titles = series.flatMap((one) =>
    one.dashed ? [`${one.name}, ${names[0]}`, `${one.name}, ${names[1]}`] : [one.name],
  );
  return (
    <ScrollBox name={`${name}, as a table`}>
      <TitledTable titles={[axis, ...titles]}>
        {spread(x.length, MOST_ROWS).map((i) => (
          <tr key={i}>
            <th scope="row">{x[i]}</th>
            {series
              .flatMap(({ values, dashed }) => (dashed ? [values[i], dashed[i]] : [values[i]]))
              .map((value, k) => (
                <td key={k} class="number">
                  {value === undefined ? "–" : shown(value)}
                </td>
              ))}
          </tr>
        ))}
      </TitledTable>
    </ScrollBox>
  );
}
