#include "numerics/gradient_check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace glassformer {
namespace {

/// d loss / d value by differences; nothing if there is a kink however small the step. `loss_here` is the loss as
/// things are, `scale` the size of a gradient in whose light a kink matters.
///
/// A smooth loss has a third and a fourth difference of about h^3 and h^4, next to nothing. Where the slope jumps by c
/// between -2h and 2h, one of them is about c h, and wherever the jump is, it moves the result by at most
///
///   kink = (|third| + |fourth|) / 4h
///
/// Half of the error that a test allows, 1e-7, may be a kink. Less than what rounding leaves is none: a loss has about
/// 16 digits, and its differences are divided by h, which is why h cannot be much smaller than 1e-4 from the start.
std::optional<double> measure(double& value, FunctionRef<double> loss, double loss_here, double scale) {
  const double here = value;
  const auto loss_at = [&](double step) {
    value = here + step;
    return loss();
  };
  for (const double h : {1e-4, 1e-4 / 4, 1e-4 / 16}) {
    const double up = loss_at(h), down = loss_at(-h), far_up = loss_at(2 * h), far_down = loss_at(-2 * h);
    value = here;

    const double slope = (8 * (up - down) - (far_up - far_down)) / (12 * h);
    const double third = (far_up - far_down) - 2 * (up - down);
    const double fourth = (far_up + far_down) - 4 * (up + down) + 6 * loss_here;
    const double kink = (std::abs(third) + std::abs(fourth)) / (4 * h);
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(loss_here) / h;
    if (!std::isfinite(kink)) return kink;  // and so is no gradient
    if (kink <= std::max(5e-8 * std::max(scale, std::abs(slope)), rounding)) return slope;
  }
  return std::nullopt;
}

}  // namespace

GradientError check_gradient(std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss,
                             Index limit) {
  assert(values.size() == gradient.size());
  const auto size = static_cast<Index>(values.size());
  std::vector<Index> zero, other;
  double scale = 1e-3;
  for (Index i = 0; i < size; ++i) {
    const double written = gradient[static_cast<std::size_t>(i)];
    (written == 0 ? zero : other).push_back(i);
    scale = std::max(scale, std::abs(written));
  }

  GradientError error;
  double largest_difference = -1, largest_value = 1e-3;
  const double loss_here = loss();
  const auto compare = [&](Index i) {  // false: at a kink
    const auto measured = measure(values[static_cast<std::size_t>(i)], loss, loss_here, scale);
    ++(measured ? error.checked : error.kinks);
    if (!measured) return false;

    const double written = gradient[static_cast<std::size_t>(i)];
    const double difference = std::abs(written - *measured);
    largest_value = std::max({largest_value, std::abs(written), std::abs(*measured)});
    if (std::isfinite(largest_difference) && !(difference <= largest_difference)) {
      largest_difference = difference;
      error.worst = i;
      error.written = written;
      error.measured = *measured;
    }
    return true;
  };
  const auto compare_some = [&](const std::vector<Index>& numbers, Index count) {
    const auto place = [&](Index k) { return numbers.begin() + k * std::ssize(numbers) / count; };
    // The first number of each stretch, or one of the next two in its place.
    for (Index k = 0; k < count; ++k) std::any_of(place(k), std::min(place(k + 1), place(k) + 3), compare);
  };

  const Index count = limit > 0 ? std::min(limit, size) : size;
  const Index others = std::min(std::ssize(other), count - std::min(std::ssize(zero), (count + 3) / 5));
  compare_some(other, others);
  compare_some(zero, count - others);

  error.relative = std::max(largest_difference, 0.0) / largest_value;
  if (error.checked == 0 && error.kinks > 0) error.relative = std::numeric_limits<double>::quiet_NaN();
  return error;
}

}  // namespace glassformer
