// The labels of a heat map's rows and columns.
import { labelStride, widestLabel } from "./heat_map_layout";
import { cellBox, type Pen, type Visible } from "./heat_map_pen";
import type { Shown } from "./heat_map_view";

function labelStyle({ context, palette }: Pen, pad: boolean, size = palette.fontSize): void {
  context.fillStyle = pad ? palette.faint : palette.ink;
  context.font = `${pad ? "italic " : ""}${size}px ${palette.font}`;
}

export function drawRowLabels({ matrix, rows }: Shown, pen: Pen, visible: Visible): void {
  if (pen.gutter < 8) return;
  const stride = labelStride(matrix.rows, pen.cellHeight, pen.palette.fontSize * (rows.tokens ? 1 : 1.5));
  pen.context.textAlign = "right";
  for (let row = visible.rows[0]; row < visible.rows[1]; ++row) {
    if (row % stride !== 0) continue;
    const [, y, , height] = cellBox(pen, row, 0);
    if (y + height / 2 < pen.header) continue;
    labelStyle(pen, rows.pad(row));
    pen.context.fillText(shorten(pen, rows.short(row), pen.gutter - 8), pen.gutter - 6, y + height / 2 + 0.5);
  }
}

export function drawColumnLabels({ matrix, cols }: Shown, pen: Pen, visible: Visible): void {
  if (matrix.cols === 1) return;
  const widest = cols.tokens ? 0 : widestLabel(cols, matrix.cols, pen.palette) + 8;
  const stride = labelStride(matrix.cols, pen.cellWidth, widest);
  for (let col = visible.cols[0]; col < visible.cols[1]; ++col) {
    if (col % stride !== 0) continue;
    const [x, , width] = cellBox(pen, 0, col);
    if (x + width / 2 < pen.gutter) continue;
    labelStyle(pen, cols.pad(col), pen.upright ? Math.min(pen.palette.fontSize, pen.cellWidth) : undefined);
    if (pen.upright) writeUpright(pen, shorten(pen, cols.short(col), pen.header - 8), x + width / 2);
    else writeAbove(pen, cols.short(col), x + width / 2);
  }
}

function writeAbove(pen: Pen, text: string, x: number): void {
  const half = pen.context.measureText(text).width / 2;
  pen.context.textAlign = "center";
  pen.context.fillText(text, Math.min(x, pen.width - half - 1), pen.header / 2);
}

function writeUpright(pen: Pen, text: string, x: number): void {
  pen.context.save();
  pen.context.translate(x, pen.header - 6);
  pen.context.rotate(-Math.PI / 2);
  pen.context.textAlign = "left";
  pen.context.fillText(text, 0, 0);
  pen.context.restore();
}

function shorten({ context }: Pen, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > room) letters.pop();
  return `${letters.join("")}…`;
}
