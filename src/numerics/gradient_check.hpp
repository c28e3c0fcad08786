#pragma once

#include <span>

#include "numerics/parallel.hpp"

namespace glassformer {

/// How far a hand-written gradient is from what differences say.
struct GradientError {
  double relative = 0;  ///< largest |written - measured|, divided by the largest of all |written|, |measured| and 1e-3;
                        ///< NaN if nothing but kinks was found: then nothing is known
  Index worst = 0;      ///< where that is
  double written = 0;   ///< what backward says there
  double measured = 0;  ///< what the loss does there
  Index checked = 0;    ///< how many numbers were compared
  Index kinks = 0;      ///< how many more were left out, for the loss has a kink there
};

/// Moves each number of `values` a little to both sides, watches loss(), and compares with `gradient`:
///
///   d loss / d value = (8 (loss(+h) - loss(-h)) - (loss(+2h) - loss(-2h))) / 12h + O(h^4)      h = 1e-4
///
/// At most `limit` numbers are compared (0: all). Four in five are evenly spread over those whose gradient is not 0:
/// in an embedding, these are the few rows that the sentences use. The fifth is evenly spread over those whose
/// gradient is 0, and might wrongly be. The values are put back as they were.
///
/// Across a kink, such as ReLU's, differences say nothing. One gives itself away in the losses, whatever is written:
/// then h is made smaller, for as a rule the kink lies outside, or else a neighbour is taken in the number's place.
/// (Where the true gradient is 0 everywhere, only rounding is left to compare: hence the 1e-3.)
GradientError check_gradient(std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss,
                             Index limit = 0);

}  // namespace glassformer
