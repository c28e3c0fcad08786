// Draws a heat map on its canvas. The canvas is as large as the visible part. When an enlarged map scrolls, it is
// redrawn, and its labels stay in place. When only the cursor or the outlines change, the picture of the cells is reused.
import { formatCell } from "../base/numbers";
import { hatchKind } from "../trace/reasons";
import { hatching, type Hatching } from "./hatching";
import { drawColumnLabels, drawRowLabels } from "./heat_map_labels";
import type { Layout } from "./heat_map_layout";
import { drawMarks } from "./heat_map_marks";
import { cellBox, outline, type Pen, type Rectangle, type Visible } from "./heat_map_pen";
import type { MapView } from "./heat_map_view";
import { brightness, colourText, shadeOf, type Colour, type Palette } from "./palette";
import { powerOf } from "./scale";

const LATER = 0.4; // how strong the hatching is of cells that a later step blocks
const NUMBERS_FIT = { width: 34, height: 17 };

/// The cells and labels of a map, without the cursor and the outlines.
export interface Picture {
  canvas: HTMLCanvasElement;
  pen: Pen; // that draws on the map's canvas
}

/// Draws on `canvas`, which may have an earlier picture.
export function drawPicture(map: MapView, layout: Layout, palette: Palette, canvas: HTMLCanvasElement): Picture {
  const { element, shown } = map;
  const width = shown.enlarged ? element.clientWidth : layout.total.width;
  const height = shown.enlarged ? Math.min(element.clientHeight, layout.total.height) : layout.total.height;
  const context = sizedContext(canvas, width, height);
  const pen: Pen = { context, palette, width, height, ...layout, left: element.scrollLeft, top: element.scrollTop };
  const visible = visibleCells(map, pen);
  withinCells(pen, () => drawCells(map, pen, visible));
  drawRowLabels(shown, pen, visible);
  drawColumnLabels(shown, pen, visible);
  map.canvas.style.width = `${width}px`;
  map.canvas.style.height = `${height}px`;
  return { canvas, pen: { ...pen, context: sizedContext(map.canvas, width, height) } };
}

/// The context of an empty canvas. A canvas that has its size already keeps its memory.
function sizedContext(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const [columns, lines] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns) canvas.width = columns;
  if (canvas.height !== lines) canvas.height = lines;
  const context = canvas.getContext("2d")!;
  context.resetTransform();
  context.clearRect(0, 0, columns, lines);
  context.scale(ratio, ratio);
  context.textBaseline = "middle";
  return context;
}

/// Draws in the area of the cells only, not on the labels.
function withinCells({ context, gutter, header, width, height }: Pen, draw: () => void): void {
  context.save();
  context.beginPath();
  context.rect(gutter, header, width - gutter, height - header);
  context.clip();
  draw();
  context.restore();
}

/// Shows a picture with the outlines and the cursor.
export function showPicture(map: MapView, { canvas, pen }: Picture): void {
  const { context, width, height } = pen;
  context.clearRect(0, 0, width, height);
  context.drawImage(canvas, 0, 0, width, height);
  const cell = map.hover ?? (map.isCursorShown() ? map.cursor : null);
  withinCells(pen, () => {
    drawMarks(pen, map.marks);
    if (cell) outline(pen, cellBox(pen, cell.row, cell.col), pen.palette.accent, 2.5, []);
  });
}

function visibleCells({ shown }: MapView, pen: Pen): Visible {
  const { gutter, header, width, height, left, top, cellWidth, cellHeight } = pen;
  const { rows, cols } = shown.matrix;
  return {
    rows: [Math.floor(top / cellHeight), Math.min(rows, Math.ceil((top + height - header) / cellHeight))],
    cols: [Math.floor(left / cellWidth), Math.min(cols, Math.ceil((left + width - gutter) / cellWidth))],
  };
}

