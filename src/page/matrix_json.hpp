#pragma once

#include <nlohmann/json.hpp>

#include "numerics/matrix.hpp"

namespace glassformer {

/// How a matrix is written into JSON.
enum class MatrixForm {
  numbers,  ///< for programs: "numbers", row by row, no longer than a float needs; null where not finite
  packed,   ///< for the page: "packed", the upper bits of each float in base64. Four letters for each number, which
            ///< keep 2^-16 of its size, or three (2^-10) in a matrix of more than 2,048 numbers
};

/// An object: "rows", "cols", and the numbers in the given form.
nlohmann::ordered_json matrix_json(const Matrix<double>& matrix, MatrixForm form);

/// The same of zeros and ones. Packed, it holds "bits": a letter 0 or 1 for each.
nlohmann::ordered_json mask_json(const Buffer<std::uint8_t>& mask, MatrixForm form);

}  // namespace glassformer
