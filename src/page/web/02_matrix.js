// Matrices of the trace. A matrix stays packed until one of its numbers is read.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BITS_OF_LETTER = new Map([...LETTERS].map((letter, bits) => [letter.charCodeAt(0), bits]));

/// A number takes three or four letters of six bits: the upper 18 or 24 bits of a float32.
function unpack(text, letters) {
  const numbers = new Float32Array(text.length / letters);
  const words = new Uint32Array(numbers.buffer);
  for (let i = 0; i < words.length; ++i) {
    let bits = 0;
    for (let k = 0; k < letters; ++k) bits = (bits << 6) | BITS_OF_LETTER.get(text.charCodeAt(letters * i + k));
    words[i] = bits << (32 - 6 * letters);
  }
  return numbers;
}

/// How many letters a packed number takes; undefined if the numbers are not packed.
const lettersOf = ({ packed, rows, cols }) => (packed ? packed.length / (rows * cols) : undefined);

function decode(json) {
  if (json.packed !== undefined) return unpack(json.packed, lettersOf(json));
  if (json.bits !== undefined) return Float32Array.from(json.bits, Number);
  return Float32Array.from(json.numbers, (number) => number ?? NaN);
}

class Matrix {
  #json;
  #numbers = null;
  #range = null;

  constructor(json) {
    this.#json = json;
    this.rows = json.rows;
    this.cols = json.cols;
    this.digits = lettersOf(json) === 3 ? 3 : 5; // as many as packing keeps
  }

  get numbers() {
    this.#numbers ??= decode(this.#json);
    return this.#numbers;
  }

  at(row, col) {
    return this.numbers[row * this.cols + col];
  }

  /// The smallest, the largest, and the largest absolute value of the finite numbers.
  get range() {
    if (this.#range) return this.#range;
    let [least, most] = [Infinity, -Infinity];
    for (const number of this.numbers) {
      if (!Number.isFinite(number)) continue;
      if (number < least) least = number;
      if (number > most) most = number;
    }
    if (least > most) least = most = 0;
    this.#range = { least, most, size: Math.max(-least, most) };
    return this.#range;
  }

  /// `count` rows, starting at row `first`, as a matrix.
  rowsFrom(first, count) {
    return { rows: count, cols: this.cols, digits: this.digits, at: (row, col) => this.at(first + row, col) };
  }
}