/// A short text, such as an id, needs less room than a number.
function numbersFit({ shown }: MapView, { cellWidth, cellHeight, palette }: Pen): boolean {
  const width = shown.letters ? shown.letters * palette.fontSize * 0.6 + 4 : NUMBERS_FIT.width;
  return cellWidth >= Math.min(width, NUMBERS_FIT.width) && cellHeight >= NUMBERS_FIT.height;
}

function drawCells(map: MapView, pen: Pen, visible: Visible): void {
  const { context, palette } = pen;
  const { matrix, rows, fade } = map.shown;
  const gap = Math.min(pen.cellWidth, pen.cellHeight) >= 9 ? 1 : 0;
  const withNumbers = numbersFit(map, pen);
  map.shown.numbersShown.value = withNumbers;
  const hatch = hatching(context, palette);
  context.fillStyle = palette.grid;
  const frame: [number, number] = [matrix.cols * pen.cellWidth, matrix.rows * pen.cellHeight];
  context.fillRect(pen.gutter - pen.left - 1, pen.header - pen.top - 1, frame[0] + 2, frame[1] + 2);
  for (let row = visible.rows[0]; row < visible.rows[1]; ++row) {
    for (let col = visible.cols[0]; col < visible.cols[1]; ++col) {
      const [x, y, width, height] = cellBox(pen, row, col);
      const box: Rectangle = [x, y, width - gap, height - gap];
      const colour = drawCell(map, pen, hatch, box, row, col);
      if (withNumbers) writeInCell(map, pen, colour, box, row, col);
    }
    if (fade && rows.pad(row)) fadeRow(map, pen, row);
    if (rows.group && row % rows.group === 0 && row > 0) ruleAbove(map, pen, row);
  }
}

/// Fills one cell and returns its shade, or null if its number is not finite, or is 0 because the cell is blocked.
function drawCell(
  { shown }: MapView,
  { context, palette }: Pen,
  hatch: Hatching,
  box: Rectangle,
  row: number,
  col: number,
): Colour | null {
  const number = shown.matrix.at(row, col);
  const reasons = shown.blocked?.(row, col) ?? [];
  const later = shown.blockedLater !== undefined;
  const hidden = !Number.isFinite(number) || (reasons.length > 0 && number === 0 && !later);
  const shade = hidden ? null : shadeOf(palette, shown.scale, number);
  context.fillStyle = shade ? colourText(shade) : palette.blocked;
  context.fillRect(...box);
  if (reasons.length || hidden) {
    context.fillStyle = hatch(hatchKind(reasons));
    context.globalAlpha = later ? LATER : 1;
    context.fillRect(...box);
    context.globalAlpha = 1;
  } else if (shown.opened?.(row, col)) {
    context.fillStyle = hatch("opened");
    context.fillRect(...box);
  }
  return shade;
}

function writeInCell(
  { shown }: MapView,
  { context, palette }: Pen,
  shade: Colour | null,
  [x, y, width, height]: Rectangle,
  row: number,
  col: number,
): void {
  context.fillStyle = shade ? (brightness(shade) > 0.55 ? palette.onLight : palette.onDark) : palette.ink;
  context.font = `${Math.min(palette.fontSize * 0.92, height * 0.62)}px ${palette.font}`;
  context.textAlign = "center";
  const text = shown.short?.(row, col) ?? formatCell(shown.matrix.at(row, col), powerOf(shown.scale));
  context.fillText(text, x + width / 2, y + height / 2 + 0.5, width - 2);
}

function fadeRow({ shown }: MapView, pen: Pen, row: number): void {
  const [x, y, , height] = cellBox(pen, row, 0);
  pen.context.globalAlpha = pen.palette.fade;
  pen.context.fillStyle = pen.palette.paper;
  pen.context.fillRect(x, y, shown.matrix.cols * pen.cellWidth, height);
  pen.context.globalAlpha = 1;
}

function ruleAbove({ shown }: MapView, pen: Pen, row: number): void {
  const [x, y] = cellBox(pen, row, 0);
  pen.context.fillStyle = pen.palette.ink;
  pen.context.fillRect(x, y - 1, shown.matrix.cols * pen.cellWidth, 1.5);
}
