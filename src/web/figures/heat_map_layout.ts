// The layout of a heat map: how wide the labels are, how large a cell is, and which cell is under the pointer.
import type { Axis } from "../trace/axes";
import type { MapView, Shown } from "./heat_map_view";
import type { Palette } from "./palette";

export interface Cell {
  row: number;
  col: number;
}

export interface Layout {
  gutter: number; // the width of the row labels
  header: number; // the height of the column labels
  upright: boolean; // the column labels are turned by 90 degrees
  cellWidth: number;
  cellHeight: number;
  total: { width: number; height: number };
}

export const sameCell = (a: Cell | null, b: Cell | null): boolean => a?.row === b?.row && a?.col === b?.col;

const measuring = document.createElement("canvas").getContext("2d")!;

export function widestLabel(axis: Axis, count: number, palette: Palette): number {
  measuring.font = `${palette.fontSize}px ${palette.font}`;
  if (!axis.tokens) return measuring.measureText(axis.short(count - 1)).width;
  let widest = 0;
  for (let i = 0; i < count; ++i) widest = Math.max(widest, measuring.measureText(axis.short(i)).width);
  return widest;
}

/// The height of a cell: its width in a square map, a line of text for a token, otherwise small enough for all rows.
function heightOfCell({ matrix, rows, square, enlarged }: Shown, cellWidth: number, { fontSize }: Palette): number {
  if (enlarged) return Math.ceil(fontSize * 1.9);
  const line = fontSize * 1.45;
  if (square) return Math.max(Math.min(cellWidth, 46), fontSize * 1.2);
  if (matrix.rows <= 40) return matrix.rows === 1 ? 28 : Math.max(line, Math.min(cellWidth, 24));
  if (rows.tokens && matrix.rows <= 64) return line;
  return Math.max(2, 440 / matrix.rows);
}

export function layOut(shown: Shown, width: number, palette: Palette): Layout {
  const { rows, cols } = shown.matrix;
  const room = Math.min(width * 0.3, 150);
  const gutter = rows === 1 && !shown.rows.tokens ? 1 : Math.min(widestLabel(shown.rows, rows, palette), room) + 10;
  const columnLabel = widestLabel(shown.cols, cols, palette);
  const maxWidth = shown.square ? 46 : 64;
  const cellWidth = shown.enlarged
    ? palette.fontSize * 3.9
    : Math.min(maxWidth, (width - gutter - 2) / (shown.roomFor ?? cols));
  const upright = shown.cols.tokens && columnLabel > cellWidth - 4;
  const header = cols === 1 ? 1 : upright ? Math.min(columnLabel, 110) + 10 : palette.fontSize + 8;
  const cellHeight = heightOfCell(shown, cellWidth, palette);
  const total = { width: Math.ceil(gutter + cols * cellWidth + 2), height: Math.ceil(header + rows * cellHeight + 2) };
  return { gutter, header, upright, cellWidth, cellHeight, total };
}

/// The cell under the pointer, or null.
export function cellAt({ layout, element, shown }: MapView, event: MouseEvent): Cell | null {
  if (!layout) return null;
  const box = element.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  if (x < layout.gutter || y < layout.header) return null;
  const col = Math.floor((x + element.scrollLeft - layout.gutter) / layout.cellWidth);
  const row = Math.floor((y + element.scrollTop - layout.header) / layout.cellHeight);
  return row < shown.matrix.rows && col < shown.matrix.cols ? { row, col } : null;
}

/// Scrolls an enlarged map so that a cell is visible.
export function scrollToShow({ layout, element }: MapView, { row, col }: Cell): void {
  if (!layout) return;
  const { gutter, header, cellWidth, cellHeight } = layout;
  const [x, y] = [col * cellWidth, row * cellHeight];
  const [roomX, roomY] = [element.clientWidth - gutter - cellWidth, element.clientHeight - header - cellHeight];
  element.scrollLeft = Math.max(Math.min(element.scrollLeft, x), x - roomX);
  element.scrollTop = Math.max(Math.min(element.scrollTop, y), y - roomY);
}

/// How many columns (rows) apart labels must be so that they do not touch.
export function labelStride(count: number, cellSize: number, labelSize: number): number {
  const stride = [1, 2, 4, 8, 16, 32, 64, 128, 256].find((step) => step * cellSize >= labelSize);
  return stride ?? count;
}
