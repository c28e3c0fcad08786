// A heat map: a matrix as coloured cells. It is one tab stop, and the arrow keys move a cursor in it. The readout shows
// the number of the cell that you point at, tap, or reach with the cursor. A map too dense for numbers can be enlarged.
// When its matrix changes, the map draws the new one, and the cursor stays where it is.
import { useSignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { darkMode } from "../base/dark_mode";
import { plural } from "../base/numbers";
import type { Axis } from "../trace/axes";
import type { Cells } from "../trace/matrix";
import type { Blocker } from "../trace/reasons";
import { EnlargeButton } from "./enlarge_button";
import { followLink } from "./heat_map_link";
import { MapView } from "./heat_map_view";
import type { MapLink } from "./pointing";
import { Readout, useReadout, type ReadoutSignal } from "./readout";
import type { Scale } from "./scale";
import { ScaleLegend } from "./scale_legend";
import "./heat_map.css";

export interface HeatMapProps {
  name: string; // what it shows, for screen readers
  matrix: Cells;
  rows: Axis;
  cols: Axis;
  scale: Scale;
  blocked?: (row: number, col: number) => Blocker[]; // why a cell is blocked; blocked cells are hatched
  blockedLater?: number; // the step that blocks these cells, if their numbers are from before that
  opened?: (row: number, col: number) => boolean; // whether the reader has opened a cell that was blocked
  choose?: { does: string; cell: (row: number, col: number) => void }; // what a click, Enter and Space do
  value?: (row: number, col: number) => string; // text for the readout instead of the number
  short?: (row: number, col: number) => string; // text for the cell instead of the number
  letters?: number; // of `short`, at most; by default, as many as a number may have
  square?: boolean; // cells are as high as they are wide
  roomFor?: number; // columns: cells are as wide as if there were so many
  fade?: boolean; // false: rows of padding are not faded
  plain?: boolean; // no legend and no button; the caller adds them
  unscaled?: boolean; // no legend, because its numbers are no amounts
  readout?: ReadoutSignal; // if several maps share one; the caller adds the Readout
  enlarged?: Signal<boolean>; // if several maps share a button
  numbersShown?: Signal<boolean>; // if several maps share a legend: set by whether cells are large enough for numbers
  moved?: (row: number, col: number) => void; // told where the cursor is, whenever the reader moves it
  link?: MapLink; // if it belongs to a step whose numbers are explained
}

const isLarge = ({ rows, cols }: Cells) => cols > 12 || rows > 40;

/// The drawing, which follows the properties, and the elements that it needs.
function useMap(props: HeatMapProps, readout: ReadoutSignal, isEnlarged: boolean, numbersShown: Signal<boolean>) {
  const view = useRef<HTMLDivElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useMemo(() => new MapView(), []);
  const dark = darkMode.value; // drawn again when it changes

  useLayoutEffect(() => {
    map.attach(view.current!, sheet.current!, canvas.current!);
    return () => map.detach();
  }, []);
  useLayoutEffect(
    () =>
      map.show({
        ...props,
        fade: props.fade ?? true,
        readout,
        namesReadout: !!props.readout,
        enlarged: isEnlarged,
        numbersShown,
      }),
    [props, dark, isEnlarged],
  );
  const { link, matrix } = props;
  useLayoutEffect(() => link && followLink(map, link), [link?.pointing, link?.tensor, link?.firstRow, matrix.rows]);
  return { map, view, sheet, canvas };
}

export function HeatMap(props: HeatMapProps) {
  const { name, matrix, scale, plain, unscaled, choose } = props;
  const ownReadout = useReadout();
  const ownEnlarged = useSignal(false);
  const ownNumbersShown = useSignal(false);
  const readout = props.readout ?? ownReadout;
  const enlarged = props.enlarged ?? ownEnlarged;
  const numbersShown = props.numbersShown ?? ownNumbersShown;
  const isEnlarged = enlarged.value;
  const { map, view, sheet, canvas } = useMap(props, readout, isEnlarged, numbersShown);
  const label = `${name}, ${plural(matrix.rows, "row")}, ${plural(matrix.cols, "column")}.`;
  return (
    <div class="heat-map">
      <div
        ref={view}
        class={isEnlarged ? "heat-map-view enlarged" : "heat-map-view"}
        tabIndex={0}
        role="application"
        aria-roledescription="heat map"
        aria-label={`${label} The arrow keys move the cursor.${choose ? ` Enter ${choose.does}.` : ""}`}
        onPointerMove={(event) => event.pointerType !== "touch" && map.pointAt(event)}
        onPointerLeave={() => map.pointAt(null)}
        onClick={(event) => map.tap(event)}
        onFocus={() => map.focus()}
        onKeyDown={(event) => map.pressKey(event)}
        onScroll={() => map.scrolled()}
      >
        <div ref={sheet} class="sheet">
          <canvas ref={canvas} aria-hidden="true" />
        </div>
      </div>
      {!plain && (
        <div class="heat-map-foot">
          {!unscaled && <ScaleLegend {...{ scale, numbersShown }} />}
          {isLarge(matrix) && <EnlargeButton enlarged={enlarged} />}
        </div>
      )}
      {!props.readout && <Readout reading={readout} />}
    </div>
  );
}
