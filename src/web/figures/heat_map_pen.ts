// What all parts of a heat map's drawing share.
import type { Layout } from "./heat_map_layout";
import type { Palette } from "./palette";

export interface Pen extends Layout {
  context: CanvasRenderingContext2D;
  palette: Palette;
  width: number; // of the canvas
  height: number;
  left: number; // how far the map is scrolled
  top: number;
}

/// The visible rows and columns, [first, one past the last].
export interface Visible {
  rows: [number, number];
  cols: [number, number];
}

export type Rectangle = [x: number, y: number, width: number, height: number];

const LEAST = 8; // pixels: smaller outlines are widened

/// Left, top, width and height of a cell in whole pixels, so that no seams show.
export function cellBox(
  { gutter, header, cellWidth, cellHeight, left, top }: Pen,
  row: number,
  col: number,
): Rectangle {
  const [x, y] = [gutter - left, header - top];
  const [x0, x1] = [Math.round(x + col * cellWidth), Math.round(x + (col + 1) * cellWidth)];
  const [y0, y1] = [Math.round(y + row * cellHeight), Math.round(y + (row + 1) * cellHeight)];
  return [x0, y0, Math.max(1, x1 - x0), Math.max(1, y1 - y0)];
}

/// A line with a rim in the colour of the paper, which stands out from any cell.
export function outline(
  { context, palette }: Pen,
  [x, y, width, height]: Rectangle,
  colour: string,
  thickness: number,
  dashes: number[],
): void {
  const [wider, higher] = [Math.max(0, (LEAST - width) / 2), Math.max(0, (LEAST - height) / 2)];
  const box: Rectangle = [x - wider, y - higher, width + 2 * wider, height + 2 * higher];
  context.strokeStyle = palette.paper;
  context.lineWidth = 2 * thickness;
  context.strokeRect(...box);
  context.strokeStyle = colour;
  context.lineWidth = thickness;
  context.setLineDash(dashes);
  context.strokeRect(...box);
  context.setLineDash([]);
}
