#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "glassformer/page/matrix_json.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Unpacks one number as the page does: each letter gives six bits of a float, and the remaining bits are 0.
float unpacked(const std::string& text, std::size_t number, std::size_t count = 4) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t value = letters.find(text.at(count * number + i));
    REQUIRE(value < 64);
    bits = bits << 6 | static_cast<std::uint32_t>(value);
  }
  return std::bit_cast<float>(bits << (32 - 6 * count));
}

float packed_and_unpacked(double number) {
  const auto json = matrix_json(Matrix<double>::Constant(1, 1, number), MatrixForm::packed);
  return unpacked(json.at("packed").get<std::string>(), 0);
}

double of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_CASE("Numbers are packed into 24 bits, with a relative error of at most 2^-16", "[page]") {
  RandomValues random(1);
  Matrix<double> numbers(13, 7);
  for (Index i = 0; i < numbers.size(); ++i) {
    numbers.data()[i] = random.number() * std::pow(10.0, random.number(-30, 30));
  }
  const auto json = matrix_json(numbers, MatrixForm::packed);
  CHECK(json.at("rows") == 13);
  CHECK(json.at("cols") == 7);
  CHECK_FALSE(json.contains("numbers"));
  const auto text = json.at("packed").get<std::string>();
  REQUIRE(text.size() == 4 * 13 * 7);
  for (Index i = 0; i < numbers.size(); ++i) {
    const double number = numbers.data()[i];  // row by row
    CHECK(std::abs(unpacked(text, static_cast<std::size_t>(i)) - number) <= 0x1.01p-16 * std::abs(number));
  }
}

TEST_CASE("Numbers of large matrices are packed into 18 bits, with a relative error of at most 2^-10", "[page]") {
  RandomValues random(2);
  Matrix<double> numbers(64, 33);
  for (Index i = 0; i < numbers.size(); ++i) {
    numbers.data()[i] = random.number() * std::pow(10.0, random.number(-30, 30));
  }
  const auto text = matrix_json(numbers, MatrixForm::packed).at("packed").get<std::string>();
  REQUIRE(text.size() == 3 * 64 * 33);
  for (Index i = 0; i < numbers.size(); ++i) {
    const double number = numbers.data()[i];
    CHECK(std::abs(unpacked(text, static_cast<std::size_t>(i), 3) - number) <= 0x1.01p-10 * std::abs(number));
  }
  const Matrix<double> at_the_limit = numbers.leftCols(32);
  CHECK(matrix_json(at_the_limit, MatrixForm::packed).at("packed").get<std::string>().size() == 4 * 64 * 32);
}

TEST_CASE("Packing does not change numbers that fit into 24 bits", "[page]") {
  for (const float number :
       {0.0F, 1.0F, -1.0F, 0.5F, -1.5F, 3.0F, 0x1p-126F, -0x1p-130F, 0x1p127F, kInfinity, -kInfinity}) {
    CAPTURE(number);
    CHECK(packed_and_unpacked(number) == number);
  }
  CHECK(std::signbit(packed_and_unpacked(-0.0)));
  CHECK(std::isnan(packed_and_unpacked(std::numeric_limits<double>::quiet_NaN())));
  CHECK(std::isnan(packed_and_unpacked(-std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("Packing rounds to nearest, halves to even, and can round up to the next exponent or to infinity", "[page]") {
  CHECK(packed_and_unpacked(of_bits(0x3F80007F)) == of_bits(0x3F800000));
  CHECK(packed_and_unpacked(of_bits(0x3F800080)) == of_bits(0x3F800000));
  CHECK(packed_and_unpacked(of_bits(0x3F800081)) == of_bits(0x3F800100));
  CHECK(packed_and_unpacked(of_bits(0x3F800180)) == of_bits(0x3F800200));
  CHECK(packed_and_unpacked(of_bits(0x3FFFFFFF)) == 2.0F);
  CHECK(packed_and_unpacked(-of_bits(0x3FFFFFFF)) == -2.0F);
  CHECK(packed_and_unpacked(std::numeric_limits<float>::max()) == kInfinity);
}

TEST_CASE("In number form, a matrix is written row by row in short decimals, with null for NaN or infinity", "[page]") {
  Matrix<double> numbers(2, 3);
  numbers << 0.1F, -2, 1e-20, std::numeric_limits<double>::quiet_NaN(), kInfinity, 1234567.8;
  const auto json = matrix_json(numbers, MatrixForm::numbers);
  CHECK(json.dump() == R"({"rows":2,"cols":3,"numbers":[0.1,-2.0,1e-20,null,null,1234567.8]})");
}

TEST_CASE("A mask has one character for each cell in packed form, and one number in number form", "[page]") {
  const Buffer<std::uint8_t> mask{{0, 1, 1}, {0, 0, 1}};
  CHECK(mask_json(mask, MatrixForm::packed).dump() == R"({"rows":2,"cols":3,"bits":"011001"})");
  const auto numbers = mask_json(mask, MatrixForm::numbers);
  CHECK(numbers.at("numbers").size() == 6);
  CHECK(numbers.at("numbers").at(1) == 1.0);
  CHECK(numbers.at("numbers").at(3) == 0.0);
}
