#include "numerics/gradient_check.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace glassformer {
namespace {

/// d loss / d value by finite differences; nullopt if there is a kink even at the smallest step. `loss_now` is the loss
/// at the current value. `scale` is the gradient size that a kink is compared with.
///
/// The third and fourth differences of a smooth loss are negligible, about h^3 and h^4. If the slope jumps by c between
/// -2h and 2h, one of them is about c h. Wherever the jump is, it changes the result by at most
///
///   kink = (|third| + |fourth|) / 4h
///
/// A kink may cause up to half of the error that tests allow (1e-7). One below the rounding error is ignored. Rounding
/// errors grow as h shrinks: a loss has about 16 digits, and differences are divided by h. So h starts as high as 1e-4.
std::optional<double> finite_difference(double& value, FunctionRef<double> loss, double loss_now, double scale) {
  const double before = value;
  const auto loss_at = [&](double step) {
    value = before + step;
    return loss();
  };
  for (const double h : {1e-4, 1e-4 / 4, 1e-4 / 16}) {
    const double up = loss_at(h);
    const double down = loss_at(-h);
    const double far_up = loss_at(2 * h);
    const double far_down = loss_at(-2 * h);
    value = before;

    const double slope = (8 * (up - down) - (far_up - far_down)) / (12 * h);
    const double third = (far_up - far_down) - 2 * (up - down);
    const double fourth = (far_up + far_down) - 4 * (up + down) + 6 * loss_now;
    const double kink = (std::abs(third) + std::abs(fourth)) / (4 * h);
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(loss_now) / h;
    if (!std::isfinite(kink)) {
      return kink;  // not finite either, so the check fails
    }
    if (kink <= std::max(5e-8 * std::max(scale, std::abs(slope)), rounding)) {
      return slope;
    }
  }
  return std::nullopt;
}

}  // namespace

GradientError check_gradient(std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss,
                             Index limit) {
  assert(values.size() == gradient.size());
  const auto size = static_cast<Index>(values.size());
  std::vector<Index> zero;
  std::vector<Index> nonzero;
  double scale = 1e-3;
  for (Index i = 0; i < size; ++i) {
    const double analytic = gradient[static_cast<std::size_t>(i)];
    (analytic == 0 ? zero : nonzero).push_back(i);
    scale = std::max(scale, std::abs(analytic));
  }

  GradientError error;
  double largest_difference = -1;
  double largest_value = 1e-3;
  const double loss_now = loss();
  const auto compare = [&](Index i) {  // returns false at a kink
    const auto numerical = finite_difference(values[static_cast<std::size_t>(i)], loss, loss_now, scale);
    ++(numerical ? error.checked : error.kinks);
    if (!numerical) {
      return false;
    }

    const double analytic = gradient[static_cast<std::size_t>(i)];
    const double difference = std::abs(analytic - *numerical);
    largest_value = std::max({largest_value, std::abs(analytic), std::abs(*numerical)});
    if (std::isfinite(largest_difference) && !(difference <= largest_difference)) {
      largest_difference = difference;
      error.worst = i;
    }
    return true;
  };
  const auto compare_some = [&](const std::vector<Index>& indices, Index count) {
    const auto start = [&](Index k) { return indices.begin() + k * std::ssize(indices) / count; };
    // The first index of each interval or, if it is at a kink, one of the next two.
    for (Index k = 0; k < count; ++k) {
      std::any_of(start(k), std::min(start(k + 1), start(k) + 3), compare);
    }
  };

  const Index count = limit > 0 ? std::min(limit, size) : size;
  const Index nonzeros = std::min(std::ssize(nonzero), count - std::min(std::ssize(zero), (count + 3) / 5));
  compare_some(nonzero, nonzeros);
  compare_some(zero, count - nonzeros);

  error.relative = std::max(largest_difference, 0.0) / largest_value;
  if (error.checked == 0 && error.kinks > 0) {
    error.relative = std::numeric_limits<double>::quiet_NaN();
  }
  return error;
}

}  // namespace glassformer
