// Reads packed numbers: the upper bits of floats as text. src/page/packed_numbers.hpp describes the format.
import type { MatrixJson } from "./types";

const DIGITS = "!#$%)*+,-./0123456789:;?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
const BASE = DIGITS.length;
const ZERO = BASE - 2;
const OTHER = BASE - 1;
const DIGIT_OF_LETTER = new Uint8Array(128);
[...DIGITS].forEach((letter, digit) => (DIGIT_OF_LETTER[letter.charCodeAt(0)] = digit));

export function unpack({ rows, cols, packed = "", letters = 3, exponent: least = 0 }: MatrixJson): Float32Array {
  const [mantissaBits, exponents] = letters === 3 ? [15, 9] : [9, 7];
  const words = new Uint32Array(rows * cols); // zeros
  let at = 0;
  const digits = (count: number) => {
    let number = 0;
    for (const end = at + count; at < end; ++at) number = BASE * number + DIGIT_OF_LETTER[packed.charCodeAt(at)]!;
    return number;
  };
  for (let i = 0; i < words.length; ++i) {
    const first = DIGIT_OF_LETTER[packed.charCodeAt(at)]!;
    if (first === ZERO) {
      ++at;
    } else if (first === OTHER) {
      ++at;
      words[i] = digits(letters + 1) << (23 - mantissaBits);
    } else {
      const code = digits(letters);
      const upper = code >> mantissaBits;
      const sign = upper < exponents ? 0 : 1;
      const exponent = least + upper - sign * exponents;
      const mantissa = code & ((1 << mantissaBits) - 1);
      words[i] = (sign << 31) | (exponent << 23) | (mantissa << (23 - mantissaBits));
    }
  }
  return new Float32Array(words.buffer);
}
