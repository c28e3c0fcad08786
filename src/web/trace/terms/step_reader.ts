// What the rules read: the inputs of a step, by the names that its equation uses.
import { range } from "../../base/numbers";
import { sideOfTerm } from "../axes";
import type { Side, Trace } from "../trace";
import type { StepJson } from "../types";
import type { CellNumber } from "./expression";

/// A matrix of the step.
export class Operand {
  readonly rows: number;
  readonly cols: number;

  constructor(
    readonly trace: Trace,
    readonly tensor: number,
  ) {
    const { rows, cols } = trace.matrix(tensor);
    this.rows = rows;
    this.cols = cols;
  }

  number(row: number, col: number): number {
    return this.trace.matrix(this.tensor).at(row, col);
  }

  at(row: number, col: number): CellNumber {
    const { digits } = this.trace.matrix(this.tensor);
    return { kind: "cell", cell: { tensor: this.tensor, row, col }, value: this.number(row, col), digits };
  }

  /// The cells of a row, or of its columns from `first` to `first + count`.
  row(row: number, first = 0, count = this.cols): CellNumber[] {
    return range(count).map((i) => this.at(row, first + i));
  }

  col(col: number, first = 0, count = this.rows): CellNumber[] {
    return range(count).map((i) => this.at(first + i, col));
  }

  /// If its axis of tokens is cut: how many tokens of the vocabulary are left out.
  get tokensLeftOut(): number {
    const { ids, vocabulary } = this.trace.tensor(this.tensor);
    return ids ? vocabulary! - ids.length : 0;
  }

  /// Where the token with this id is on its axis of tokens; -1 if it is left out.
  placeOfId(id: number): number {
    const { ids } = this.trace.tensor(this.tensor);
    return ids ? ids.indexOf(id) : id;
  }

  idAt(place: number): number {
    return this.trace.tensor(this.tensor).ids?.[place] ?? place;
  }
}

/// An id of a batch, and its place in the matrix of ids [B, length].
export interface TokenAt {
  id: number;
  isPad: boolean;
  token: string;
  cell: CellNumber;
}

export class StepReader {
  constructor(
    readonly trace: Trace,
    readonly step: StepJson,
  ) {}

  get model() {
    return this.trace.json.model;
  }

  get output(): Operand {
    return new Operand(this.trace, this.step.output);
  }

  input(name: string): Operand {
    const input = this.step.inputs.find((one) => one.name === name);
    if (!input) throw new Error(`the step "${this.step.equation}" has no input ${name}`);
    return new Operand(this.trace, input.tensor);
  }

  /// The old value of what a step with "+=" adds to. Without one, it was 0.
  get soFar(): Operand | null {
    const input = this.step.inputs.find(({ name }) => name.endsWith(" so far"));
    return input ? new Operand(this.trace, input.tensor) : null;
  }

  /// Token n of the batch, in row n of a matrix of tokens. `name` is that of the matrix of ids: "id" or "expected".
  tokenAt(name: "id" | "expected", n: number): TokenAt {
    const ids = this.input(name);
    const [sentence, position] = [Math.floor(n / ids.cols), n % ids.cols];
    const side = this.#sideOf(name, ids);
    const token = side.token(sentence, position);
    return {
      id: side.id(sentence, position),
      isPad: side.isPad(sentence, position),
      token,
      cell: ids.at(sentence, position),
    };
  }

  #sideOf(name: string, ids: Operand): Side {
    const colTerm = this.trace.tensor(ids.tensor).axes.split(", ")[1] ?? "";
    return sideOfTerm(this.trace, colTerm, name);
  }
}
