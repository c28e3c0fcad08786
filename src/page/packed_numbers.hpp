#pragma once

#include <cstdint>
#include <string>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// The numbers of a matrix as text for the page, row by row: the upper 24 bits of each float (precise to 2^-16), or the
/// upper 18 (2^-10) in a matrix of more than 2,048 numbers. They are sign, exponent, and a mantissa of m = 15 or 9
/// bits.
///
/// Each letter of the text is a digit in base 86 (the .cpp file lists them). A number takes one of three forms, where e
/// is its exponent:
///   0                                  the digit 84
///   exponent <= e < exponent + E       `letters` digits of (sign * E + e - exponent) * 2^m + mantissa; E is 9 if m is
///                                      15, and 7 if m is 9, so that the first digit is never 84 or 85
///   otherwise                          the digit 85, then letters + 1 digits of the bits
/// Most numbers of a matrix have similar exponents, so most take `letters` digits: 3 or 2, where base64 takes 4 or 3.
struct PackedNumbers {
  std::uint32_t letters;
  std::uint32_t exponent;  ///< biased, as in a float
  std::string text;
};

/// Packs all numbers of a matrix.
PackedNumbers pack(const Matrix<double>& matrix);

}  // namespace glassformer
