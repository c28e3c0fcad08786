// Matrices of the trace, whatever form their numbers have. A packed matrix stays packed until one of its numbers is read.
import type { MatrixJson } from "./types";

/// What a figure needs to show a matrix. `digits`: how many digits of its numbers mean something; by default, six.
export interface Cells {
  readonly rows: number;
  readonly cols: number;
  readonly digits?: number;
  at(row: number, col: number): number;
}

/// The smallest, the largest, and the largest absolute value of the finite numbers.
export interface Extent {
  least: number;
  most: number;
  size: number;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BITS_OF_LETTER = new Uint8Array(128);
[...LETTERS].forEach((letter, bits) => (BITS_OF_LETTER[letter.charCodeAt(0)] = bits));

/// A number takes three or four letters of six bits: the upper 18 or 24 bits of a float32.
function unpack(text: string, letters: number): Float32Array {
  const numbers = new Float32Array(text.length / letters);
  const words = new Uint32Array(numbers.buffer);
  for (let i = 0; i < words.length; ++i) {
    let bits = 0;
    for (let k = 0; k < letters; ++k) bits = (bits << 6) | BITS_OF_LETTER[text.charCodeAt(letters * i + k)]!;
    words[i] = bits << (32 - 6 * letters);
  }
  return numbers;
}

/// How many letters a packed number takes; 0 if the numbers are not packed.
const lettersOf = ({ packed, rows, cols }: MatrixJson): number => (packed ? packed.length / (rows * cols) : 0);

function decode(json: MatrixJson): Float32Array {
  if (json.packed !== undefined) return unpack(json.packed, lettersOf(json));
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
    this.digits = lettersOf(json) === 3 ? 3 : 5; // as many as packing keeps
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
