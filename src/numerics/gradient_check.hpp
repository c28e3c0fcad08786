#pragma once

#include <functional>
#include <span>

#include "numerics/matrix.hpp"

namespace glassformer {

/// How far a hand-written gradient is from what differences say.
struct GradientError {
  double relative = 0;  ///< largest |written - measured|, divided by the largest of all |written|, |measured| and 1e-3
  Index worst = 0;      ///< where that is
  double written = 0;   ///< what backward says there
  double measured = 0;  ///< what the loss does there
  Index checked = 0;    ///< how many numbers were moved
};

/// Moves each number of `values` a little to both sides, watches loss(), and compares with `gradient`:
///
///   d loss / d value = (8 (loss(+h) - loss(-h)) - (loss(+2h) - loss(-2h))) / 12h + O(h^4)      h = 1e-4
///
/// At most `limit` numbers are moved, evenly spread (0: all). The values are put back as they were.
/// (Where the true gradient is 0 everywhere, only rounding is left to compare: hence the 1e-3.)
GradientError check_gradient(std::span<double> values, std::span<const double> gradient,
                             const std::function<double()>& loss, Index limit = 0);

}  // namespace glassformer
