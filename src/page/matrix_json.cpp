#include "glassformer/page/matrix_json.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

/// The upper bits of a float, rounded to nearest, ties to even.
std::uint32_t upper_bits(double number, int count) {
  const auto single = std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(number);
  const auto bits = std::bit_cast<std::uint32_t>(single);
  const int dropped = 32 - count;
  if (!std::isfinite(single)) {
    return bits >> dropped;
  }
  return (bits + (1U << (dropped - 1)) - 1 + (bits >> dropped & 1)) >> dropped;
}

/// Base64 letters (RFC 4648, section 4): three or four per number.
std::string packed(const Matrix<double>& matrix) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr Index kMany = 2048;  // nobody reads this many numbers one by one, and they make up most of a page
  const int letters = matrix.size() > kMany ? 3 : 4;
  std::string text;
  for (Index i = 0; i < matrix.size(); ++i) {
    const std::uint32_t bits = upper_bits(matrix.data()[i], 6 * letters);
    for (int letter = letters; letter-- > 0;) {
      text += kLetters[bits >> 6 * letter & 63];
    }
  }
  return text;
}

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
    json["packed"] = packed(matrix);
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
