#include "glassformer/schema/setting.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace glassformer {

std::string problem_in_single_precision(const Range& range, double value) {
  const double rounded = static_cast<float>(value);
  if (!range.in_single_precision ||
      (std::isfinite(rounded) && range.holds(rounded) && (rounded == 0) == (value == 0))) {
    return "";
  }
  return std::string("expected ") + range.words + ", found " + shortest(value) + "; in single precision, that is " +
         shortest(rounded);
}

std::string shortest(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

}  // namespace glassformer
