#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "glassformer/page/packed_numbers.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Reads digits in base 86.
class Digits {
 public:
  explicit Digits(const std::string& text) : text_(text) {}
  bool at_end() const { return at_ == text_.size(); }
  std::uint32_t next(std::uint32_t count = 1) {
    static const std::string letters =
        "!#$%)*+,-./0123456789:;?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
    std::uint32_t number = 0;
    for (; count > 0; --count) {
      const std::size_t digit = letters.find(text_.at(at_++));
      REQUIRE(digit < 86);
      number = number * 86 + static_cast<std::uint32_t>(digit);
    }
    return number;
  }
  void back() { --at_; }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

/// Unpacks numbers as the page does.
std::vector<float> unpacked(const PackedNumbers& packed) {
  const std::uint32_t mantissa_bits = packed.letters == 3 ? 15 : 9;
  const std::uint32_t exponents = packed.letters == 3 ? 9 : 7;
  std::vector<float> numbers;
  for (Digits digits(packed.text); !digits.at_end();) {
    const std::uint32_t first = digits.next();
    std::uint32_t bits = 0;
    if (first == 85) {
      bits = digits.next(packed.letters + 1);
    } else if (first != 84) {
      digits.back();
      const std::uint32_t code = digits.next(packed.letters);
      const std::uint32_t upper = code >> mantissa_bits;
      const std::uint32_t sign = upper / exponents;
      const std::uint32_t exponent = packed.exponent + upper % exponents;
      bits = (sign << 8 | exponent) << mantissa_bits | (code & ((1U << mantissa_bits) - 1));
    }
    numbers.push_back(std::bit_cast<float>(bits << (23 - mantissa_bits)));
  }
  return numbers;
}

float packed_and_unpacked(double number) { return unpacked(pack(Matrix<double>::Constant(1, 1, number))).at(0); }

double of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Numbers of very different sizes, and zeros.
Matrix<double> wild_numbers(Index rows, Index cols) {
  RandomValues random(1);
  Matrix<double> numbers(rows, cols);
  for (Index i = 0; i < numbers.size(); ++i) {
    numbers.data()[i] = i % 5 == 0 ? 0 : random.number() * std::pow(10.0, random.number(-30, 30));
  }
  return numbers;
}

/// Checks that packing changes no number by more than this fraction of it.
void check_error(const Matrix<double>& numbers, double fraction) {
  const std::vector<float> found = unpacked(pack(numbers));
  REQUIRE(std::ssize(found) == numbers.size());
  for (Index i = 0; i < numbers.size(); ++i) {
    const double number = numbers.data()[i];  // row by row
    CHECK(std::abs(found[static_cast<std::size_t>(i)] - number) <= 1.01 * fraction * std::abs(number));
  }
}

}  // namespace

TEST_CASE("Packed numbers have 24 bits, with a relative error of at most 2^-16", "[page]") {
  check_error(wild_numbers(13, 7), 0x1p-16);
  check_error(wild_numbers(64, 32), 0x1p-16);
}

TEST_CASE("Packed numbers of large matrices have 18 bits, with a relative error of at most 2^-10", "[page]") {
  check_error(wild_numbers(64, 33), 0x1p-10);
}

TEST_CASE("A number of the commonest exponents takes three letters, or two in a large matrix; 0 takes one", "[page]") {
  for (const auto& [rows, letters, exponents] : {std::tuple(1, 3, 9), std::tuple(100, 2, 7)}) {
    Matrix<double> numbers(rows * 3, exponents);
    for (Index i = 0; i < numbers.size(); ++i) {
      numbers.data()[i] = std::ldexp(i % 2 == 0 ? 1.0 : -1.9375, static_cast<int>(i % exponents) - 20);
    }
    check_error(numbers, 0);
    CHECK(std::ssize(pack(numbers).text) == letters * numbers.size());
    CHECK(pack(numbers).exponent == 127 - 20);
    numbers(0, 3) = std::ldexp(1.0, exponents - 20);  // just too large
    numbers(1, 4) = 0;
    check_error(numbers, 0);
    CHECK(std::ssize(pack(numbers).text) == letters * (numbers.size() - 2) + (1 + letters + 1) + 1);
  }
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
