#include "glassformer/page/matrix_json.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "glassformer/page/packed_numbers.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

/// The shortest decimal that is closer to this float than to any other: 0.1, not 0.100000001.
Json short_number(double number) {
  if (!std::isfinite(number)) {
    return nullptr;
  }
  char text[64] = {};
  std::to_chars(text, text + sizeof text - 1, static_cast<float>(number));
  return std::strtod(text, nullptr);
}

}  // namespace

Json matrix_json(const Matrix<double>& matrix, MatrixForm form) {
  Json json{{"rows", matrix.rows()}, {"cols", matrix.cols()}};
  if (form == MatrixForm::packed) {
    const PackedNumbers packed = pack(matrix);
    json["letters"] = packed.letters;
    json["exponent"] = packed.exponent;
    json["packed"] = packed.text;
  } else if (form == MatrixForm::address) {
    json["doubles"] = std::bit_cast<std::uintptr_t>(matrix.data());
  } else {
    auto& numbers = json["numbers"] = Json::array();
    for (Index i = 0; i < matrix.size(); ++i) {
      numbers.push_back(short_number(matrix.data()[i]));
    }
  }
  return json;
}

Json matrix_json(const Matrix<float>& matrix, MatrixForm form) {
  if (form != MatrixForm::address) {
    return matrix_json(Matrix<double>(matrix.cast<double>()), form);
  }
  return {{"rows", matrix.rows()}, {"cols", matrix.cols()}, {"floats", std::bit_cast<std::uintptr_t>(matrix.data())}};
}

Json mask_json(const Buffer<std::uint8_t>& mask, MatrixForm form) {
  if (form == MatrixForm::numbers) {
    return matrix_json(Matrix<double>(mask.eigen().cast<double>()), form);
  }
  std::string bits;
  for (Index i = 0; i < mask.rows(); ++i) {
    for (const std::uint8_t bit : mask.row(i)) {
      bits += bit != 0 ? '1' : '0';
    }
  }
  return {{"rows", mask.rows()}, {"cols", mask.cols()}, {"bits", bits}};
}

}  // namespace glassformer
