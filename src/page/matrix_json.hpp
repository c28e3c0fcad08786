#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// How a matrix is written into JSON.
enum class MatrixForm {
  numbers,  ///< for programs: "numbers", row by row, with as few digits as a float needs; null if not finite
  packed,   ///< for the page: "packed", as PackedNumbers, with its "letters" and "exponent"
  address,  ///< for a page that reads the program's memory: where the numbers are, "doubles" or "floats"
};

/// An object with "rows", "cols" and the numbers in the given form.
nlohmann::ordered_json matrix_json(const Matrix<double>& matrix, MatrixForm form);
nlohmann::ordered_json matrix_json(const Matrix<float>& matrix, MatrixForm form);
/// The same for a matrix of zeros and ones. In packed form it has "bits": one character, 0 or 1, for each cell.
nlohmann::ordered_json mask_json(const Buffer<std::uint8_t>& mask, MatrixForm form);

}  // namespace glassformer
