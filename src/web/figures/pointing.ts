// What the reader points at in a step: one number of the output, which is explained, and through it the cells of the
// inputs that it was computed from. The step's heat maps and its formula share it.
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { explainNumber, type Explanation } from "../trace/terms/explain";
import type { CellRef } from "../trace/terms/expression";
import type { Trace } from "../trace/trace";
import type { StepJson } from "../trace/types";

export class Pointing {
  readonly step: StepJson;
  /// The number that is explained: the one under the pointer, else the one chosen, else the last one pointed at.
  readonly explained: Signal<CellRef | null>;
  readonly explanation: ReadonlySignal<Explanation | undefined>;
  /// The number of the output that the reader chose by key or tap.
  readonly pinned: Signal<CellRef | null>;
  /// The cell of the formula's number under the pointer or with the focus.
  readonly emphasised = signal<CellRef | null>(null);
  /// A cell of an input that gets the cursor and the focus, as soon as a map shows it.
  readonly asked = signal<CellRef | null>(null);

  /// `chosen`: the cell chosen last in any map of the walk. If it belongs to the output, because the reader has come from
  /// a step that reads it, it is explained at once.
  constructor(
    readonly trace: Trace,
    number: number,
    readonly chosen: Signal<CellRef | null>,
  ) {
    this.step = trace.step(number);
    const cell = chosen.peek();
    const { rows, cols } = trace.matrix(this.step.output);
    const fits = cell !== null && this.#isOutput(cell) && cell.row < rows && cell.col < cols;
    this.pinned = signal(fits ? cell : null);
    this.explained = signal(this.pinned.peek());
    this.explanation = computed(() => {
      const its = this.explained.value;
      return its ? explainNumber(trace, this.step, its.row, its.col) : undefined;
    });
  }

  #isOutput = ({ tensor }: CellRef): boolean => tensor === this.step.output;

  /// The pointer is over a cell of a map, or has left the map.
  hover(cell: CellRef | null): void {
    if (cell ? this.#isOutput(cell) : this.pinned.peek()) this.explained.value = cell ?? this.pinned.peek();
  }

  /// The reader has moved the cursor of a map.
  choose(cell: CellRef): void {
    this.chosen.value = cell;
    if (this.#isOutput(cell)) this.explained.value = this.pinned.value = cell;
  }

  /// The place of an input among the inputs, without repetition: its outline and its numbers have the same style.
  placeOfInput(tensor: number): number {
    return [...new Set(this.step.inputs.map((input) => input.tensor))].indexOf(tensor);
  }
}

/// The rows of a tensor that a heat map shows, and what the reader points at there.
export interface MapLink {
  pointing: Pointing;
  tensor: number;
  firstRow: number;
}

/// A cell of a map as a cell of its tensor.
export const globalCell = ({ tensor, firstRow }: MapLink, { row, col }: { row: number; col: number }): CellRef => ({
  tensor,
  row: firstRow + row,
  col,
});
