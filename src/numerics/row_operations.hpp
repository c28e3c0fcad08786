#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "glassformer/numerics/views.hpp"

/// Vectorized operations on a row of numbers, for layers. The bits of a result depend only on the numbers, not on where
/// they are in memory. Rows that are combined must have the same size.
namespace glassformer {

/// A score that the softmax turns into a weight of 0.
template <std::floating_point Scalar>
inline constexpr Scalar kMinusInfinity = -std::numeric_limits<Scalar>::infinity();

// Operations that reduce rows to one number, each for float and for double.
float sum(RowView<const float> x);
double sum(RowView<const double> x);
/// Sum of x_j y_j.
float dot(RowView<const float> x, RowView<const float> y);
double dot(RowView<const double> x, RowView<const double> y);
float mean(RowView<const float> x);
double mean(RowView<const double> x);
/// Mean of x_j^2.
float mean_square(RowView<const float> x);
double mean_square(RowView<const double> x);
/// Mean of x_j y_j.
float mean_product(RowView<const float> x, RowView<const float> y);
double mean_product(RowView<const double> x, RowView<const double> y);
/// Sum of x_j^2, in double precision.
double sum_of_squares(RowView<const float> x);
double sum_of_squares(RowView<const double> x);
/// Ignores NaN. The result is -infinity if the row is empty or contains only NaN.
float largest(RowView<const float> x);
double largest(RowView<const double> x);

/// x_j becomes exp(x_j - shift), which is exactly 0 for -infinity. Returns the sum of the new x_j.
float exponentials(RowView<float> x, float shift);
double exponentials(RowView<double> x, double shift);
/// The sum alone, with the same bits; x stays as it is.
float sum_of_exponentials(RowView<const float> x, float shift);

// Elementwise operations that change a row. For whole matrices, use Eigen: to.eigen() += x.eigen(). (With
// std::type_identity_t, Scalar is deduced only from the row that changes, so a RowView<float> can be passed as a
// RowView<const float>.)
template <std::floating_point Scalar>
void scale(RowView<Scalar> x, Scalar factor) {
  for (Scalar& number : x) {
    number *= factor;
  }
}
/// to_j += x_j
template <std::floating_point Scalar>
void add(std::type_identity_t<RowView<const Scalar>> x, RowView<Scalar> to) {
  for (Index j = 0; j < to.size(); ++j) {
    to[j] += x[j];
  }
}
/// to_j = x_j * (kept_j * factor), kept_j = 0 or 1. Where kept_j is 0, to_j is 0, or NaN if x_j is NaN or infinite.
/// `to` may be the same row as x.
void keep(RowView<const float> x, RowView<const std::uint8_t> kept, float factor, RowView<float> to);
void keep(RowView<const double> x, RowView<const std::uint8_t> kept, double factor, RowView<double> to);
/// x_j becomes -infinity where blocked_j is 1.
template <std::floating_point Scalar>
void block(RowView<const std::uint8_t> blocked, RowView<Scalar> x) {
  for (Index j = 0; j < x.size(); ++j) {
    x[j] = blocked[j] != 0 ? kMinusInfinity<Scalar> : x[j];
  }
}
/// x_j becomes 0 where y_j is 0, even if x_j was NaN.
template <std::floating_point Scalar>
void clear_where_zero(std::type_identity_t<RowView<const Scalar>> y, RowView<Scalar> x) {
  for (Index j = 0; j < x.size(); ++j) {
    x[j] = y[j] == 0 ? 0 : x[j];
  }
}

}  // namespace glassformer
