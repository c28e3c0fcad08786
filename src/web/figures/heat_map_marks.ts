// Outlines in a heat map: the cells that the explained number was computed from, and the cell of a number in the formula.
import type { Box } from "../trace/terms/boxes";
import type { Cell } from "./heat_map_layout";
import { cellBox, outline, type Pen } from "./heat_map_pen";
import { dashesOf } from "./input_style";
import type { MapLink } from "./pointing";

/// In the rows and columns of the map.
export interface Marks {
  boxes: Box[];
  cell: Cell | null;
  input: number; // -1: the map shows the output
}

export const NO_MARKS: Marks = { boxes: [], cell: null, input: -1 };

/// What a map of `rows` rows outlines now. Reads signals.
export function marksOf({ pointing, tensor, firstRow }: MapLink, rows: number): Marks {
  const boxes = (pointing.explanation.value?.boxes ?? [])
    .filter((box) => box.tensor === tensor && box.row + box.rows > firstRow && box.row < firstRow + rows)
    .map((box) => {
      const [from, to] = [Math.max(box.row, firstRow), Math.min(box.row + box.rows, firstRow + rows)];
      return { ...box, row: from - firstRow, rows: to - from };
    });
  const emphasised = pointing.emphasised.value;
  const cell = emphasised?.tensor === tensor ? { row: emphasised.row - firstRow, col: emphasised.col } : null;
  const isShown = cell !== null && cell.row >= 0 && cell.row < rows;
  return { boxes, cell: isShown ? cell : null, input: pointing.placeOfInput(tensor) };
}

export function drawMarks(pen: Pen, { boxes, cell, input }: Marks): void {
  const { ink, accent } = pen.palette;
  for (const { row, col, rows, cols } of boxes) {
    const [x, y] = cellBox(pen, row, col);
    const [lastX, lastY, width, height] = cellBox(pen, row + rows - 1, col + cols - 1);
    outline(pen, [x, y, lastX + width - x, lastY + height - y], input < 0 ? accent : ink, 2, dashesOf(input));
  }
  if (cell) outline(pen, cellBox(pen, cell.row, cell.col), accent, 3.5, []);
}
