// Curves over a shared x axis, one below the other. Pointing at one of them shows the numbers of all. A table has the
// same numbers as text.
import { useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { darkMode } from "../base/dark_mode";
import { ScrollBox, TitledTable } from "../base/tables";
import { optionsOf, shown, type Series } from "./curve_options";
import { spread } from "./spread";
import "./curve.css";

interface Props {
  name: string; // for screen readers, and of the table
  axis: string; // what x counts
  x: number[];
  series: Series[];
  names?: [string, string]; // of the two curves, if there is a second one
  marked?: number; // a place on the x axis
}

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
    const made = new uPlot(optionsOf(box.current!, { axis, series, names, labelled, place }), [[], []], box.current!);
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
