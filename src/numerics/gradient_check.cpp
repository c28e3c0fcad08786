#include "numerics/gradient_check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace glassformer {

GradientError check_gradient(std::span<double> values, std::span<const double> gradient,
                             const std::function<double()>& loss, Index limit) {
  assert(values.size() == gradient.size());
  constexpr double h = 1e-4;
  const auto size = static_cast<Index>(values.size());
  const Index count = limit > 0 ? std::min(limit, size) : size;

  GradientError error{.checked = count};
  double largest_difference = -1, largest_value = 1e-3;
  for (Index k = 0; k < count; ++k) {
    const Index i = k * size / count;
    double& value = values[static_cast<std::size_t>(i)];
    const double here = value;
    const auto loss_at = [&](double step) {
      value = here + step;
      return loss();
    };
    const double near = loss_at(h) - loss_at(-h), far = loss_at(2 * h) - loss_at(-2 * h);
    value = here;

    const double measured = (8 * near - far) / (12 * h);
    const double written = gradient[static_cast<std::size_t>(i)];
    const double difference = std::abs(written - measured);
    largest_value = std::max({largest_value, std::abs(written), std::abs(measured)});
    if (difference > largest_difference || !std::isfinite(difference)) {
      largest_difference = difference;
      error.worst = i;
      error.written = written;
      error.measured = measured;
      if (!std::isfinite(difference)) break;
    }
  }
  error.relative = std::max(0.0, largest_difference) / largest_value;
  if (std::isnan(largest_difference)) error.relative = largest_difference;
  return error;
}

}  // namespace glassformer
