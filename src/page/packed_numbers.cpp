#include "glassformer/page/packed_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

namespace glassformer {
namespace {

/// Printable ASCII without the characters that mean something in JSON, in HTML, or in a link of a style sheet.
constexpr std::string_view kPackedDigits =
    "!#$%)*+,-./0123456789:;?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
constexpr std::uint32_t kBase = 86;
constexpr std::uint32_t kZero = 84;
constexpr std::uint32_t kOther = 85;
static_assert(kPackedDigits.size() == kBase);

struct Precision {
  std::uint32_t letters, mantissa, exponents;
  constexpr std::uint32_t bits() const { return 1 + 8 + mantissa; }
};
constexpr Precision kFine{3, 15, 9};
constexpr Precision kCoarse{2, 9, 7};
static_assert(2 * kFine.exponents << kFine.mantissa <= kZero * kBase * kBase);
static_assert(2 * kCoarse.exponents << kCoarse.mantissa <= kZero * kBase);

/// The upper bits of a float, rounded to nearest, ties to even.
std::uint32_t upper_bits(double number, std::uint32_t count) {
  const auto single = std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(number);
  const auto bits = std::bit_cast<std::uint32_t>(single);
  const std::uint32_t dropped = 32 - count;
  if (!std::isfinite(single)) {
    return bits >> dropped;
  }
  return (bits + (1U << (dropped - 1)) - 1 + (bits >> dropped & 1)) >> dropped;
}

std::uint32_t exponent_of(std::uint32_t bits, const Precision& precision) { return bits >> precision.mantissa & 0xFF; }

/// The first of the consecutive exponents that most numbers other than 0 have.
std::uint32_t commonest_exponents(const std::vector<std::uint32_t>& numbers, const Precision& precision) {
  std::array<std::size_t, 256> counts{};
  for (const std::uint32_t bits : numbers) {
    counts[exponent_of(bits, precision)] += bits != 0 ? 1 : 0;
  }
  std::uint32_t best = 0;
  std::size_t most = 0;
  for (std::uint32_t least = 0; least + precision.exponents <= counts.size(); ++least) {
    const auto* const first = counts.data() + least;
    const auto covered = std::accumulate(first, first + precision.exponents, std::size_t{0});
    if (covered > most) {
      most = covered;
      best = least;
    }
  }
  return best;
}

void append_digits(std::uint32_t number, std::uint32_t count, std::string& text) {
  text.resize(text.size() + count);
  for (auto at = text.rbegin(); count > 0; --count, ++at, number /= kBase) {
    *at = kPackedDigits[number % kBase];
  }
}

void append_number(std::uint32_t bits, std::uint32_t least, const Precision& precision, std::string& text) {
  const std::uint32_t exponent = exponent_of(bits, precision);
  if (bits == 0) {
    text += kPackedDigits[kZero];
  } else if (exponent >= least && exponent < least + precision.exponents) {
    const std::uint32_t sign = bits >> (precision.bits() - 1);
    const std::uint32_t mantissa = bits & ((1U << precision.mantissa) - 1);
    const std::uint32_t upper = sign * precision.exponents + exponent - least;
    append_digits(upper << precision.mantissa | mantissa, precision.letters, text);
  } else {
    text += kPackedDigits[kOther];
    append_digits(bits, precision.letters + 1, text);
  }
}

}  // namespace

PackedNumbers pack(const Matrix<double>& matrix) {
  constexpr Index kLarge = 2048;  // nobody reads this many numbers one by one, and they make up most of a page
  const Precision& precision = matrix.size() > kLarge ? kCoarse : kFine;
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(matrix.size()));
  std::transform(matrix.data(), matrix.data() + matrix.size(), numbers.begin(),
                 [&](double number) { return upper_bits(number, precision.bits()); });
  PackedNumbers packed{precision.letters, commonest_exponents(numbers, precision), {}};
  for (const std::uint32_t bits : numbers) {
    append_number(bits, packed.exponent, precision, packed.text);
  }
  return packed;
}

}  // namespace glassformer
