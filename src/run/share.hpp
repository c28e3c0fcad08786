#pragma once

#include <spdlog/fmt/fmt.h>

#include <string>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// part / whole, or 0 if the whole is empty.
inline double share(Index part, Index whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// "12 of 400 pairs (3.00%)"
inline std::string part_of(Index part, Index whole, const std::string& what) {
  return fmt::format("{} of {} {} ({:.2f}%)", part, whole, what, 100 * share(part, whole));
}

}  // namespace glassformer
