#include "numerics/row_operations.hpp"

#include "numerics/functions.hpp"
#include "numerics/vectors.hpp"

namespace glassformer {
namespace {

constexpr Index kAccumulators = 16;

/// Combines the numbers of a vector: each of the first `half` with the one `half` places further, and so on.
template <class Scalar, Index half = kLanes<Scalar> / 2>
Scalar fold(Vector<Scalar> vector, auto combine) {
  Vector<Scalar> second = vector;
  exchange_blocks<half, Scalar>(vector, second, std::make_index_sequence<static_cast<std::size_t>(kLanes<Scalar>)>());
  vector = combine(vector, second);
  if constexpr (half == 1)
    return vector[0];
  else
    return fold<Scalar, half / 2>(vector, combine);
}

/// Reduces a row to one number, with sixteen accumulators, in one or a few vectors. step(sums, j) adds numbers j and
/// the following ones, a vector of them; beyond the row's end, it adds numbers that load_first fills in. Then the
/// sixteen are combined into 8, 4, 2 and 1. So the bits of a result depend neither on the vector size, nor on where in
/// memory the row begins or what follows it.
template <class Scalar>
Scalar reduce(Index size, Scalar start, auto combine, auto step) {
  constexpr Index kParts = kAccumulators / kLanes<Scalar>;
  Vector<Scalar> sums[kParts];
  for (auto& part : sums) part = Vector<Scalar>{} + start;
  for (Index j = 0; j < size; j += kAccumulators)
    for (Index p = 0; p < kParts; ++p) sums[p] = step(sums[p], j + p * kLanes<Scalar>);
  for (Index half = kParts / 2; half > 0; half /= 2)
    for (Index p = 0; p < half; ++p) sums[p] = combine(sums[p], sums[p + half]);
  return fold<Scalar>(sums[0], combine);
}

template <class Scalar>
Vector<Scalar> plus(Vector<Scalar> a, Vector<Scalar> b) {
  return a + b;
}
/// The elementwise maximum of two vectors. A NaN in b is ignored.
template <class Scalar>
Vector<Scalar> larger(Vector<Scalar> a, Vector<Scalar> b) {
  return a < b ? b : a;
}

/// Numbers j and the following ones of a row.
template <class Scalar>
Vector<Scalar> load_part(RowView<const Scalar> x, Index j, Scalar filling = 0) {
  return load_first<Scalar>(x.size() - j, x.data() + j, Vector<Scalar>{} + filling);
}

template <class Scalar>
Scalar sum_of(RowView<const Scalar> x) {
  return reduce(x.size(), Scalar{0}, plus<Scalar>, [=](Vector<Scalar> s, Index j) { return s + load_part(x, j); });
}

template <class Scalar>
Scalar dot_of(RowView<const Scalar> x, RowView<const Scalar> y) {
  return reduce(x.size(), Scalar{0}, plus<Scalar>,
                [=](Vector<Scalar> s, Index j) { return multiply_add<Scalar>(load_part(x, j), load_part(y, j), s); });
}

template <class Scalar>
double squares_of(RowView<const Scalar> x) {
  static thread_local Buffer<double> wide;
  wide.resize(1, x.size());
  std::copy(x.begin(), x.end(), wide.data());
  return dot_of<double>(wide.row(0), wide.row(0));
}

template <class Scalar>
Scalar largest_of(RowView<const Scalar> x) {
  constexpr Scalar kLowest = kMinusInfinity<Scalar>;
  return reduce(x.size(), kLowest, larger<Scalar>,
                [=](Vector<Scalar> s, Index j) { return larger<Scalar>(s, load_part(x, j, kLowest)); });
}

template <class Scalar>
Scalar exponentials_of(RowView<Scalar> x, Scalar shift) {
  return reduce(x.size(), Scalar{0}, plus<Scalar>, [=](Vector<Scalar> s, Index j) {
    Scalar powers[kLanes<Scalar>];
    store<Scalar>(load_part<Scalar>(x, j, kMinusInfinity<Scalar>), powers);
    for (Scalar& number : powers) number = number == kMinusInfinity<Scalar> ? 0 : exp(number - shift);
    store_first<Scalar>(x.size() - j, load(powers), x.data() + j);
    return s + load(powers);
  });
}

template <class Scalar>
void keep_in(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) {
  const Scalar* const from = x.data();
  const std::uint8_t* const keep = kept.data();
  Scalar* const result = to.data();
  const Index size = x.size();
#ifndef __clang__  // Clang lacks this pragma. `to` may be x, but must not overlap it in any other way.
#pragma GCC ivdep
#endif
  for (Index j = 0; j < size; ++j) result[j] = from[j] * (static_cast<Scalar>(keep[j]) * factor);
}

}  // namespace

#define GLASSFORMER_ROW_OPERATIONS(Scalar)                                                                  \
  Scalar sum(RowView<const Scalar> x) { return sum_of(x); }                                                 \
  Scalar dot(RowView<const Scalar> x, RowView<const Scalar> y) { return dot_of(x, y); }                     \
  Scalar mean(RowView<const Scalar> x) { return sum_of(x) / static_cast<Scalar>(x.size()); }                \
  Scalar mean_square(RowView<const Scalar> x) { return mean_product(x, x); }                                \
  Scalar mean_product(RowView<const Scalar> x, RowView<const Scalar> y) {                                   \
    return dot_of(x, y) / static_cast<Scalar>(x.size());                                                    \
  }                                                                                                         \
  double sum_of_squares(RowView<const Scalar> x) { return squares_of(x); }                                  \
  Scalar largest(RowView<const Scalar> x) { return largest_of(x); }                                         \
  Scalar exponentials(RowView<Scalar> x, Scalar shift) { return exponentials_of(x, shift); }                \
  void keep(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) { \
    keep_in(x, kept, factor, to);                                                                           \
  }
GLASSFORMER_ROW_OPERATIONS(float)
GLASSFORMER_ROW_OPERATIONS(double)
#undef GLASSFORMER_ROW_OPERATIONS

}  // namespace glassformer
