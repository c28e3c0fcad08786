#pragma once

#include <nlohmann/json.hpp>

#include "numerics/matrix.hpp"

namespace glassformer {

/// How a matrix is written into JSON.
enum class MatrixForm {
  numbers,  ///< for whoever reads the trace: "numbers", row by row, as short as tells a float; null where not finite
  packed,   ///< for the page: "packed", the upper bits of each float as letters of base64, six bits each: four letters
            ///< a number, to 2^-16 of its size, or three, to 2^-10, in a matrix of more than 2,048 numbers
};

/// An object: "rows", "cols", and the numbers in the given form.
nlohmann::ordered_json matrix_json(const Matrix<double>& matrix, MatrixForm form);

/// Of zeros and ones. packed: "bits", a letter 0 or 1 each.
nlohmann::ordered_json mask_json(const Matrix<std::uint8_t>& mask, MatrixForm form);

}  // namespace glassformer
