#include "numerics/row_operations.hpp"

#include <cmath>

#include "numerics/vectors.hpp"

namespace glassformer {
namespace {

// Rows are handled in stretches of sixteen numbers, each with one or a few vector operations, exp included. The last
// stretch of a row is filled up with numbers that change nothing. So the bits of a result depend neither on where in
// memory the row begins, nor on what lies behind its end.

constexpr Index kStretch = 16;

template <class Scalar>
using Stretch = Eigen::Array<Scalar, kStretch, 1>;

/// row[j] .. row[j + 15]; what lies at `size` or beyond is `filling`.
template <class Scalar>
Stretch<Scalar> load_stretch(const Scalar* row, Index j, Index size, Scalar filling) {
  if (j + kStretch <= size) return Eigen::Map<const Stretch<Scalar>>(row + j);
  Stretch<Scalar> stretch;
  for (Index k = 0; k < kStretch; k += kLanes<Scalar>)
    store(load_first<Scalar>(size - j - k, row + j + k, Vector<Scalar>{} + filling), stretch.data() + k);
  return stretch;
}

/// Writes back what of the stretch belongs to the row.
template <class Scalar>
void store_stretch(const Stretch<Scalar>& stretch, Scalar* row, Index j, Index size) {
  for (Index k = 0; k < kStretch; k += kLanes<Scalar>)
    store_first<Scalar>(size - j - k, load(stretch.data() + k), row + j + k);
}

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
  for (Index j = 0; j < x.size(); j += kStretch)
    sums += load_stretch<Scalar>(x.data(), j, x.size(), 0) * load_stretch<Scalar>(y.data(), j, x.size(), 0);
  return sums.sum();
}

// Compilers do not make vector operations of comparisons by themselves, hence load and store.

/// The larger numbers of two vectors. A NaN in b is passed over.
template <class Scalar>
Vector<Scalar> larger(Vector<Scalar> a, Vector<Scalar> b) {
  return a < b ? b : a;
}

/// The largest number of a vector. Each step compares the first block of each pair of blocks with the second.
template <class Scalar, Index half = kLanes<Scalar> / 2>
Scalar largest_in(Vector<Scalar> vector) {
  Vector<Scalar> second = vector;
  exchange_blocks<half, Scalar>(vector, second, std::make_index_sequence<static_cast<std::size_t>(kLanes<Scalar>)>());
  vector = larger<Scalar>(vector, second);
  if constexpr (half == 1)
    return vector[0];
  else
    return largest_in<Scalar, half / 2>(vector);
}

template <class Scalar>
Scalar largest_of(RowView<const Scalar> x) {
  const auto nothing = Vector<Scalar>{} + kMinusInfinity<Scalar>;
  auto largest = nothing;
  for (Index j = 0; j < x.size(); j += kLanes<Scalar>)
    largest = larger<Scalar>(largest, load_first<Scalar>(x.size() - j, x.data() + j, nothing));
  return largest_in<Scalar>(largest);
}

template <class Scalar>
Scalar exponentials_of(RowView<Scalar> x, Scalar shift) {
  Stretch<Scalar> sums = Stretch<Scalar>::Zero();
  for (Index j = 0; j < x.size(); j += kStretch) {
    const Stretch<Scalar> numbers = load_stretch<Scalar>(x.data(), j, x.size(), kMinusInfinity<Scalar>);
    Stretch<Scalar> powers = (numbers - shift).exp();
    for (Index k = 0; k < kStretch; k += kLanes<Scalar>) {  // Eigen's exp of -infinity is not 0 but tiny
      const auto number = load(numbers.data() + k), power = load(powers.data() + k);
      store(number == kMinusInfinity<Scalar> ? Vector<Scalar>{} : power, powers.data() + k);
    }
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
  }
GLASSFORMER_ROW_OPERATIONS(float)
GLASSFORMER_ROW_OPERATIONS(double)
#undef GLASSFORMER_ROW_OPERATIONS

}  // namespace glassformer
