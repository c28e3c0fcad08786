// Matrices of the trace, whatever form their numbers have. A packed matrix stays packed until one of its numbers is read.
import { unpack } from "./packed_numbers";
import type { MatrixJson } from "./types";

/// What a figure needs to show a matrix. `digits`: how many digits of its numbers mean something; by default, six.
export interface Cells {
  readonly rows: number;
  readonly cols: number;
  readonly digits?: number;
  at(row: number, col: number): number;
}

/// The smallest, the largest, and the largest absolute value of the finite numbers.
interface Extent {
  least: number;
  most: number;
  size: number;
}

function decode(json: MatrixJson): Float32Array {
  if (json.packed !== undefined) return unpack(json);
  if (json.bits !== undefined) return Float32Array.from(json.bits, Number);
  if (json.numbers instanceof Float32Array) return json.numbers; // not copied
  return Float32Array.from(json.numbers ?? [], (number) => number ?? NaN);
}

export class Matrix implements Cells {
  readonly rows: number;
  readonly cols: number;
  readonly digits: number;
  #json: MatrixJson;
  #numbers: Float32Array | null = null;
  #extent: Extent | null = null;

  constructor(json: MatrixJson) {
    this.#json = json;
    this.rows = json.rows;
    this.cols = json.cols;
    this.digits = json.letters === 2 ? 3 : 5; // as many as packing keeps
  }

  /// Row by row.
  get numbers(): Float32Array {
    this.#numbers ??= decode(this.#json);
    return this.#numbers;
  }

  at(row: number, col: number): number {
    return this.numbers[row * this.cols + col]!;
  }

  get extent(): Extent {
    this.#extent ??= extentOf(this.numbers);
    return this.#extent;
  }

  /// `count` rows, starting at row `first`, as a matrix.
  rowsFrom(first: number, count: number): Cells {
    return { rows: count, cols: this.cols, digits: this.digits, at: (row, col) => this.at(first + row, col) };
  }
}

function extentOf(numbers: Float32Array): Extent {
  let [least, most] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (!Number.isFinite(number)) continue;
    if (number < least) least = number;
    if (number > most) most = number;
  }
  if (least > most) least = most = 0;
  return { least, most, size: Math.max(-least, most) };
}

export const sameNumbers = (a: Matrix, b: Matrix): boolean =>
  a.numbers.length === b.numbers.length && a.numbers.every((number, i) => Object.is(number, b.numbers[i]));
