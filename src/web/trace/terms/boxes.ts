// The cells that an expression reads, as boxes to outline: a line of cells for a sum, single cells otherwise.
import { partsOf, type CellRef, type Expression } from "./expression";

/// Neighbouring cells of a tensor in one row or one column.
export interface Box {
  tensor: number;
  row: number;
  col: number;
  rows: number;
  cols: number;
}

export const boxOfCell = ({ tensor, row, col }: CellRef): Box => ({ tensor, row, col, rows: 1, cols: 1 });

/// Cells in the order in which a sum reads them, with neighbours joined.
function joined(cells: CellRef[]): Box[] {
  const boxes: Box[] = [];
  for (const cell of cells) {
    const last = boxes.at(-1);
    if (last?.rows === 1 && cell.row === last.row && cell.col === last.col + last.cols) last.cols += 1;
    else if (last?.cols === 1 && cell.col === last.col && cell.row === last.row + last.rows) last.rows += 1;
    else boxes.push(boxOfCell(cell));
  }
  return boxes;
}

class Collector {
  readonly boxes = new Map<string, Box>();
  readonly #named = new Set<Expression>(); // intermediate results, which may occur in every term of a sum

  add(box: Box): void {
    this.boxes.set(Object.values(box).join(), box);
  }

  /// `sum`: the cells of the sum that encloses the expression, by tensor.
  collect(expression: Expression, sum: Map<number, CellRef[]> | null): void {
    if (expression.kind === "cell") {
      const { cell } = expression;
      const its = sum?.get(cell.tensor);
      if (its) its.push(cell);
      else if (sum) sum.set(cell.tensor, [cell]);
      else this.add(boxOfCell(cell));
      return;
    }
    if (expression.kind === "named") {
      if (!this.#named.has(expression)) this.collect(expression.of, null);
      this.#named.add(expression);
      return;
    }
    if (expression.kind !== "sum") {
      for (const part of partsOf(expression)) this.collect(part, sum);
      return;
    }
    const cells = new Map<number, CellRef[]>();
    for (const term of expression.terms) this.collect(term, cells);
    for (const its of cells.values()) joined(its).forEach((box) => this.add(box));
  }
}

/// Without repetition.
export function boxesOf(expressions: Expression[]): Box[] {
  const collector = new Collector();
  for (const expression of expressions) collector.collect(expression, null);
  return [...collector.boxes.values()];
}
