// Matrices of the trace. Their numbers stay packed until somebody asks for the first of them.

/// Three bytes a number, big-endian: the upper 24 bits of a float32. Four characters of base64 each.
function unpack(base64) {
  const bytes = atob(base64);
  const numbers = new Float32Array(bytes.length / 3);
  const bits = new Uint32Array(numbers.buffer);
  for (let i = 0; i < bits.length; ++i) {
    const [high, middle, low] = [bytes.charCodeAt(3 * i), bytes.charCodeAt(3 * i + 1), bytes.charCodeAt(3 * i + 2)];
    bits[i] = (high << 24) | (middle << 16) | (low << 8);
  }
  return numbers;
}

function decode(json) {
  if (json.packed !== undefined) return unpack(json.packed);
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
  }

  get numbers() {
    this.#numbers ??= decode(this.#json);
    return this.#numbers;
  }

  at(row, col) {
    return this.numbers[row * this.cols + col];
  }

  /// Smallest, largest, and largest without its sign, of the finite numbers.
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

  /// `count` rows from `first` on, seen as a matrix.
  rowsFrom(first, count) {
    return { rows: count, cols: this.cols, at: (row, col) => this.at(first + row, col) };
  }
}
