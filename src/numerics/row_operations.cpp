#include "numerics/row_operations.hpp"

#include "numerics/stretch.hpp"

namespace glassformer {
namespace {

// Rows are summed in sixteen columns, and then over these.

template <class Scalar>
Scalar sum_of(RowView<const Scalar> x) {
  Stretch<Scalar> sums = Stretch<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kStretch) sums += load_stretch<Scalar>(x.data(), j, x.size(), 0);
  return sums.sum();
}

template <class Scalar>
Scalar dot_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  Stretch<Scalar> sums = Stretch<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kStretch) {
    sums += load_stretch<Scalar>(x.data(), j, x.size(), 0) * load_stretch<Scalar>(y.data(), j, x.size(), 0);
  }
  return sums.sum();
}

/// The larger of two numbers; NaN if one of them is NaN.
template <class Scalar>
Scalar larger(Scalar a, Scalar b) {
  return a < b || b != b ? b : a;
}

template <class Scalar>
Scalar largest_of(RowView<const Scalar> x) {
  Stretch<Scalar> largest = Stretch<Scalar>::Constant(kMinusInfinity<Scalar>);
  for (Index j = 0; j < x.size(); j += kStretch) {
    const Stretch<Scalar> next = load_stretch<Scalar>(x.data(), j, x.size(), kMinusInfinity<Scalar>);
    for (Index k = 0; k < kStretch; ++k) largest[k] = larger(largest[k], next[k]);
  }
  Scalar result = kMinusInfinity<Scalar>;
  for (Index k = 0; k < kStretch; ++k) result = larger(result, largest[k]);
  return result;
}

template <class Scalar>
Scalar exponentials_of(RowView<Scalar> x, Scalar shift) {
  Stretch<Scalar> sums = Stretch<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kStretch) {
    const Stretch<Scalar> numbers = load_stretch<Scalar>(x.data(), j, x.size(), kMinusInfinity<Scalar>);
    Stretch<Scalar> powers = (numbers - shift).exp();
    // Eigen's exp of -infinity is not 0 but tiny.
    for (Index k = 0; k < kStretch; ++k) powers[k] = numbers[k] == kMinusInfinity<Scalar> ? 0 : powers[k];
    sums += powers;
    store_stretch(powers, x.data(), j, x.size());
  }
  return sums.sum();
}

// (These three are Eigen's sums. It adds what is computed in an order that does not depend on where the row lies,
// other than plain numbers in memory: hence * 1.)

template <class Scalar>
Scalar mean_of(RowView<const Scalar> x) {
  return (x.eigen().array() * Scalar{1}).mean();
}
template <class Scalar>
Scalar mean_square_of(RowView<const Scalar> x) {
  return x.eigen().squaredNorm() / static_cast<Scalar>(x.size());
}
template <class Scalar>
Scalar mean_product_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  return x.eigen().dot(y.eigen()) / static_cast<Scalar>(x.size());
}

template <class Scalar>
void keep_in(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) {
  const Scalar* const from = x.data();
  const std::uint8_t* const keep = kept.data();
  Scalar* const result = to.data();
  const Index size = x.size();
#ifndef __clang__  // which does not know this pragma; `to` may be x, but never overlaps it otherwise
#pragma GCC ivdep
#endif
  for (Index j = 0; j < size; ++j) result[j] = from[j] * (static_cast<Scalar>(keep[j]) * factor);
}

template <class Scalar>
void block_in(RowView<const std::uint8_t> blocked, RowView<Scalar> x) {
  for (Index j = 0; j < x.size(); ++j) x[j] = blocked[j] != 0 ? kMinusInfinity<Scalar> : x[j];
}

template <class Scalar>
void clear_in(RowView<const Scalar> y, RowView<Scalar> x) {
  for (Index j = 0; j < x.size(); ++j) x[j] = y[j] == 0 ? 0 : x[j];
}

}  // namespace

#define GLASSFORMER_ROW_OPERATIONS(Scalar)                                                                  \
  Scalar sum(RowView<const Scalar> x) { return sum_of(x); }                                                 \
  Scalar dot(RowView<const Scalar> x, RowView<const Scalar> y) { return dot_of(x, y); }                     \
  Scalar mean(RowView<const Scalar> x) { return mean_of(x); }                                               \
  Scalar mean_square(RowView<const Scalar> x) { return mean_square_of(x); }                                 \
  Scalar mean_product(RowView<const Scalar> x, RowView<const Scalar> y) { return mean_product_of(x, y); }   \
  Scalar largest(RowView<const Scalar> x) { return largest_of(x); }                                         \
  Scalar exponentials(RowView<Scalar> x, Scalar shift) { return exponentials_of(x, shift); }                \
  void keep(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) { \
    keep_in(x, kept, factor, to);                                                                           \
  }                                                                                                         \
  void block(RowView<const std::uint8_t> blocked, RowView<Scalar> x) { block_in(blocked, x); }              \
  void clear_where_zero(RowView<const Scalar> y, RowView<Scalar> x) { clear_in(y, x); }
GLASSFORMER_ROW_OPERATIONS(float)
GLASSFORMER_ROW_OPERATIONS(double)
#undef GLASSFORMER_ROW_OPERATIONS

}  // namespace glassformer
