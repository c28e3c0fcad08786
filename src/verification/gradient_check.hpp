#pragma once

#include <span>

#include "glassformer/numerics/parallel.hpp"

namespace glassformer {

/// The difference between the gradient from backward and finite differences.
struct GradientError {
  double relative = 0;  ///< largest |analytic - numerical|, divided by the largest |analytic|, |numerical| or 1e-3;
                        ///< NaN if every number was at a kink, so that none was compared
  Index worst = 0;      ///< the index of the largest difference
  Index checked = 0;    ///< how many numbers were compared
  Index kinks = 0;      ///< how many more were skipped because the loss has a kink there
};

/// Moves each number of `values` a little up and down and compares the change in loss() with `gradient`:
///
///   d loss / d value = (8 (loss(+h) - loss(-h)) - (loss(+2h) - loss(-2h))) / 12h + O(h^4)      h = 1e-4
///
/// Compares at most `limit` numbers (0: all). Four in five are spread evenly over the numbers whose gradient is not 0;
/// in an embedding, these are the few rows that the sentences use. One in five is spread evenly over the numbers whose
/// gradient is 0, in case the 0 is wrong. The values are restored at the end.
///
/// Across a kink, such as ReLU's, differences are meaningless. The check detects a kink from the losses alone, and
/// retries with a smaller h, which usually excludes it. If not, it compares a neighbouring number instead. (If the true
/// gradient is 0 everywhere, only rounding errors are left to compare; hence the 1e-3 in GradientError::relative.)
GradientError check_gradient(std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss,
                             Index limit = 0);

}  // namespace glassformer
