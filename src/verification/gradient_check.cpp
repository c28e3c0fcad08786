#include "glassformer/verification/gradient_check.hpp"

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

/// Compares numbers of the gradient with finite differences, one at a time.
class Comparison {
 public:
  Comparison(std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss)
      : values_(values), gradient_(gradient), loss_(loss), loss_now_(loss()) {
    for (const double analytic : gradient) {
      scale_ = std::max(scale_, std::abs(analytic));
    }
  }

  /// Cuts the indices into `count` intervals. Compares the first number of each or, if it is at a kink, one of the next
  /// two.
  void compare_some(const std::vector<Index>& indices, Index count) {
    const auto start = [&](Index k) { return indices.begin() + k * std::ssize(indices) / count; };
    for (Index k = 0; k < count; ++k) {
      auto i = start(k);
      const auto end = std::min(start(k + 1), i + 3);
      while (i != end && !compare(*i)) {
        ++i;
      }
    }
  }

  GradientError result() const {
    GradientError error = error_;
    error.relative = std::max(largest_difference_, 0.0) / largest_value_;
    if (error.checked == 0 && error.kinks > 0) {
      error.relative = std::numeric_limits<double>::quiet_NaN();
    }
    return error;
  }

 private:
  /// Returns false at a kink.
  bool compare(Index i) {
    const auto at = static_cast<std::size_t>(i);
    const auto numerical = finite_difference(values_[at], loss_, loss_now_, scale_);
    if (!numerical) {
      ++error_.kinks;
      return false;
    }
    ++error_.checked;
    const double analytic = gradient_[at];
    const double difference = std::abs(analytic - *numerical);
    largest_value_ = std::max({largest_value_, std::abs(analytic), std::abs(*numerical)});
    if (std::isfinite(largest_difference_) && !(difference <= largest_difference_)) {
      largest_difference_ = difference;
      error_.worst = i;
    }
    return true;
  }

  std::span<double> values_;
  std::span<const double> gradient_;
  FunctionRef<double> loss_;
  double loss_now_;
  double scale_ = 1e-3;  // the largest |number| of the gradient, at least 1e-3
  double largest_value_ = 1e-3;
  double largest_difference_ = -1;  // NaN or infinite once one was
  GradientError error_;
};

}  // namespace

GradientError check_gradient(std::span<double> values, std::span<const double> gradient, FunctionRef<double> loss,
                             Index limit) {
  assert(values.size() == gradient.size());
  std::vector<Index> zero;
  std::vector<Index> nonzero;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    (gradient[i] == 0 ? zero : nonzero).push_back(static_cast<Index>(i));
  }
  const Index size = std::ssize(gradient);
  const Index count = limit > 0 ? std::min(limit, size) : size;
  const Index nonzeros = std::min(std::ssize(nonzero), count - std::min(std::ssize(zero), (count + 3) / 5));
  Comparison comparison(values, gradient, loss);
  comparison.compare_some(nonzero, nonzeros);
  comparison.compare_some(zero, count - nonzeros);
  return comparison.result();
}

}  // namespace glassformer
